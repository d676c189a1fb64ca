"""The chances of the Hunt that people see, and published values of Hunt and cards, as the engine plays."""

import os

import numpy as np
import pytest

from tests.battles import shadow_attacks
from tests.positions import Position, attack, play
from wotr_env import Ruleset
from wotr_env.core.codes import PUBLIC
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Face, Plan, Side, Verb
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.picture import picture

POSITIONS = 200
HUNTS = int(os.environ.get("WOTR_HUNTS", "4000"))
"""That are played in each position; more of them look more closely."""
PLACES = ("hollin", "moria", "dimrill-dale", "lorien", "fangorn", "dol-guldur", "minas-morgul", "dagorlad")
RUNS = 20_000
"""Through Mordor."""


def copies(state, number, rng):
    """Copies of a position with chance of their own, and their masks."""
    states = np.repeat(np.array([state]), number)
    states["key"] = rng.integers(2**32, size=(number, 2), dtype=np.uint32)
    masks = WAR_OF_THE_RING.masks(states)
    return states, masks


def step(states, masks, action):
    """The same action in all of them."""
    actions = np.full(len(states), action, dtype=np.int64)
    assert masks[:, action].all()
    WAR_OF_THE_RING.kernels.step(states, masks, actions)


def about_to_move(rng):
    """A random position in which the plan to move the Fellowship can be chosen next."""
    place = str(rng.choice(PLACES))
    ruleset = Ruleset(
        hunt_dice_count=str(rng.choice(["all_dice", "shadow_dice"])),
        hunt_one_fails=bool(rng.integers(2)),
        ask_single=True,
    )
    position = Position(ruleset).fellowship(place, progress=int(rng.integers(5)))
    position.hunt_box(int(rng.integers(5)), int(rng.integers(6))).dice("character", "army")
    taken = place != "lorien" or rng.random() < 0.5
    figures = {"sauron": int(rng.integers(3)) if taken else 0, "nazgul": int(rng.integers(2))}
    if any(figures.values()):
        position.army(place, **figures)
    if rng.random() < 0.2:
        position.place("witch-king", place)
    if place == "lorien" and taken:
        position.control(place, Side.SHADOW)
    return play(position.game(), "face:character")


def test_R10_3_the_chance_of_a_tile_is_what_the_engine_rolls():
    rng = np.random.default_rng(10)
    pairs = []
    for _ in range(POSITIONS):
        game = about_to_move(rng)
        shown = picture(game.state, PUBLIC)["hunt"]["roll"]
        states, masks = copies(game.state, HUNTS, rng)
        step(states, masks, Block.PLAN + Plan.MOVE_FELLOWSHIP)
        pairs.append((shown["chance"], (states["hunt_successes"] > 0).mean()))
    shown, seen = np.array(pairs).T
    certain = np.isin(shown, (0, 1))
    assert (seen == shown)[certain].all()
    shown, seen = shown[~certain], seen[~certain]
    off = (seen - shown) / np.sqrt(shown * (1 - shown) / HUNTS)
    assert len(off) > POSITIONS / 2
    assert np.abs(off).max() < 5
    assert abs(off.sum()) < 4 * np.sqrt(len(off)), "off in one direction"
    assert (off**2).sum() < len(off) + 4 * np.sqrt(2 * len(off)), "off by more than chance"


def test_R10_3_a_published_formula_of_the_first_move_of_a_turn():
    for dice in range(6):
        for name, figures, rerolls in (("hollin", {}, 0), ("hollin", {"sauron": 1, "nazgul": 1}, 2)):
            position = Position().fellowship(name).hunt_box(0, dice).dice("character", "army")
            game = (position.army(name, **figures) if figures else position).game()
            chance = picture(game.state, PUBLIC)["hunt"]["roll"]["chance"]
            assert 1 - chance == pytest.approx((5 / 6) ** (dice + min(rerolls, dice)))


def test_R11_3_a_published_run_through_mordor():
    """A pool of one of each numbered tile and four Eyes, three dice in the Hunt Box, a Companion as Guide:
    10.5 Corruption (set back after each move), 2.8 reveals that cost a die, 7.8 Character dice."""
    rng = np.random.default_rng(11)
    numbered = ("tile-3-1", "tile-2-1", "tile-2-r-1", "tile-1-1", "tile-1-r-1", "tile-0-r-1")
    position = Position(Ruleset(ask_single=True)).fellowship(
        mordor_step=1, companions=["legolas"], guide="legolas", corruption=0
    )
    position.pool(*numbered, *(f"tile-eye-r-{number}" for number in range(1, 5)))
    states, masks = copies(position.hunt_box(0, 3).dice("character", "").game().state, RUNS, rng)
    corruption, reveals, dice = np.zeros((3, RUNS))
    rows = np.arange(RUNS)
    while len(states):
        asked, revealed = states["decision"], states["revealed"] == 1
        begins = asked == Decision.ACTION_DIE
        corruption[rows[begins]] += states["corruption"][begins]
        reveals[rows[begins & revealed]] += 1
        dice[rows[begins]] += 1
        states["corruption"][begins] = 0
        states["hunt_box"][begins] = (0, 3)
        states["dice"][begins, Side.FREE_PEOPLES, Face.CHARACTER] = 2
        answers = {
            Decision.ACTION_DIE: Block.FACE + Face.CHARACTER,
            Decision.ACTION_PLAN: Block.PLAN + np.where(revealed, Plan.HIDE_FELLOWSHIP, Plan.MOVE_FELLOWSHIP),
            Decision.HUNT_DAMAGE: Block.VERB + Verb.TAKE_CORRUPTION,
        }
        actions = np.select([asked == each for each in answers], list(answers.values()), -1)
        WAR_OF_THE_RING.kernels.step(states, masks, actions)
        over = states["winner"] >= 0
        corruption[rows[over]] += states["corruption"][over]
        states, masks, rows = states[~over], masks[~over], rows[~over]
    assert abs(corruption.mean() - 10.5) < 5 * corruption.std() / RUNS**0.5
    assert abs(reveals.mean() - 2.8) < 5 * reveals.std() / RUNS**0.5
    assert abs(dice.mean() - 7.8) < 5 * dice.std() / RUNS**0.5


def test_a_published_value_of_devilry_of_orthanc():
    """Five dice of an assault, all of which can be re-rolled: 25/36 of a hit."""
    rng = np.random.default_rng(19)
    card, minas_tirith = "sh-char-19", {"origin": "minas-tirith", "at": "minas-tirith"}
    position = shadow_attacks({"isengard": 5, "nazgul": 5}, {"gondor_elite": 5}, card, **minas_tirith)
    means, spread = [], 0.0
    game = attack(position.game(), *position.route)
    while game.decision != Decision.COMBAT_CARD:
        play(game, "verb:whole-army")
    for answer in (f"card:{card}", "verb:decline"):
        states, masks = copies(game.state, RUNS, rng)
        step(states, masks, game.action(answer))
        while (states["decision"] == Decision.COMBAT_CARD).all():
            step(states, masks, Block.VERB + Verb.DECLINE)
        hits = states["hits"][:, Side.SHADOW]
        means.append(hits.mean())
        spread += hits.var() / RUNS
    assert abs(means[0] - means[1] - 25 / 36) < 5 * spread**0.5
