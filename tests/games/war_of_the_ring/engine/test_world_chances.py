"""Worlds are drawn fairly: all that fit what a seat has seen are equally likely (R7.9.2, section 18)."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.battles import Battle, shadow_attacks
from tests.hidden_cards import DECK, SIDE, in_hand, is_hidden, middle_of_a_game
from tests.positions import attack, card, play
from tests.random_play import positions
from wotr_env import STATE, Game, sample_world
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS, NUM_CARDS
from wotr_env.games.war_of_the_ring.state import NUM_DECKS

FAR = 5.0
"""Standard deviations from what is expected that no count may reach."""


def draw(state: np.record, seat: int, count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([sample_world(state, seat, rng) for _ in range(count)], dtype=STATE)


def check_shares(hits: np.ndarray, shares: np.ndarray | float) -> None:
    """How often each of some things happened in N draws, ``bool[N, K]``, against its probability."""
    draws = len(hits)
    shares = np.broadcast_to(shares, hits.shape[1])
    deviation = np.sqrt(np.maximum(shares * (1 - shares) * draws, 1e-9))
    far = np.abs(hits.sum(axis=0) - shares * draws) / deviation
    assert (far < FAR).all(), f"{int(far.argmax())}: {hits.sum(axis=0)} of {draws}, expected {shares * draws}"


@pytest.mark.parametrize("seat", (0, 1))
def test_each_hidden_card_is_equally_often_in_each_place(seat):
    state = middle_of_a_game().state
    if seat == 0:
        state = next(s for s in positions("first") if s["seat"] == 0 and s["deck_size"].min() >= 4)
    drawn = draw(state, seat, 4000)["card_zone"]
    zones = state["card_zone"]
    for deck in range(NUM_DECKS):
        hidden = np.flatnonzero(is_hidden(zones, seat) & (DECK == deck))
        for zone in np.unique(zones[hidden]):
            share = (zones[hidden] == zone).mean()
            check_shares(drawn[:, hidden] == zone, share)


def test_hidden_cards_are_drawn_independently():
    """Pairs of cards of one deck: both held in h(h - 1) of n(n - 1) worlds; of two decks in h/n times h/n."""
    state = middle_of_a_game().state
    zones = state["card_zone"]
    drawn = draw(state, 1, 4000, seed=2)["card_zone"] == CardZone.HAND
    cards, held = [], []
    for deck in range(2):
        hidden = np.flatnonzero(is_hidden(zones, 1) & (DECK == deck))
        cards.append(hidden)
        held.append(int((zones[hidden] == CardZone.HAND).sum()))
    for hidden, count in zip(cards, held, strict=True):
        size = len(hidden)
        pairs = drawn[:, hidden[:-1]] & drawn[:, hidden[1:]]
        check_shares(pairs, count * (count - 1) / (size * (size - 1)))
    length = min(map(len, cards))
    both = drawn[:, cards[0][:length]] & drawn[:, cards[1][:length]]
    check_shares(both, held[0] * held[1] / (len(cards[0]) * len(cards[1])))


def test_the_future_is_drawn_anew():
    drawn = draw(middle_of_a_game().state, 1, 50)
    assert len({key.tobytes() for key in drawn["key"]}) == 50


# --- A Combat card that lies face down (R7.9.2). ---

SHADOW_HAND = ("sh-char-01", "sh-char-06", "sh-char-07", "sh-strat-01")
SEEN = ("sh-strat-02", "sh-strat-10", "sh-strat-13", "sh-strat-14", "sh-strat-15", "sh-char-24")
THROWN = ("sh-char-02", "sh-strat-16")


def committed_battle(visible: bool, commits: str) -> Game:
    """The Shadow attacks and has committed a card; some of its cards are seen, some thrown away."""
    battle = shadow_battle(*SHADOW_HAND, "fp-strat-01", combat_card_back_visible=visible)
    battle._from_decks(CardZone.DISCARD, SEEN)
    battle._from_decks(CardZone.FACE_DOWN + Side.SHADOW, THROWN)
    game = attack(battle.game(), *battle.route)
    play(game, f"card:{commits}")
    assert game.decision == Decision.COMBAT_CARD and game.seat == Side.FREE_PEOPLES
    return game


def shadow_battle(*cards: str, **options: object) -> Battle:
    return shadow_attacks({"sauron": 2, "isengard": 1, "nazgul": 2}, {"gondor": 2}, *cards, **options)


@functools.cache
def playable() -> np.ndarray:
    """The Shadow's cards that it could commit in that battle, one asked at a time: ``bool[96]``."""
    offered = [shadow_battle(name).offers(name) for name in CARD_IDS[48:]]
    return np.array([False] * 48 + offered)


def commit_choices() -> list[str]:
    return [name for name in SHADOW_HAND if playable()[card(name)]]


def test_the_hand_of_the_battle_has_cards_of_both_backs_to_commit():
    backs = {DECK[card(name)] for name in commit_choices()}
    assert backs == {2, 3}
    assert 0 < playable()[48:72].sum() < 24 and 0 < playable()[72:].sum() < 24


@pytest.mark.parametrize("visible", (False, True))
@pytest.mark.parametrize("back", ("char", "strat"))
def test_a_committed_card_is_any_that_could_be_committed(visible, back):
    """Each pair of a hand and a card of it that may be committed is equally likely.

    A card of a deck of which n are hidden and h were held, the committed one among them, is held in h/n of
    all hands. The back of the committed card is known by option only.
    """
    commits = next(name for name in commit_choices() if f"sh-{back}" in name)
    game = committed_battle(visible, commits)
    zones = in_hand(game.state["card_zone"])
    hidden = is_hidden(zones, 0) & (SIDE == Side.SHADOW)
    sizes = np.bincount(DECK[hidden], minlength=4)
    held = np.bincount(DECK[hidden & (zones == CardZone.HAND + Side.SHADOW)], minlength=4)
    assert held.tolist() == [0, 0, 3, 1] and sizes[2] != sizes[3]
    weights = np.zeros(NUM_CARDS)
    possible = hidden & playable()
    if visible:
        possible &= DECK[card(commits)] == DECK
    weights[possible] = (held / np.maximum(sizes, 1))[DECK[possible]]
    weights /= weights.sum()
    drawn = draw(game.state, 0, 6000)
    chosen = drawn["combat_card"][:, Side.SHADOW]
    assert set(np.unique(chosen)) == set(np.flatnonzero(weights))
    check_shares(chosen[:, None] == np.arange(NUM_CARDS), weights)
    check_shares(DECK[chosen][:, None] == np.arange(4), np.bincount(DECK, weights))

    held_cards = drawn["card_zone"] == CardZone.HAND + Side.SHADOW
    still_held = np.zeros(
        (NUM_CARDS, NUM_CARDS)
    )  # of the card in the row, if that of the column is committed
    for committed in np.flatnonzero(weights):
        left, of = held.copy(), sizes.copy()
        left[DECK[committed]] -= 1
        of[DECK[committed]] -= 1
        still_held[hidden, committed] = (left / np.maximum(of, 1))[DECK[hidden]]
        still_held[committed, committed] = 0
    check_shares(held_cards, still_held @ weights)


@pytest.mark.parametrize("visible", (False, True))
def test_every_world_of_a_committed_card_looks_the_same_and_can_be_fought(visible):
    game = committed_battle(visible, commit_choices()[0])
    seen, legal = game.observe().tobytes(), game.legal()
    for world in draw(game.state, 0, 100):
        other = Game.from_state(world)
        assert other.observe().tobytes() == seen and other.legal() == legal
        play(other, "verb:decline")
        assert other.state["card_zone"][world["combat_card"][Side.SHADOW]] == CardZone.IN_PLAY or (
            other.decision != Decision.COMBAT_CARD
        )


def test_the_owner_of_a_committed_card_knows_it():
    game = committed_battle(False, commit_choices()[0])
    for world in draw(game.state, Side.SHADOW, 50):
        np.testing.assert_array_equal(world["combat_card"], game.state["combat_card"])
        own = SIDE == Side.SHADOW
        kept = own & (game.state["card_zone"] >= CardZone.HAND)
        np.testing.assert_array_equal(world["card_zone"][kept], game.state["card_zone"][kept])
