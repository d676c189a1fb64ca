"""What can go wrong between this machine and a GPU."""

from __future__ import annotations


class CudaError(RuntimeError):
    """There is no GPU, or its driver has refused something."""
