"""A game of dice whose values are known, and value functions of it, good and bad."""

from __future__ import annotations

import functools
import hashlib

from wotr_env.core.chance import draw
from wotr_env.core.codes import GOING_ON
from wotr_env.core.declared import StateField
from wotr_env.core.simple_game import SimpleGame
from wotr_env.play.record import GameRecord
from wotr_experiments.luck.values import shares_of

ROUNDS = 3
FACES = 4


class HighRoll(SimpleGame):
    """Two players in turn roll a die or take 1 for sure; the higher sum wins."""

    name, title, players = "high-roll", "High roll", ("First", "Second")
    ends = {"first": (1, -1), "second": (-1, 1), "equal": (0, 0)}
    fields = (
        StateField("taken", 0, 2 * ROUNDS, "turns"),
        StateField("points", 0, ROUNDS * FACES, "of each player", (2,)),
    )
    actions = {"do": ("roll", "take")}

    def start(self, state):
        """Nothing is dealt."""

    def legal(self, state):
        return 0, 1

    def play(self, state, action):
        state.points[state.seat] += 1 if action else draw(state, FACES)
        state.taken += 1
        state.seat = 1 - state.seat
        if state.taken < 2 * ROUNDS:
            return None
        first, second = state.points.tolist()
        return "equal" if first == second else "first" if first > second else "second"


KIND = HighRoll().kind()


def choice(seat, own, other):
    """The second rolls only if it is behind."""
    return 0 if seat == 0 or own < other else 1


@functools.cache
def chance(taken, first, second):
    """The first player's, by backward induction."""
    if taken == 2 * ROUNDS:
        return 0.5 if first == second else float(first > second)
    seat = taken % 2
    gains = [1] if choice(seat, *((first, second) if seat == 0 else (second, first))) else range(FACES)
    after = [(first + gain, second) if seat == 0 else (first, second + gain) for gain in gains]
    return sum(chance(taken + 1, *points) for points in after) / len(after)


def played(seed):
    """A game of the two players."""
    game = KIND.game(seed, KIND.find_ruleset())
    while not game.over:
        points = game.state["points"].tolist()
        game.step(choice(game.seat, points[game.seat], points[1 - game.seat]))
    return GameRecord.from_game(game)


class Values:
    """What a function of a state says of games that go on."""

    kind = KIND

    def __init__(self, function):
        self._function = function

    def of(self, states, masks, ruleset, _all_views=False):
        found = shares_of(KIND, ruleset, states)
        for row, state in enumerate(states):
            if state["winner"] == GOING_ON:
                first = self._function(state)
                found[row] = first, 1 - first
        return found


def exact(state):
    return chance(int(state["taken"]), *state["points"].tolist())


def wrong(state):
    """Sees the first player ahead when it is behind, and what is to come."""
    first, second = state["points"].tolist()
    return 0.5 + 0.04 * (second - first) + 0.1 * (int(state["key"][0]) % 3 - 1)


def noise(state):
    """Another number for every position."""
    return hashlib.blake2b(state["points"].tobytes() + bytes([state["taken"]])).digest()[0] / 255


def constant(state):
    return 0.5
