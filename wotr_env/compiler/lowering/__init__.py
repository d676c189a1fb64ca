"""The compiler, built on numba and its internal classes. It is imported only if machine code is missing."""
