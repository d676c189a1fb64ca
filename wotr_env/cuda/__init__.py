"""Arrays on a GPU, independent of any game; the rules are in ``wotr_env.games.war_of_the_ring.device``.

Only the driver of the GPU is needed. The import also works without a GPU.
"""

from __future__ import annotations

from wotr_env.cuda.arrays import DeviceArray
from wotr_env.cuda.errors import CudaError

__all__ = ["CudaError", "DeviceArray"]
