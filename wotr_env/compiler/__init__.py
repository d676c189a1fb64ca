"""How numba compiles kernels: sets of them and their cache, lowering, bytes and bits, enums as constants."""
