"""Errors of the GPU."""

from __future__ import annotations


class CudaError(RuntimeError):
    """There is no GPU, or its driver reported an error."""
