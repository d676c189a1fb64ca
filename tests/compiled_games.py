"""Tiny games with compiled rules, for tests of the compiler and of searches: two walk, by steps or dice."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import specialize
from wotr_env.core import chance
from wotr_env.core.batches import SOURCES, BatchKernels
from wotr_env.core.codes import GOING_ON
from wotr_env.core.declared import CHANCE, StateField, state_of
from wotr_env.core.kind import ActionSpace, Compiled, GameKind
from wotr_env.core.observation_layout import Field, Layout
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH

GOAL = 20
STEP, ROLL = 0, 1
FIELDS = (
    *CHANCE,
    StateField("turn", 0, 2 * GOAL, "decisions made"),
    StateField("seat", 0, 1, "which decides"),
    StateField("winner", GOING_ON, 1, "-1: the game goes on"),
    StateField("decision", 0, 0, "there is one kind"),
    StateField("steps", 0, 2 * GOAL, "of each seat", (2,)),
)
STATE = state_of(FIELDS)
LAYOUT = (Field("asked", (1,), "one-hot"), Field("steps", (2,), "the own ones first"))
sides = 0
"""Of the die of a game, in its copies of the rules."""


def seed_chance(state, seed):
    """Placeholder for a kernel of each game; so is ``draw``."""
    raise NotImplementedError


draw = seed_chance


def set_up(state, options, seed):
    """Begins a game."""
    seed_chance(state, seed)
    state.winner = GOING_ON


def apply(state, action):
    """Takes a step, or as many as a die shows, which may be none."""
    seat = int(state.seat)
    state.steps[seat] += 1 if action == STEP else draw(state, sides)
    if state.steps[seat] >= GOAL:
        state.winner = seat
    state.seat = 1 - seat
    state.turn += 1


def run(state, mask):
    """Both actions are always legal."""
    for action in range(mask.size):
        mask[action] = state.winner == GOING_ON


def encode(state, seat, observation):
    """The own steps first."""
    observation[0] = 1
    observation[1] = state.steps[seat]
    observation[2] = state.steps[1 - seat]


def resample(state, seat, seed):
    """Only chance is hidden."""
    seed_chance(state, seed)


def team(state):
    """Each seat is a team."""
    return int(state.seat)


@functools.cache
def walk(die: int) -> GameKind:
    """The game with a die of so many sides, from 0; the kernels of all have the same names.

    Its words, ends and rulesets are those of the Duel, which nothing here reads.
    """
    root = Path(__file__).parents[1]
    sources = (*(f"wotr_env/{each}" for each in SOURCES), f"tests/{Path(__file__).name}")
    kernels = KernelSet(root, sources, name=f"a walk by a die of {die} sides")
    drawn = specialize(chance.OF_STATES[:2], {})
    rules = specialize((set_up, apply, run, encode, resample, team), {**drawn, "sides": die})
    for function in (chance.mix, chance.stream_word, *drawn.values(), *rules.values()):
        kernels.kernel(function)
    batch = {name: function for name, function in rules.items() if name != "team"}
    names = ("step", "roll")
    return dataclasses.replace(
        DUEL_FOR_MIDDLE_EARTH,
        name=f"walk-{die}",
        title=f"Walk by {die}",
        state=STATE,
        actions=ActionSpace(names, {name: range(at, at + 1) for at, name in enumerate(names)}),
        layout=Layout(LAYOUT, range(1)),
        kernels=BatchKernels(
            kernels, FIELDS, len(names), 3, 5, "a walk", lambda _state: iter(()), {}, **batch
        ),
        compiled=Compiled(
            kernels,
            rules["apply"],
            rules["run"],
            drawn["seed_chance"],
            rules["team"],
            rules["encode"],
            2,
        ),
    )
