"""A recorded game for the tests of the HTML replay, and what is hidden in it."""

from __future__ import annotations

import functools
import random
import re
from typing import Any

from wotr_env import Game, GameRecord, Ruleset
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side, Verb
from wotr_env.games.war_of_the_ring.components import CARD_NAMES
from wotr_env.games.war_of_the_ring.state import CARDS_PER_SIDE
from wotr_experiments.reports.replay_page import apply_difference, replay_data, replay_page

FIRST_SEED = 8_161_803_398_874_989_514
TURNS = 8
DECLINE = Block.VERB + Verb.DECLINE
HAND_DECISIONS = (Decision.COMBAT_CARD, Decision.EVENT_CARD)
PUBLIC_ZONES = (CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY)


def play_with_cards(
    seed: int, turns: int, names: tuple[str, ...] = ("one", "two"), players: int = 2
) -> GameRecord:
    """A game of random players who like attacks and cards."""
    rules = Ruleset.first_edition(max_turns=turns, players=players)
    game, choice = Game(seed, rules), random.Random(seed)
    while not game.over:
        legal = game.legal()
        liked = [a for a in legal if Block.CARD <= a < Block.CHARACTER or game.name_of(a) == "plan:attack"]
        game.step(choice.choice(liked if liked and choice.random() < 0.6 else legal))
    return GameRecord.from_game(game, names)


@functools.cache
def secretive_record() -> GameRecord:
    """A game in which both sides discard and commit cards face down, and decline to play combat cards."""
    for seed in range(FIRST_SEED, FIRST_SEED + 200):
        record = play_with_cards(seed, TURNS)
        secrets = set()
        for game, action in zip(games_of(record), record.actions, strict=False):
            secrets.add((game.seat, game.decision, action == DECLINE))
        wanted = {(Decision.DISCARD_CARD, False), (Decision.COMBAT_CARD, False), (Decision.COMBAT_CARD, True)}
        if all((side, *secret) in secrets for side in Side for secret in wanted):
            return record
    raise AssertionError("no seed gives a game with all kinds of secrets")


@functools.cache
def secretive_data(viewer: int | None) -> dict[str, Any]:
    """What a viewer's page of the secretive record holds, made once: a test must not change it."""
    return replay_data(secretive_record(), viewer)


@functools.cache
def secretive_page(viewer: int | None) -> str:
    """The page of the secretive record for a viewer, made once."""
    return replay_page(secretive_record(), viewer)


def games_of(record: GameRecord) -> list[Game]:
    """The game before each of its actions, and at its end."""
    game = record.replay(0)
    return [game.clone(), *(game.step(action).clone() for action in record.actions)]


def game_json(page: str) -> str:
    """The data of a replay page."""
    return re.search(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)[1]


def frames_of(data: dict) -> list[dict]:
    """The pictures of ``replay_data``."""
    frames = [data["first"]]
    for *_, changed in data["steps"]:
        frames.append(apply_difference(frames[-1], changed))
    return frames


def is_shown(game: Game, action: int, viewer: int | None) -> bool:
    """Whether the decision has a step of its own."""
    return viewer in (None, game.seat) or action != DECLINE or game.decision not in HAND_DECISIONS


def shown_actions(record: GameRecord, games: list[Game], viewer: int | None) -> list[int]:
    return [n for n, action in enumerate(record.actions) if is_shown(games[n], action, viewer)]


def public_cards(games: list[Game]) -> list[set[int]]:
    """By game: the cards that everybody has seen by then."""
    seen: set[int] = set()
    by_game = []
    for game in games:
        zones = game.state["card_zone"].tolist()
        seen = seen | {card for card, zone in enumerate(zones) if zone in PUBLIC_ZONES}
        by_game.append(seen)
    return by_game


def deck_of(side: int) -> range:
    return range(CARDS_PER_SIDE * side, CARDS_PER_SIDE * (side + 1))


def hand_of(game: Game, side: int) -> list[int]:
    zones = game.state["card_zone"]
    return [card for card in deck_of(side) if zones[card] == CardZone.HAND + side]


def hand_names(game: Game, side: int) -> list[str]:
    return [CARD_NAMES[card] for card in hand_of(game, side)]


def at_hands(games: list[Game], side: int) -> int:
    """A position, not the last, in which the side holds cards that nobody else ever sees."""
    seen = public_cards(games)[-1]
    for number in range(len(games) - 2, 0, -1):
        hand = hand_of(games[number], side)
        if len(hand) > 1 and not set(hand) & seen:
            return number
    raise AssertionError("no such position")
