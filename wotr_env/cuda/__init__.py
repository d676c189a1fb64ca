"""The rules on a GPU: ``docs/gpu.md``.

Nothing here needs more than the driver that a GPU comes with; without one, importing this is no harm.
"""

from wotr_env.cuda.arrays import DeviceArray
from wotr_env.cuda.driver import CudaMachine, gpu, has_cuda
from wotr_env.cuda.errors import CudaError
from wotr_env.cuda.game import DeviceGame
from wotr_env.cuda.rules import DeviceRules

__all__ = ["CudaError", "CudaMachine", "DeviceArray", "DeviceGame", "DeviceRules", "gpu", "has_cuda"]
