"""Kernels: sets of them, what they are given, their machine code and its cache; how numba compiles them."""
