"""The odds that people see, against battles that the engine plays: none may be off by more than chance.

``WOTR_BATTLES=20000 python -m pytest tests/analysis/test_odds_simulated.py`` looks closely, for some minutes.
"""

from __future__ import annotations

import functools
import os
from collections import Counter

import numpy as np
import pytest

from tests.battles import Battle
from tests.positions import play, region
from tests.random_play import PLAIN_STATE
from wotr_env import STATE, Game
from wotr_env.core.codes import PUBLIC
from wotr_env.core.states import copy_states
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Figure, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import NATION_SIDE
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.rules.armies import CasualtyFrame
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_characters, leadership
from wotr_env.games.war_of_the_ring.rules.characters import captains, servants
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_experiments.games.war_of_the_ring.battles import Force, _losses, assault_action, prolonged_assault
from wotr_experiments.games.war_of_the_ring.odds import odds_of, odds_under_way

POSITIONS = 60
"""Of each kind of battle."""
BATTLES = int(os.environ.get("WOTR_BATTLES", "42"))
"""That are played in each position."""
PLACES = {
    "field": ("dagorlad", "north-ithilien"),
    "fortification": ("south-ithilien", "osgiliath"),
    "assault": ("minas-tirith", "minas-tirith"),
    "siege": ("minas-tirith", "minas-tirith"),
    "sortie": ("minas-tirith", "minas-tirith"),
}
"""By kind of battle: from where, and where."""
GO_ON = {
    Decision.ATTACK_FIGURES: Verb.WHOLE_ARMY,
    Decision.WHITE_RIDER: Verb.DECLINE,
    Decision.COMBAT_CARD: Verb.DECLINE,
    Decision.CEASE: Verb.CONTINUE,
    Decision.RETREAT: Verb.STAY,
}
"""What both sides answer, so that the battle is fought to its end."""
LOOKED_AT = ("decision", "party_regular", "party_elite", "hits")
"""What the choices of a battle depend on, besides the question and the defending army."""
MIXED = np.array(0x9E3779B97F4A7C15, dtype=np.uint64).view(np.int64)
"""Its powers, modulo 2 ** 64, make one number of a row."""
POOLS = ("", "reinforcement_", "casualty_")
NATIONS = [np.flatnonzero(np.array(NATION_SIDE) == side).tolist() for side in Side]
"""Of each side."""
FIGURES = ["units", "location", *(pool + kind for pool in POOLS for kind in ("regular", "elite", "leader"))]
"""Where figures and characters are."""


def begin(kind, rng):
    """A battle of a kind between random armies: the odds shown, and the state before attackers are chosen."""
    attacker = Side.FREE_PEOPLES if kind == "sortie" else Side.SHADOW
    origin, at = PLACES[kind]
    within = origin == at
    fp = army(rng, 5 if within else 8, gondor=6, gondor_elite=4, rohan=3, rohan_elite=2, gondor_leader=3)
    shadow = {"sauron": 7, "sauron_elite": 3, "isengard": 3, "isengard_elite": 3, "southrons": 3, "nazgul": 4}
    sh = army(rng, 10, **shadow)
    position = Battle(attacker, fp, sh, origin=origin, at=at)
    if within:
        position.control(at, Side.FREE_PEOPLES)
    for name in rng.permutation(["boromir", "gimli", "gandalf-white"])[: rng.integers(3)]:
        position.place(str(name), origin if attacker == Side.FREE_PEOPLES else at)
    if rng.random() < 0.5:
        position.place("saruman", "orthanc")
    if rng.random() < 0.3:
        position.place("witch-king", origin if attacker == Side.SHADOW else at)
    game = position.game()
    side = ("free_peoples", "shadow")[attacker]
    odds = odds_of(picture(game.state, PUBLIC), side, origin, at, None)
    die, *regions = position.route
    play(game, f"face:{die}", "plan:attack", *(f"region:{region}" for region in regions))
    assert game.decision == Decision.ATTACK_FIGURES
    return odds, game.state


def army(rng, most, **figures):
    """A random part of some figures, with 1 to so many units."""
    names = [name for name, count in figures.items() for _ in range(count)]
    others = [name for name in names if name.endswith(("leader", "nazgul"))]
    units = [name for name in names if name not in others]
    chosen = [*rng.choice(units, rng.integers(1, most + 1), replace=False)]
    chosen += [*rng.choice(others, rng.integers(len(others)), replace=False)]
    return dict(Counter(map(str, chosen)))


def force_of(state, side):
    """What a side has in the battle, by the engine."""
    if side == state["battle_attacker"]:
        regular, elite = state["party_regular"].tolist(), state["party_elite"].tolist()
    else:
        regular, elite = (state[kind][state["battle_target"]].tolist() for kind in ("regular", "elite"))
    leaders, there, leads = leaders_of(state, side)
    own = NATIONS[side]
    leading = sum(elite[nation] for nation in own if leads[nation])
    elites = sum(elite[nation] for nation in own) - leading
    return Force(sum(regular[nation] for nation in own), elites, leading, leaders, there)


_LEADERS = {}
"""By side, of the battle that is being fought."""


def leaders_of(state, side):
    """Of a side in the battle: Leadership without Elites, Captains, and which nations' Elites lead too."""
    if side not in _LEADERS:
        state = np.frombuffer(state.tobytes(), dtype=STATE)[0]
        bare = state.copy()
        bare["elite"], bare["party_elite"] = 0, 0
        bits = servants(state) if side == Side.SHADOW else 0
        leads = [bool(bits >> nation & 1) for nation in Nation]
        there = captains(fighting_characters(state, side))
        _LEADERS[side] = int(leadership(bare, side)), int(there), leads
    return _LEADERS[side]


def options(state, mask, side):
    """The losses of one hit that can be chosen, as forces, with their actions."""
    force, (_, _, leading) = force_of(state, side), leaders_of(state, side)
    found = {}
    for nation in Nation:
        if mask[figure_action(nation, Figure.REGULAR)]:
            found[force.less_regular()] = figure_action(nation, Figure.REGULAR)
        if mask[Block.NATION + nation]:
            found[force.less_leading() if leading[nation] else force.less_elite()] = Block.NATION + nation
    return found


@functools.cache
def worth(force, hits, defender, scored):
    """Of an assault: the chance that this action destroys the garrison, before these losses of both."""
    for _ in range(scored):
        defender = defender.after_hit() if defender.units else defender
    if not defender.units:
        return 1.0
    return max(prolonged_assault(left, defender) for left in _losses(force, hits))


def choose(kind, state, mask):
    """What is best for whom the rules ask; -1 after the battle."""
    decision, attacker = int(state["decision"]), int(state["battle_attacker"])
    if decision in GO_ON:
        return Block.VERB + GO_ON[decision]
    if decision == Decision.CASUALTY:
        slots = state["stack"][state["depth"] - 1]
        side = int(slots[CasualtyFrame.SIDE])
        can = options(state, mask, side)
        best = force_of(state, side).after_hit()
        if kind == "assault" and side == attacker:
            defender, left = force_of(state, 1 - side), int(slots[CasualtyFrame.HITS]) - 1
            best = max(can, key=lambda force: worth(force, left, defender, int(state["hits"][side])))
        return can[best]
    if decision == Decision.PROLONG_ASSAULT:
        if kind == "siege":
            return Block.VERB + Verb.CEASE
        can, defender = options(state, mask, attacker), force_of(state, 1 - attacker)
        return (
            can[max(can, key=lambda force: assault_action(force, defender))]
            if can
            else Block.VERB + Verb.CEASE
        )
    return -1


def fought(kind, state, number, rng):
    """The part of so many battles that the attacker wins, each with dice of its own."""
    _LEADERS.clear()
    attacker, places = int(state["seat"]), [region(place) for place in PLACES[kind]]
    states = begun(state, number, rng)
    masks = WAR_OF_THE_RING.masks(states)
    won, choices = 0, {}
    while len(states):
        top = states["stack"][np.arange(len(states)), states["depth"] - 1]
        told = [top, *(states[name] for name in LOOKED_AT)]
        told += [states[name][:, places[1]] for name in ("regular", "elite")]
        told = np.hstack([each.reshape(len(states), -1).astype(np.int64) for each in told])
        digests = told @ (MIXED ** np.arange(1, told.shape[1] + 1))
        rows = states.view(PLAIN_STATE)
        for each, digest in enumerate(digests.tolist()):
            if digest not in choices:
                choices[digest] = choose(kind, rows[each], masks[each])
        chosen = np.array([choices[digest] for digest in digests.tolist()])
        ended = copy_states(states, np.flatnonzero(chosen < 0))
        destroyed = ended["units"][:, places[1], 1 - attacker] == 0
        alive = ended["units"][:, places][:, :, attacker].sum(axis=1) > 0
        won += int((destroyed & (alive | (kind in ("assault", "siege")))).sum())
        going_on = np.flatnonzero(chosen >= 0)
        states, masks, chosen = copy_states(states, going_on), masks[going_on], chosen[going_on]
        WAR_OF_THE_RING.kernels.step(states, masks, chosen.astype(np.int64))
        if kind == "siege" and (again := ended[~destroyed & alive]).size:  # with another action
            more = begun(state, len(again), rng)
            for name in FIGURES:
                more[name] = again[name]
            states, masks = np.concatenate([states, more]), np.pad(masks, ((0, len(more)), (0, 0)))
            WAR_OF_THE_RING.kernels.refresh(states, masks)
    return won / number


def begun(state, number, rng):
    """Copies of a state with dice of their own."""
    states = np.repeat(np.array([state]), number)
    states["key"] = rng.integers(2**32, size=(number, 2), dtype=np.uint32)
    return states


def assert_true(pairs):
    """Chances shown, with the parts of battles that were won, differ by no more than chance."""
    shown, seen = np.array(pairs).T
    spread = np.sqrt(np.maximum(shown * (1 - shown), 0.05) / BATTLES)
    off = (seen - shown) / spread
    assert np.abs(off).max() < 5, pairs[int(np.abs(off).argmax())]
    assert abs(off.sum()) < 4 * np.sqrt(len(off)), "off in one direction"
    assert (off**2).sum() < len(off) + 4 * np.sqrt(2 * len(off)), "off by more than chance"


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLACES)
def test_r7_9_odds_of_an_attack_are_what_the_engine_plays(kind):
    rng = np.random.default_rng(sorted(PLACES).index(kind))
    pairs = []
    for _ in range(POSITIONS):
        odds, state = begin(kind, rng)
        pairs.append((odds["siege" if kind == "siege" else "win"], fought(kind, state, BATTLES, rng)))
    assert_true(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ("fortification", "assault"))
def test_r7_9_odds_of_a_battle_under_way_are_what_the_engine_plays(kind):
    rng = np.random.default_rng(len(kind))
    pairs = []
    while len(pairs) < POSITIONS:
        game = Game.from_state(begun(begin(kind, rng)[1], 1, rng)[0])
        while (action := choose(kind, game.state, game.mask())) >= 0:
            if game.decision in (Decision.CEASE, Decision.PROLONG_ASSAULT):
                odds = odds_under_way(picture(game.state, PUBLIC), fought=True)
                pairs.append((odds["win"], fought(kind, game.state, BATTLES, rng)))
                break
            game.step(action)
    assert_true(pairs)
