"""What the other side may hold: exact odds of hands, worlds drawn by them, and nothing that leaks."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
import safetensors.numpy

from tests.beliefs import random_belief, random_weights, write_belief
from tests.games.war_of_the_ring.engine.test_worlds import shuffled
from tests.hidden_cards import in_hand, middle_of_a_game
from tests.networks import write_network
from tests.random_play import positions, positions_of_partners, refreshed
from wotr_agents import BotError, make_bot
from wotr_agents.belief.hands import (
    LIMIT,
    draw_hands,
    effective_shares,
    log_likelihoods,
    polynomials,
)
from wotr_agents.belief.model import (
    FILE,
    Belief,
    belief_bytes,
    files_of_belief,
    find_belief,
    load_belief,
    open_belief,
)
from wotr_agents.belief.worlds import draw_worlds
from wotr_agents.games.war_of_the_ring.hands import deal_hands, hidden_cards
from wotr_agents.identity import identity
from wotr_env import STATE
from wotr_env.games.war_of_the_ring.codes import CardZone, Winner
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.observation import as_dict, observe
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_env.play.bots import BotView, view_of

# --- Hands. ---


def hands_of(odds: np.ndarray, size: int) -> dict[tuple[int, ...], float]:
    """Every hand with its probability, one by one."""
    products = {
        hand: math.prod(float(odds[card]) for card in hand)
        for hand in itertools.combinations(np.flatnonzero(odds).tolist(), size)
    }
    total = sum(products.values())
    return {hand: product / total for hand, product in products.items()}


@pytest.mark.parametrize("size", range(6))
def test_the_probability_of_a_hand_is_its_product_among_those_of_all_hands(size):
    odds = np.array([0.5, 0.0, 3.0, 1.0, 0.01, 20.0, 0.0])
    exact = hands_of(odds, size)
    assert polynomials(odds[None], 6)[0, 0, size] == pytest.approx(
        sum(math.prod(odds[list(hand)]) for hand in exact)
    )
    for hand, probability in exact.items():
        held = np.isin(np.arange(odds.size), hand)
        assert math.exp(log_likelihoods(odds[None], held[None])[0]) == pytest.approx(probability)


@pytest.mark.parametrize("size", (0, 1, 3, 5))
def test_hands_are_drawn_by_their_probabilities(size):
    odds = np.array([0.5, 0.0, 3.0, 1.0, 0.2, 6.0, 0.0])
    draws, rng = 40_000, np.random.default_rng(1)
    drawn = draw_hands(np.tile(odds, (draws, 1)), np.full(draws, size), rng.random((draws, odds.size)))
    assert (drawn.sum(axis=1) == size).all()
    codes = drawn @ (1 << np.arange(odds.size))
    for hand, probability in hands_of(odds, size).items():
        share = (codes == sum(1 << card for card in hand)).mean()
        assert abs(share - probability) < 4.5 * math.sqrt(probability * (1 - probability) / draws) + 1e-12


def test_the_most_extreme_odds_stay_within_range():
    odds = np.exp(LIMIT * np.array([[1.0, -1.0] * 12, [1.0] * 24, [-1.0] * 24]))
    for size in range(CARDS_PER_DECK + 1):
        sizes = np.full(3, size)
        drawn = draw_hands(odds, sizes, np.full(odds.shape, 1 - 1e-16))
        assert (drawn.sum(axis=1) == size).all()
        assert np.isfinite(log_likelihoods(odds, drawn)).all()
        shares = effective_shares(odds, sizes)
        assert ((shares > 0) & (shares <= 1 + 1e-9)).all()
        assert shares[1:] == pytest.approx(1)


def test_effective_shares_are_those_of_weights():
    odds, size = np.array([0.5, 3.0, 1.0, 0.0, 4.0]), 2
    weights = np.array([math.prod(odds[list(hand)]) for hand in hands_of(odds, size)])
    expected = weights.sum() ** 2 / (weights.size * (weights**2).sum())
    assert effective_shares(odds[None], np.array([size]))[0] == pytest.approx(expected)


# --- What is believed. ---


def going_on(name: str, step: int = 1) -> tuple[np.ndarray, np.ndarray]:
    states, masks = refreshed(positions(name)[::step])
    running = states["winner"] == Winner.NONE
    return states[running].copy(), masks[running].copy()


def test_a_belief_reads_the_observation_and_every_game_by_itself(tmp_path):
    belief, weights = random_belief(tmp_path), random_weights()
    states, _ = going_on("first", 7)
    observations = observe(states, states["seat"].astype(np.int64))
    found = belief.log_odds(observations)
    assert (np.abs(found) <= LIMIT).all() and np.median(found.std(axis=0)) > 0.1
    np.testing.assert_array_equal(belief.log_odds(observations[4:5]), found[4:5])
    sums = observations.astype(np.float64) @ weights.first.astype(np.float64) + weights.first_bias
    sums -= sums.mean(axis=1, keepdims=True)
    layer = sums / np.sqrt((sums**2).mean(axis=1, keepdims=True) + 1e-5) * weights.norm + weights.norm_bias
    layer = np.maximum(np.maximum(layer, 0) @ weights.hidden + weights.hidden_bias, 0)
    logits = layer @ weights.cards + weights.cards_bias
    np.testing.assert_allclose(found, LIMIT * np.tanh(logits / LIMIT), atol=1e-3)


def test_the_cards_that_a_world_hides_are_those_that_the_observation_does_not_show():
    states, _ = going_on("cards")
    seats = states["seat"].astype(np.int64)
    seen = as_dict(observe(states, seats))
    cards = hidden_cards(states["card_zone"], seats)
    unknown = ~sum(seen[name][..., 0] != 0 for name in ("hand", "table", "in_play", "gone")).astype(bool)
    rows = np.arange(len(states))[:, None, None]
    committed = in_hand(states["card_zone"]) != states["card_zone"]
    np.testing.assert_array_equal(cards.hidden, unknown[rows, cards.cards] & ~committed[rows, cards.cards])
    held = cards.held.sum(axis=2)
    backs = seen["hand_size"][rows[:, :, 0], (1 - seats)[:, None], np.arange(2)]
    quiet = ~committed.any(axis=1)
    np.testing.assert_array_equal(held[quiet], backs[quiet])
    assert (held > 0).any() and quiet.mean() > 0.5


# --- Worlds. ---


def believed(
    states: np.ndarray, masks: np.ndarray, k: int, belief: Belief | None, seed: int = 3
) -> np.ndarray:
    return draw_worlds(view_of(states, masks), k, np.random.default_rng(seed), belief)


@pytest.mark.parametrize("name", ("first", "cards", "osgiliath"))
def test_worlds_by_belief_are_worlds_of_the_seat(name, tmp_path):
    states, masks = going_on(name, 3)
    belief = random_belief(tmp_path)
    drawn, evenly = believed(states, masks, 2, belief), believed(states, masks, 2, None)
    seats = np.repeat(states["seat"].astype(np.int64), 2)
    flat = drawn.reshape(-1)
    np.testing.assert_array_equal(observe(flat, seats), np.repeat(observe(states, seats[::2]), 2, axis=0))
    assert (drawn["card_zone"] != evenly["card_zone"]).any(axis=2).mean() > 0.5
    for field in set(STATE.names) - {"card_zone"}:
        np.testing.assert_array_equal(drawn[field], evenly[field], field)
    again, legal = refreshed(flat)
    check_batch(again, legal)
    np.testing.assert_array_equal(legal, np.repeat(masks, 2, axis=0))
    for zone in range(64):  # as many cards of each deck in each place
        counts = [
            (array["card_zone"].reshape(-1, 4, CARDS_PER_DECK) == zone).sum(axis=2)
            for array in (drawn, evenly)
        ]
        np.testing.assert_array_equal(*counts)


@pytest.mark.parametrize("name", ("first", "cards"))
def test_worlds_by_belief_depend_on_nothing_hidden(name, tmp_path):
    rng = np.random.default_rng(8)
    states, masks = going_on(name, 3)
    others = np.array([shuffled(state, int(state["seat"]), rng) for state in states], dtype=STATE)
    assert (others["card_zone"] != states["card_zone"]).any()
    belief = random_belief(tmp_path)
    assert believed(states, masks, 3, belief).tobytes() == believed(others, masks, 3, belief).tobytes()


def test_worlds_that_may_not_be_written_to_are_copied(tmp_path):
    states, masks = going_on("first", 20)
    view, belief = view_of(states, masks), random_belief(tmp_path)
    given = view.worlds(3, np.random.default_rng(3))
    given.setflags(write=False)
    before = given.tobytes()
    as_bytes = BotView(masks, view.seats, view.observations, lambda _k, _seeds: given)
    drawn = draw_worlds(as_bytes, 3, np.random.default_rng(3), belief)
    assert drawn.tobytes() == believed(states, masks, 3, belief).tobytes()
    assert given.tobytes() == before != drawn.tobytes()


def test_no_belief_changes_no_byte_and_no_random_number():
    states, masks = going_on("first", 9)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    drawn = draw_worlds(view_of(states, masks), 4, one, None)
    assert drawn.tobytes() == view_of(states, masks).worlds(4, other).tobytes()
    assert one.random() == other.random()


def test_cards_are_held_as_often_as_the_odds_say_and_the_rest_lies_evenly():
    """With odds so that a hand can be computed: every card as its share of all hands; decks in any order."""
    state = middle_of_a_game().state
    draws, rng = 20_000, np.random.default_rng(2)
    states = np.tile(np.asarray(state, dtype=STATE).reshape(1), 1)
    masks = np.ones((1, 322), dtype=np.bool_)
    worlds = view_of(states, masks).worlds(draws, rng).reshape(-1)
    seats = np.full(draws, int(state["seat"]))
    log_odds = rng.normal(size=NUM_CARDS) * 1.5
    zones = deal_hands(worlds["card_zone"], seats, np.tile(log_odds, (draws, 1)), rng.random((draws, 48)))
    cards, hidden, held = (each[0] for each in hidden_cards(state["card_zone"][None], seats[:1]))
    for deck in range(2):
        odds = np.where(hidden[deck], np.exp(log_odds[cards[deck]]), 0.0)
        exact = np.zeros(CARDS_PER_DECK)
        for hand, probability in hands_of(odds, int(held[deck].sum())).items():
            exact[list(hand)] += probability
        shares = (zones[:, cards[deck]] == CardZone.HAND + 1 - seats[0]).mean(axis=0)
        errors = 5 * np.sqrt(exact * (1 - exact) / draws) + 1e-12
        assert (np.abs(shares - exact) < errors).all()
        assert np.abs(exact - held[deck].sum() / hidden[deck].sum())[hidden[deck]].max() > 0.1
        # A card that is not held is as likely in each place of the deck.
        top = int(state["deck_size"][cards[deck, 0] // CARDS_PER_DECK]) - 1
        places = zones[:, cards[deck][hidden[deck]]]
        outside = (places < CardZone.HAND) | (places >= CardZone.FACE_DOWN)
        on_top = (places == top).sum(axis=0) / outside.sum(axis=0)
        even = 1 / (hidden[deck].sum() - held[deck].sum())
        assert (np.abs(on_top - even) < 5 * np.sqrt(even / outside.sum(axis=0))).all()


def test_a_committed_card_stays_as_the_world_has_it(tmp_path):
    states, masks = going_on("cards")
    others = 1 - states["seat"].astype(np.int64)
    facing = (states["card_zone"] == (CardZone.COMMITTED + others)[:, None]).any(axis=1)
    assert facing.sum() >= 3
    states, masks = states[facing].copy(), masks[facing].copy()
    drawn, evenly = (believed(states, masks, 4, belief) for belief in (random_belief(tmp_path), None))
    for array in (drawn, evenly):
        committed = array["card_zone"] == (CardZone.COMMITTED + others[facing])[:, None, None]
        assert (committed.sum(axis=2) == 1).all()
    np.testing.assert_array_equal(drawn["combat_card"], evenly["combat_card"])


def test_partners_have_worlds_that_are_even(tmp_path):
    states, masks = refreshed(positions_of_partners(4))
    assert (states["options"][:, Option.PLAYERS] == 4).all()
    drawn = believed(states, masks, 2, random_belief(tmp_path))
    assert drawn.tobytes() == believed(states, masks, 2, None).tobytes()


# --- Files and bots. ---


def test_a_belief_is_read_as_it_was_written(tmp_path):
    path = write_belief(tmp_path, seed=4)
    belief = load_belief(path)
    assert belief.facts == {"seed": 4}
    for name, array in vars(belief.weights).items():
        np.testing.assert_array_equal(array, getattr(random_weights(4), name))
    assert belief_bytes(belief) == path.read_bytes()


def test_how_a_belief_is_named(tmp_path):
    path = write_belief(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FILE).write_bytes(path.read_bytes())
    assert find_belief(str(path)) == find_belief(str(path.with_suffix(""))) == path
    assert find_belief(str(tmp_path / "run")) == tmp_path / "run" / FILE
    assert files_of_belief("") == [] and open_belief("") is None
    with pytest.raises(BotError, match="is for war-of-the-ring, not for duel"):
        open_belief(str(path), "duel")
    with pytest.raises(BotError, match="there is no belief"):
        find_belief(str(tmp_path / "nothing"))
    with pytest.raises(BotError, match="the zoo has no belief 'zoo/nobody'; known: "):
        find_belief("zoo/nobody")


def test_what_is_no_belief_is_refused_in_one_line(tmp_path):
    good = write_belief(tmp_path).read_bytes()
    with safetensors.safe_open(write_belief(tmp_path), framework="numpy") as file:
        header = json.loads(file.metadata()["belief"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    broken = tmp_path / "broken.safetensors"

    def written(tensors: dict[str, np.ndarray], header: object) -> bytes:
        return safetensors.numpy.save(tensors, {"belief": json.dumps(header)})

    def refused(data: bytes, words: str) -> None:
        broken.write_bytes(data)
        with pytest.raises(BotError, match=words) as error:
            load_belief(broken)
        assert "\n" not in str(error.value)

    refused(good[:200], "cannot be read as a belief")
    refused(b"", "cannot be read as a belief")
    for changes, words in (
        ({"format": "wotr-network-2"}, "not a belief of this version"),
        ({"rules_version": "0"}, "trained with rules version 0"),
        ({"game": "duel"}, "trained with rules version"),
        ({"game": "chess"}, "cannot be read as a belief: unknown game 'chess'"),
        ({"layout": "x"}, "trained with layout x"),
        ({"facts": []}, "facts are not an object"),
    ):
        refused(written(tensors, header | changes), words)
    for name, array in (
        ("cards", tensors["cards"][:, :-1]),
        ("first", tensors["first"][:-1]),
        ("norm", np.full_like(tensors["norm"], np.nan)),
        ("hidden", tensors["hidden"][0]),
    ):
        refused(written(tensors | {name: np.ascontiguousarray(array)}, header), "cannot be read as a belief")
    refused(written(tensors, []), "cannot be read as a belief")
    refused(safetensors.numpy.save(tensors, {"belief": "{"}), "cannot be read as a belief")
    del tensors["cards"]
    refused(written(tensors, header), "cannot be read as a belief")
    network = write_network(tmp_path)
    with pytest.raises(BotError, match="not a belief of this version"):
        load_belief(network)


@pytest.mark.parametrize(
    "spec",
    (
        "mcts:sims=30,worlds=4,depth=20",
        "search:{net},sims=20",
        "playouts:{net},playouts=4,turns=1,every=true",
    ),
)
def test_bots_think_in_worlds_by_belief(spec, tmp_path):
    """A belief changes what they think, the same one not; and it is part of what a bot is."""
    spec = spec.format(net=write_network(tmp_path))
    states, masks = going_on("first", 8)
    view = view_of(states, masks)
    with_it, same, other = (
        make_bot(f"{spec},belief={write_belief(tmp_path, seed)}", 3).explain(view) for seed in (0, 0, 1)
    )
    assert with_it == same != other and with_it != make_bot(spec, 3).explain(view)
    named = [identity(f"{spec},belief={write_belief(tmp_path, seed)}") for seed in (0, 1)]
    assert named[0] != named[1] and named[0].startswith(identity(spec))
    with pytest.raises(BotError, match="there is no belief"):
        make_bot(f"{spec},belief={tmp_path / 'nothing'}", 3)
    with pytest.raises(BotError, match="there is no belief"):
        identity(f"{spec},belief={tmp_path / 'nothing'}")
