"""The table of turns of War of the Ring: the dice of each turn, and the position at its end.

If a turn ends or dice are rolled in a step, the step is played move by move. So the numbers describe this
moment, not the next decision, before which cards are drawn and dice are taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wotr_env.core.states import bytes_of
from wotr_env.games.war_of_the_ring.codes import CardZone, Draw, Face, Location, Phase, Roll, Side, Winner
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_NAMES,
    DIE_FACES,
    IS_COMPANION,
    NATION_SIDE,
    REGION_IDS,
    SETTLEMENT_REGIONS,
)
from wotr_env.games.war_of_the_ring.engine.kernel import trace
from wotr_env.games.war_of_the_ring.engine.observation_layout import At
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.seating import seats_of_side
from wotr_env.games.war_of_the_ring.state import NUM_FACES, NUM_SIDES
from wotr_experiments.data.columns import SIDES, faces_of
from wotr_experiments.data.values import Coded, Known, Table


class _Turn:
    """A turn of a game that is being replayed."""

    def __init__(self, number: int, first: int) -> None:
        self.number, self.first = number, first
        self.faces: np.ndarray | None = None
        """``int64[sides, faces]``: the dice rolled; None: before the roll, or if the roll is not in the
        replay."""
        self.allocated = 0


class TurnNotes:
    """Collects the data of the table of turns for N games during a replay.

    Args:
        states: ``STATE[N]``, the states before the first step; the replay updates them.
    """

    def __init__(self, states: np.ndarray) -> None:
        self._states = states
        self._kept = bytes_of(states).copy().reshape(-1).view(states.dtype)
        self._begun = self._kept["control"].copy()
        self._turns = [_Turn(int(turn), 0) for turn in states["turn"]]
        self._rows: list[list[tuple[_Turn, int, bool, np.record]]] = [[] for _ in range(len(states))]
        """The turns of each game: the turn, the number of decisions up to its end, whether it was completed,
        and the state."""

    def before(self, running: int) -> None:
        """Called before a step of the first ``running`` games."""
        bytes_of(self._kept)[:running] = bytes_of(self._states)[:running]

    def after(self, number: int, actions: np.ndarray) -> None:
        """Called after step ``number`` with its actions."""
        running = len(actions)
        before, after = self._kept[:running], self._states[:running]
        rolled = (before["phase"] < Phase.ACTION_ROLL) & (after["phase"] >= Phase.ACTION_ROLL)
        ended = (before["turn"] != after["turn"]) | (after["winner"] != Winner.NONE)
        for game in np.flatnonzero(rolled | ended).tolist():
            self._follow(game, number + 1, trace(before[game], int(actions[game]))[0])

    def _follow(self, game: int, made: int, states: np.ndarray) -> None:
        """Follows a step of a game: ``states`` are the states before the step and after each move, ``made``
        is the number of decisions up to now."""
        turns, phases = states["turn"].tolist(), states["phase"].tolist()
        for place in range(1, len(states)):
            turn, state = self._turns[game], states[place]
            if phases[place - 1] < Phase.ACTION_ROLL and phases[place] == Phase.ACTION:
                self._note_roll(turn, state)
            if turns[place] > turn.number:
                self._rows[game].append((turn, made, True, state))
                self._turns[game] = _Turn(turns[place], made)

    def _note_roll(self, turn: _Turn, state: np.record) -> None:
        draws = state["draws"][: int(state["num_draws"])].astype(np.int64)
        dice = draws[draws[:, Draw.KIND] == Roll.ACTION_DIE]
        turn.faces = np.zeros((NUM_SIDES, NUM_FACES), dtype=np.int64)
        sides = dice[:, Draw.SIDE]
        faces = DIE_FACES[sides, dice[:, Draw.VALUE] - 1]
        np.add.at(turn.faces, (sides, faces), 1)
        eyes = (sides == Side.SHADOW) & (faces == Face.EYE)
        turn.allocated = int(state["hunt_box"][Side.SHADOW]) - int(eyes.sum())

    def table(self, order: np.ndarray, ids: np.ndarray, lengths: np.ndarray) -> Table:
        """The table of turns, one game after another.

        Args:
            order: ``int64[N]``: the index of each of these games in the table of games.
            ids: ``int64[N]``: the numbers of the games, by this index.
            lengths: ``int64[N]``: the number of decisions of each game, by this index.
        """
        rows, places, before = [], [], []
        for game in np.argsort(order).tolist():
            ended = list(self._rows[game])
            turn, state, length = self._turns[game], self._states[game], int(lengths[order[game]])
            over = int(state["winner"]) != Winner.NONE
            if over or length > turn.first or not ended:
                ended.append((turn, length, over, state))
            control = self._begun[game]
            for row in ended:
                rows.append(row)
                places.append(order[game])
                before.append(control)
                control = row[3]["control"]
        states = np.empty(len(rows), dtype=self._states.dtype)
        for place, row in enumerate(rows):
            states[place] = row[3]
        turns = [row[0] for row in rows]
        return {
            "game": ids[places],
            "turn": np.array([turn.number for turn in turns], dtype=np.int16),
            "complete": np.array([row[2] for row in rows]),
            "decisions": np.array([row[1] - row[0].first for row in rows], dtype=np.int32),
            **_rolled(turns),
            **_ends(states, np.array(before)),
        }


def _rolled(turns: Sequence[_Turn]) -> Table:
    valid = np.array([turn.faces is not None for turn in turns])
    none = np.zeros((NUM_SIDES, NUM_FACES), dtype=np.int64)
    faces = np.array([none if turn.faces is None else turn.faces for turn in turns]).astype(np.int8)
    columns: Table = {}
    for number, side in enumerate(SIDES):
        columns[f"dice_{side}"] = Known(faces[:, number].sum(axis=1).astype(np.int8), valid)
        for face in faces_of(number):
            columns[f"rolled_{side}_{Face(face).name.lower()}"] = Known(faces[:, number, face], valid)
    allocated = np.array([turn.allocated for turn in turns], dtype=np.int8)
    return columns | {"hunt_allocated": Known(allocated, valid)}


def _ends(states: np.ndarray, before: np.ndarray) -> Table:
    """The positions at the ends of turns: ``states`` are ``STATE[R]``, ``before`` the control of Settlements
    a turn earlier."""
    inside = (states["location"] == Location.IN_FELLOWSHIP) & (IS_COMPANION == 1)
    regions = states["fellowship_region"].astype(np.int16)
    seen = observe(states, Side.FREE_PEOPLES)
    points = seen[:, At.VICTORY_POINTS : At.VICTORY_POINTS + NUM_SIDES]
    table: Table = {
        "hunt_box_free_peoples": states["hunt_box"][:, Side.FREE_PEOPLES].copy(),
        "hunt_box_shadow": states["hunt_box"][:, Side.SHADOW].copy(),
        "progress": states["progress"].copy(),
        "revealed": states["revealed"] == 1,
        "fellowship_region": Coded(np.where(regions < 0, len(REGION_IDS), regions), (*REGION_IDS, "")),
        "mordor_step": states["mordor_step"].copy(),
        "corruption": states["corruption"].copy(),
        "companions": inside.sum(axis=1).astype(np.int8),
        "guide": Coded(states["guide"].astype(np.int16), CHARACTER_NAMES),
    }
    held = states["card_zone"]
    for number, side in enumerate(SIDES):
        hands = [CardZone.HAND + seat for seat in seats_of_side(states[0], number)]
        table[f"points_{side}"] = points[:, number].copy()
        table[f"rings_{side}"] = states["rings"][:, number].copy()
        table[f"units_{side}"] = states["units"][:, :, number].sum(axis=1).astype(np.int16)
        table[f"hand_{side}"] = np.isin(held, hands).sum(axis=1).astype(np.int8)
    at_war = states["steps_to_war"] == 0
    for number, side in enumerate(SIDES):
        table[f"at_war_{side}"] = at_war[:, np.array(NATION_SIDE) == number].sum(axis=1).astype(np.int8)
    changed = states["control"] != before
    table["captured"] = [
        [REGION_IDS[SETTLEMENT_REGIONS[place]] for place in np.flatnonzero(row)] for row in changed
    ]
    return table
