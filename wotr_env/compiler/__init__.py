"""Kernels: kernel sets, argument types, machine code and its cache, and compilation with numba."""
