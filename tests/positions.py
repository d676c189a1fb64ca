"""Positions set up by hand for rules tests: an empty board, every figure in its pool, then what is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Character,
    Face,
    Frame,
    Location,
    Nation,
    Phase,
    Side,
    TileZone,
    TurnStage,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    NATION_SIDE,
    REGION_IDS,
    SETTLEMENT_INDEX,
    TILE_IDS,
)
from wotr_env.games.war_of_the_ring.rules.frames import SLOTS
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_SEATS

POOLS = {"regular": "reinforcement_regular", "elite": "reinforcement_elite", "leader": "reinforcement_leader"}


def region(name: str) -> int:
    """The index of a region id such as ``minas-tirith``."""
    return REGION_IDS.index(name)


def nation(name: str) -> int:
    return int(Nation[name.upper()])


def character(name: str) -> int:
    return int(Character[name.upper().replace("-", "_")])


def card(name: str) -> int:
    return CARD_IDS.index(name)


def tile(name: str) -> int:
    return TILE_IDS.index(name)


def wait(state: np.record, kind: Frame, stage: int = 0, /, **slots: int) -> None:
    """Puts a business on the stack of a state, with the slots of its kind by name."""
    row = state["stack"][state["depth"]]
    row[:] = 0
    row[KIND], row[STAGE] = kind, stage
    for name, number in slots.items():
        row[SLOTS[kind][name.upper()]] = number
    state["depth"] += 1


class Position:
    """A position in the making. The board is empty unless ``setup=True``; hands are empty, decks full.

    By default it is turn 1, phase 5, no die is rolled, and also decisions with one legal action are asked, so
    that a test sees them. ``game()`` runs the position to its first decision.
    """

    def __init__(self, ruleset: Ruleset | None = None, setup: bool = False, seed: int = 1) -> None:
        self.state = Game(seed=seed, ruleset=ruleset or Ruleset(ask_single=True)).state
        state = self.state
        zones, sizes = state.card_zone, state.deck_size
        for index in np.flatnonzero((zones >= CardZone.HAND) & (zones < CardZone.HAND + NUM_SEATS)):
            zones[index] = sizes[index // 24]  # hands back into their decks
            sizes[index // 24] += 1
        if not setup:
            for kind, pool in POOLS.items():
                state[pool] += state[kind].sum(axis=0, dtype=np.int8)
                state[kind][:] = 0
            state.units[:] = 0
        state.stack[:] = 0
        state.depth = 0
        state.decision = 0
        self.phase(Phase.ACTION, TurnStage.ACTIONS)

    def phase(self, phase: Phase, stage: TurnStage) -> Self:
        """Where the turn goes on, such as ``phase(Phase.FELLOWSHIP, TurnStage.DECLARE)``."""
        self.state.depth = 0
        wait(self.state, Frame.TURN, stage)
        self.state.phase = phase
        return self

    def waiting(self, kind: Frame, stage: int = 0, /, **slots: int) -> Self:
        """Puts a business on the stack: ``waiting(Frame.HUNT, cause=HuntCause.CARD_ROLL)``."""
        wait(self.state, kind, stage, **slots)
        return self

    def army(self, place: str, **figures: int) -> Self:
        """Takes figures from the pools to a region: ``army("dale", north=3, north_elite=1, north_leader=1)``.

        Regulars by the nation's name, ``_elite``, ``_leader``, and ``nazgul``.
        """
        where = region(place)
        for name, count in figures.items():
            owner, _, kind = ("sauron_leader" if name == "nazgul" else name).partition("_")
            kind = kind or "regular"
            index = nation(owner)
            self.state[POOLS[kind]][index] -= count
            assert self.state[POOLS[kind]][index] >= 0, f"not so many figures: {name}={count}"
            self.state[kind][where, index] += count
            if kind != "leader":
                self.state.units[where, NATION_SIDE[index]] += count
        return self

    def dead(self, **figures: int) -> Self:
        """Moves FP figures from the reinforcements to the casualties: ``dead(gondor=2, rohan_leader=1)``."""
        for name, count in figures.items():
            owner, _, kind = name.partition("_")
            kind = kind or "regular"
            assert nation(owner) < NUM_FREE_PEOPLES
            self.state[POOLS[kind]][nation(owner)] -= count
            self.state[f"casualty_{kind}"][nation(owner)] += count
        return self

    def at_war(self, *names: str) -> Self:
        """These nations are active and At War."""
        for name in names:
            self.state.steps_to_war[nation(name)] = 0
            self.state.active[nation(name)] = 1
        return self

    def politics(self, name: str, steps: int, active: bool = True) -> Self:
        self.state.steps_to_war[nation(name)] = steps
        self.state.active[nation(name)] = active
        return self

    def control(self, place: str, side: Side) -> Self:
        self.state.control[SETTLEMENT_INDEX[region(place)]] = side
        return self

    def place(self, name: str, where: str) -> Self:
        """Puts a character in a region, or at a ``Location`` such as ``eliminated`` or ``aside``."""
        who = character(name)
        known = Location.__members__.get(where.upper().replace("-", "_"))
        self.state.location[who] = region(where) if known is None else known
        if known is None and who >= Character.WITCH_KING:
            self.state.minions_seen = 1
        return self

    def fellowship(
        self,
        place: str | None = None,
        *,
        progress: int = 0,
        revealed: bool = False,
        companions: Iterable[str] | None = None,
        guide: str | None = None,
        corruption: int | None = None,
        mordor_step: int = 0,
    ) -> Self:
        """The Fellowship; ``companions`` are those inside (others are eliminated unless placed)."""
        state = self.state
        if place is not None:
            state.fellowship_region = region(place)
        state.progress = progress
        state.revealed = revealed
        state.mordor_step = mordor_step
        if mordor_step:
            state.fellowship_region = -1
        if corruption is not None:
            state.corruption = corruption
        if companions is not None:
            inside = [character(name) for name in companions]
            for who in range(Character.PEREGRIN + 1):
                if who in inside:
                    state.location[who] = Location.IN_FELLOWSHIP
                elif state.location[who] == Location.IN_FELLOWSHIP:
                    state.location[who] = Location.ELIMINATED
            if not inside:
                state.location[Character.GOLLUM] = Location.IN_FELLOWSHIP
                state.guide = Character.GOLLUM
            else:
                levels = (3, 3, 2, 2, 2, 1, 1)
                state.guide = max(inside, key=lambda who: levels[who])
        if guide is not None:
            state.guide = character(guide)
        return self

    def dice(self, free_peoples: str = "", shadow: str = "", acting: Side = Side.FREE_PEOPLES) -> Self:
        """Unused dice by face names, such as ``dice("character will", "army eye")``, and who acts first.

        The pools become as large as the dice and the Hunt Box ask; a Shadow ``eye`` goes to the Hunt Box.
        """
        state = self.state
        state.dice[:] = 0
        for side, words in ((0, free_peoples), (1, shadow)):
            for word in words.split():
                face = Face[word.upper()]
                if face == Face.EYE:
                    state.hunt_box[side] += 1
                else:
                    state.dice[side, face] += 1
        state.acting = acting
        return self

    def hunt_box(self, free_peoples: int = 0, shadow: int = 0) -> Self:
        self.state.hunt_box[:] = (free_peoples, shadow)
        return self

    def rings(self, free_peoples: int, shadow: int) -> Self:
        self.state.rings[:] = (free_peoples, shadow)
        return self

    def pool(self, *tiles: str) -> Self:
        """The Hunt Pool holds exactly these tiles; other standard tiles are drawn, other specials aside."""
        for index, name in enumerate(TILE_IDS):
            drawn = TileZone.DRAWN if index < 16 else TileZone.ASIDE
            self.state.tile_zone[index] = TileZone.POOL if name in tiles else drawn
        return self

    def hand(self, seat: int, *cards: str) -> Self:
        """Takes cards from the decks to a hand; the decks close the gaps."""
        return self._from_decks(CardZone.HAND + seat, cards)

    def table(self, *cards: str) -> Self:
        """Takes cards from the decks to the table, as if they had been played."""
        return self._from_decks(CardZone.TABLE, cards)

    def _from_decks(self, zone: int, cards: Iterable[str]) -> Self:
        for name in cards:
            index = card(name)
            deck = index // 24
            zones = self.state.card_zone[deck * 24 : deck * 24 + 24]
            zones[(zones < 24) & (zones > self.state.card_zone[index])] -= 1
            self.state.card_zone[index] = zone
            self.state.deck_size[deck] -= 1
        return self

    def game(self, *tape: int) -> Game:
        """The game, run to its first decision, with the next chance outcomes fixed."""
        state = self.state
        if state.phase >= Phase.ACTION:
            rolled = state.dice.sum(axis=1) + state.hunt_box
            state.pool[:] = np.maximum(rolled, state.pool)
            state.dice_used[:] = state.pool - rolled
        state.tape[: len(tape)] = tape
        state.tape_position = 0
        state.tape_length = len(tape)
        return Game.from_state(state)


def only_acting_cards(**options: object) -> Ruleset:
    """Every decision is asked, and a card is offered only if its event would do something.

    So an offer in a test of cards tells that there is an effect.
    """
    return Ruleset(**{"ask_single": True, "null_events": False, **options})


def play(game: Game, *names: str) -> Game:
    """Plays actions given by their full names, such as ``region:dale``."""
    for name in names:
        game.step(game.action(name))
    return game


def legal(game: Game) -> set[str]:
    """The names of the legal actions."""
    return {ACTION_NAMES[action] for action in game.legal()}


def legal_block(game: Game, block: str) -> set[str]:
    """The legal actions of one block without its prefix: ``legal_block(game, "region")``."""
    return {name.split(":", 1)[1] for name in legal(game) if name.startswith(block + ":")}


def attack(game: Game, die: str, origin: str, target: str, *picks: str) -> Game:
    """Attacks with a die, such as ``army-muster``: with the figures picked, or else with the whole army."""
    play(game, f"face:{die}", "plan:attack", f"region:{origin}", f"region:{target}")
    return play(game, *picks, "verb:done") if picks else play(game, "verb:whole-army")


def figures(game: Game, place: str) -> dict[str, int]:
    """The figures of the nations in a region, named as for ``Position.army``."""
    index = region(place)
    found = {}
    for owner in Nation:
        for kind, suffix in (("regular", ""), ("elite", "_elite"), ("leader", "_leader")):
            if owner > Nation.SAURON and kind == "leader":
                continue
            name = "nazgul" if (owner, kind) == (Nation.SAURON, "leader") else owner.name.lower() + suffix
            if game.state[kind][index, owner] > 0:
                found[name] = int(game.state[kind][index, owner])
    return found


def where(game: Game, name: str) -> str:
    """The region of a character, or its ``Location`` in lower case."""
    place = int(game.state.location[character(name)])
    return REGION_IDS[place] if place >= 0 else Location(place).name.lower().replace("_", "-")


def figures_at(game: Game, place: str) -> dict[str, int]:
    """The units and Leaders of a region in the words of ``Position.army``: ``{"north": 3, "nazgul": 1}``."""
    found = {}
    for kind in POOLS:
        for index, count in enumerate(game.state[kind][region(place)]):
            name = Nation(index).name.lower() + ("" if kind == "regular" else f"_{kind}")
            if count:
                found["nazgul" if name == "sauron_leader" else name] = int(count)
    return found
