"""War of the Ring on a GPU."""

from wotr_env.games.war_of_the_ring.device.driver import CudaMachine, gpu, has_cuda
from wotr_env.games.war_of_the_ring.device.game import DeviceGame
from wotr_env.games.war_of_the_ring.device.rules import DeviceRules

__all__ = ["CudaMachine", "DeviceGame", "DeviceRules", "gpu", "has_cuda"]
