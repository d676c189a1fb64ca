"""What processes of bots need, loaded on import by the process from which they are forked."""

from __future__ import annotations

import contextlib

import wotr_experiments.table.bot_process  # noqa: F401
from wotr_agents.policies import prepare_game
from wotr_env.play.games import DEFAULT_GAME

with contextlib.suppress(Exception):  # each process of bots tries once more, and tells the error
    prepare_game(DEFAULT_GAME)
