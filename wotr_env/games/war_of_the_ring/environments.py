"""The game-specific parts of the environments of War of the Ring: steps, pictures and infos at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_env.core.kind import Environments
from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK, Buffers
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.result import Result
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


def _stepper(states: np.ndarray, masks: np.ndarray, observations: np.ndarray) -> Callable[[np.ndarray], None]:
    """See ``Environments.stepper``. Buffers are created once, and observations are written in the same
    call."""
    buffers = Buffers(
        states=states,
        masks=masks,
        observations=observations,
        books=np.zeros(0, dtype=BOOK),  # none are kept, so what follows is not written
        seats=np.zeros(0, dtype=np.int8),
        rewards=np.zeros((0, NUM_SIDES), dtype=np.float32),
        bonuses=np.zeros(0, dtype=np.float32),
        terminated=np.zeros(0, dtype=np.bool_),
        streams=np.zeros(0, dtype=np.int64),
        options=np.zeros((0, NUM_OPTIONS), dtype=np.int8),
        max_turns=np.zeros(0, dtype=np.int64),
    )
    games = len(states)

    def step(actions: np.ndarray) -> None:
        kernel.step_batch(buffers, actions, 0, False, 0, games)

    return step


def _end_info(state: np.record, ruleset: Ruleset) -> dict[str, Any]:
    """``winner`` (a side or ``draw``), ``reason`` and ``turn``.

    With more than two players also ``winning_seats``, the names of the winning seats (R13.8).
    """
    words = {
        "winner": Winner(int(state["winner"])).name.lower(),
        "reason": Reason(int(state["reason"])).name.lower(),
        "turn": int(state["turn"]),
    }
    result = Result.of(state)
    if result is not None and len(ruleset.seats) > NUM_SIDES:
        words["winning_seats"] = tuple(ruleset.seats[seat].name for seat in result.seats)
    return words


def _text(state: np.record, viewer: int | None) -> str:
    from wotr_env.games.war_of_the_ring.render.view import View  # for those who render alone

    return View(state, viewer).text


def _image(state: np.record, viewer: int | None) -> np.ndarray:
    from wotr_env.games.war_of_the_ring.render.view import View  # for those who render alone

    return View(state, viewer).image


ENVIRONMENTS = Environments(_stepper, _end_info, _text, _image)
