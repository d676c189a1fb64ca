"""Positions of random games, for tests of what must hold in every position."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Iterator

import numpy as np

from tests.tools.policies import POLICIES
from wotr_env import STATE, Game, Ruleset
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.events import Trace
from wotr_env.games.war_of_the_ring.state import NUM_SEATS

PLAIN_STATE = np.dtype([(name, STATE[name]) for name in STATE.names])
"""``STATE`` without attribute access; its fields are read faster."""


@dataclasses.dataclass(frozen=True)
class Play:
    """How games are played: the rules, and a policy of ``tests.tools.policies`` for both sides."""

    policy: str
    ruleset: Ruleset


PLAYS = {
    "first": Play("uniform", Ruleset.first_edition(max_turns=60)),
    "second": Play("uniform", Ruleset.second_edition(max_turns=60)),
    "options": Play(
        "suicidal",
        Ruleset(
            die_bonus_timing="at_once",
            companion_activation="any_region_entered",
            leaders_bound=False,
            overstack_voluntary="disband",
            stacking_check="end_of_action",
            combat_card_back_visible=True,
            ask_single=True,
            fp_military="strongholds_only",
            hand_limit=4,
            character_die_leader="in_army",
        ),
    ),
    "cards": Play("cards", Ruleset.first_edition(max_turns=40, ask_single=True)),
    "cards_second": Play("cards", Ruleset.second_edition(max_turns=40)),
    "companions": Play("cards_companions", Ruleset.first_edition(max_turns=40)),
    "sieges": Play("cards_sieges", Ruleset.first_edition(max_turns=40)),
    "rivendell": Play("cards_rivendell", Ruleset.second_edition(max_turns=40, ask_single=True)),
    "osgiliath": Play("cards_osgiliath", Ruleset.first_edition(max_turns=40)),
    "fellowship": Play("fellowship", Ruleset.first_edition()),
    "fellowship_second": Play("fellowship", Ruleset.second_edition()),
}
"""Plays that lead to different positions; together they bring about every kind of decision."""


PARTNERS = {
    "three": Play("cards", Ruleset.first_edition(players=3, max_turns=12, ask_single=True)),
    "four": Play("cards", Ruleset.second_edition(players=4, max_turns=12)),
    "four_sieges": Play("cards_sieges", Ruleset.first_edition(players=4, max_turns=12)),
}
"""Plays of three and four."""


@functools.cache
def positions(name: str, games: int = 16, steps: int = 4000, quota: int = 12) -> np.ndarray:
    """Positions of random games: ``STATE[K]``, for all tests: to be left unchanged.

    Args:
        name: of one of ``PLAYS``.
        games: games that are played side by side, each to its end or for ``steps`` decisions.
        steps: decisions played in each game.
        quota: of each kind of decision, and of those with a Combat card lying face down or a card offered, so
            many positions are kept, besides each 80th of every game and all finished games.
    """
    seeds = np.arange(games) + 1000 * list(PLAYS).index(name)
    return _played(PLAYS[name], seeds, steps, quota)


@functools.cache
def positions_of_partners(players: int) -> np.ndarray:
    """Positions of random games of three or four players: ``STATE[K]``, to be left unchanged."""
    play = Play("cards", Ruleset.second_edition(players=players, max_turns=8))
    return _played(play, np.arange(5) + 1000 * players, 800, 4)


def _played(play: Play, seeds: np.ndarray, steps: int, quota: int) -> np.ndarray:
    kernel.ensure_compiled()
    preferences = POLICIES[play.policy].preferences()
    states = np.zeros(seeds.size, dtype=STATE)
    masks = np.zeros((seeds.size, NUM_ACTIONS), dtype=np.bool_)
    kernel.new_games(states, masks, seeds, play.ruleset.encode(), play.ruleset.max_turns)
    streams = seeds.copy()
    kept: list[np.ndarray] = []
    counts: collections.Counter[tuple[int, bool, bool]] = collections.Counter()
    for step in range(steps):
        zones = states["card_zone"]
        committed = (zones >= CardZone.COMMITTED) & (zones < CardZone.COMMITTED + NUM_SEATS)
        face_down = committed.any(axis=1)
        offered = states["offered"] > 0
        kinds = zip(states["decision"].tolist(), face_down.tolist(), offered.tolist(), strict=True)
        rows = []
        for game, kind in enumerate(kinds):
            counts[kind] += 1
            if counts[kind] <= quota or (step + game) % 80 == 0:
                rows.append(game)
        kept.append(bytes_of(states)[rows])
        kernel.random_steps(states, masks, 1, streams, preferences)
        running = states["winner"] == Winner.NONE
        if not running.all():
            kept.append(bytes_of(states)[~running])
            states, masks, streams = copy_states(states, running), masks[running], streams[running]
        if not running.any():
            break
    return np.concatenate(kept).reshape(-1).view(STATE)


def refreshed(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Copies of states, run to their next decision if none is pending, and their masks."""
    states = copy_states(np.ascontiguousarray(states))
    masks = np.zeros((states.size, NUM_ACTIONS), dtype=np.bool_)
    kernel.refresh(states, masks)
    return states, masks


def traced_game(
    name: str, seed: int, most: int = 500, of: Decision | None = None
) -> Iterator[tuple[Game, Trace]]:
    """A game of ``PLAYS`` or ``PARTNERS`` before each of its first decisions, or before those of a kind, and
    the trace of the step."""
    play = (PLAYS | PARTNERS)[name]
    preferences = POLICIES[play.policy].preferences()
    game, choices = Game(seed, play.ruleset), np.random.default_rng(seed)
    for _ in range(most):
        if game.over:
            return
        legal = np.array(game.legal())
        liking = preferences[game.side][legal]
        action = int(choices.choice(legal[liking == liking.max()]))
        if of in (None, game.decision):
            yield game, game.trace(action)
        game.step(action)


def all_decisions() -> set[Decision]:
    """The kinds of decisions among the positions of all plays."""
    samples = [*map(positions, PLAYS), *map(positions_of_partners, (3, 4))]
    return {Decision(kind) for states in samples for kind in np.unique(states["decision"]).tolist()}
