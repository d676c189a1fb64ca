"""The compiler: imported only where there is no machine code yet. It rests on numba and its classes."""
