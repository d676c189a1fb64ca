"""What the process has loaded that starts commands (``commands``); imported there once, for all of them."""

import torch  # noqa: F401

import wotr_experiments.table.server
import wotr_experiments.training.training  # noqa: F401
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.cli.main import LOADED

list(LOADED.values())
WAR_OF_THE_RING.kernels.prepare()
