"""Random players with preferences, for fuzzing.

The ``cards`` policies play every card they can. Many cards need a position that random play hardly reaches,
so each of them leads the games to other positions, and holds back the cards that are played there (``LATER``,
``IN_COMBAT``). Preferences order the legal actions of a decision; all that is not mentioned has 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS, DISTANCE, REGION_IDS
from wotr_env.games.war_of_the_ring.state import NUM_SIDES

LONG_GAME = 200
"""Turns within which nearly all uniform games end; where the biased policies get their draw."""
CARDS_GONE = 40
"""Turns after which the decks have long been empty."""


@dataclasses.dataclass(frozen=True)
class Policy:
    """A random player: uniform among the legal actions of highest preference."""

    name: str
    summary: str
    prefer: Mapping[str, int]
    """Preference of an action by name; 0 where none is given."""
    free_peoples: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Preferences of this side only, instead of those of both."""
    shadow: Mapping[str, int] = dataclasses.field(default_factory=dict)
    max_turns: int = LONG_GAME
    """0: no limit."""
    ask_single: bool = False
    """Option of the rules: decisions with one legal action are asked too, so that every event is seen."""

    def preferences(self) -> np.ndarray:
        """``int8[2, NUM_ACTIONS]``, by side."""
        preferences = np.zeros((NUM_SIDES, NUM_ACTIONS), dtype=np.int8)
        for side, own in ((Side.FREE_PEOPLES, self.free_peoples), (Side.SHADOW, self.shadow)):
            for name, value in {**self.prefer, **own}.items():
                preferences[side, ACTION_IDS[name]] = value
        return preferences


PLAYED = 3
"""Preference of ordinary cards: they are played, and discarded, first."""
IN_COMBAT = -3
"""Of cards held back for battles: above declining, below all other cards."""
DECLINE = -4
LATER = -5
"""Of cards held back for an event that is not possible yet: never used in battle."""


def _cards(value: int, *ids: str) -> dict[str, int]:
    return {f"card:{card}": value for card in ids}


def _towards(*goals: str, most: int = 9) -> dict[str, int]:
    """Regions, the more preferred the nearer they are to a goal."""
    places = [REGION_IDS.index(goal) for goal in goals]
    return {
        f"region:{name}": max(0, most - int(DISTANCE[region, places].min()))
        for region, name in enumerate(REGION_IDS)
    }


_PLAY_CARDS = {
    **_cards(PLAYED, *CARD_IDS),
    "plan:play-card": 8,
    "plan:bring-character": 7,
    "plan:advance-nation": 5,
    "face:event": 2,
    "face:will": 2,
    "face:character": 1,
    "verb:accept": 1,
    "plan:skip": -1,
    "plan:buy-off": -1,
    "verb:pass": -1,
    "verb:decline": DECLINE,
}
_LATER_FREE_PEOPLES = _cards(
    LATER,
    "fp-char-14",
    "fp-char-18",
    "fp-char-19",
    "fp-char-20",
    "fp-char-21",
    "fp-char-22",
    "fp-char-23",
    "fp-char-24",
    "fp-strat-01",
    "fp-strat-10",
)
_LATER_SHADOW = _cards(
    LATER,
    "sh-char-19",
    "sh-char-20",
    "sh-strat-01",
    "sh-strat-02",
    "sh-strat-03",
    "sh-strat-06",
    "sh-strat-18",
)

_CARD_POLICIES = (
    Policy(
        "cards",
        "plays every card it can, else draws and fights",
        {
            **_PLAY_CARDS,
            "plan:attack": 4,
            "plan:draw-card": 3,
            "plan:recruit": 2,
            "plan:move-armies": 2,
            "verb:whole-army": 1,
            "verb:continue": 1,
            "verb:fight": 1,
            "verb:stay": 1,
        },
        max_turns=CARDS_GONE,
        ask_single=True,
    ),
    Policy(
        "cards_companions",
        "cards; Companions leave for Fangorn, Rohan, Gondor and Dale",
        {**_PLAY_CARDS, "plan:draw-card": 2},
        free_peoples={
            **_LATER_FREE_PEOPLES,
            **_cards(IN_COMBAT, "fp-char-15", "fp-char-16"),
            "plan:separate-companions": 4,
            "plan:move-companions": 3,
            "plan:move-armies": 3,
            "plan:attack": 3,
            "region:north-ithilien": 4,
            "region:south-ithilien": 4,
            "region:fangorn": 3,
            "region:minas-tirith": 3,
            "region:edoras": 2,
            "region:helms-deep": 2,
            "region:dol-amroth": 2,
            "region:pelargir": 2,
            "region:dale": 2,
            "region:erebor": 2,
            "verb:whole-army": 1,
            "verb:continue": 1,
            "verb:done": -1,
        },
        shadow={
            **_LATER_SHADOW,
            "plan:move-minions": 3,
            "plan:recruit": 2,
            "verb:cease": 1,
            "verb:withdraw": 1,
        },
        max_turns=CARDS_GONE,
        ask_single=True,
    ),
    Policy(
        "cards_rivendell",
        "battles where the Fellowship stands: it waits in Rivendell, all armies go there",
        {
            **_PLAY_CARDS,
            **_towards("rivendell"),
            **_cards(
                IN_COMBAT, *(f"{side}-char-{number:02}" for side in ("fp", "sh") for number in range(1, 6))
            ),
            "plan:play-card": 1,
            "plan:attack": 7,
            "plan:move-armies": 6,
            "plan:draw-card": 3,
            "plan:move-fellowship": -1,
            "verb:whole-army": 1,
            "verb:continue": 1,
            "verb:fight": 1,
            "verb:stay": 1,
        },
        free_peoples={"plan:play-card": -2},
        max_turns=CARDS_GONE,
        ask_single=True,
    ),
    Policy(
        "cards_osgiliath",
        "cards; Aragorn leads the army of Minas Tirith to Osgiliath, the Shadow keeps still",
        _PLAY_CARDS,
        free_peoples={
            **_LATER_FREE_PEOPLES,
            **_towards("minas-tirith"),
            "region:osgiliath": 14,
            "character:strider": 3,
            "character:aragorn": 3,
            "nation:gondor": 1,
            "plan:separate-companions": 4,
            "plan:move-armies": 4,
            "plan:move-companions": 3,
            "plan:attack": 3,
            "verb:whole-army": 4,
            "verb:done": 1,
        },
        shadow={
            **_LATER_SHADOW,
            "plan:recruit": 3,
            "plan:move-minions": 3,
            "plan:play-card": 2,
            "plan:draw-card": 1,
        },
        max_turns=CARDS_GONE,
        ask_single=True,
    ),
    Policy(
        "cards_sieges",
        "cards; the Shadow besieges Helm's Deep, Lorien and Minas Tirith, all Companions go to Helm's Deep",
        {**_PLAY_CARDS, **_cards(IN_COMBAT, "fp-char-05", "fp-char-15", "fp-char-16")},
        free_peoples={
            **_LATER_FREE_PEOPLES,
            **_towards("helms-deep"),
            "plan:draw-card": 4,
            "plan:separate-companions": 4,
            "plan:move-companions": 3,
            "plan:recruit": 3,
            "verb:withdraw": 3,
            "verb:done": -1,
        },
        shadow={
            **_LATER_SHADOW,
            **_towards("helms-deep", "lorien", "minas-tirith"),
            **_cards(IN_COMBAT, "sh-char-19", "sh-strat-05", "sh-strat-07", "sh-strat-08"),
            "plan:bring-character": 9,
            "plan:attack": 5,
            "plan:move-armies": 4,
            "plan:draw-card": 2,
            "character:saruman": 3,
            "nation:isengard": 2,
            "verb:whole-army": 1,
            "verb:cease": 1,
        },
        max_turns=CARDS_GONE,
        ask_single=True,
    ),
)

_TO_WAR = {
    "plan:advance-nation": 3,
    "face:army": 1,
    "face:army-muster": 1,
    "face:muster": 1,
    "face:character": 1,
}

POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("uniform", "every legal action is equally likely", {}, max_turns=0),
        Policy(
            "attack",
            "attacks whenever possible, else marches and goes to war",
            {
                "plan:attack": 5,
                "plan:move-armies": 4,
                **_TO_WAR,
                "verb:whole-army": 1,
                "verb:continue": 1,
                "verb:fight": 1,
                "verb:pass": -1,
                "plan:skip": -1,
            },
        ),
        Policy(
            "fellowship",
            "moves the Fellowship whenever possible, else hides it",
            {
                "plan:move-fellowship": 5,
                "plan:hide-fellowship": 4,
                "face:character": 1,
                "face:will": 1,
                "verb:accept": 1,
                "region:morannon": 2,
                "region:minas-morgul": 2,
            },
        ),
        Policy(
            "hoard",
            "passes, draws cards or skips",
            {"verb:pass": 3, "plan:draw-card": 2, "plan:skip": 1, "face:event": 1, "verb:decline": 1},
        ),
        Policy("never_pass", "never passes nor skips unless forced", {"verb:pass": -1, "plan:skip": -1}),
        Policy(
            "suicidal",
            "attacks in any strength, never stops, never retreats, takes all corruption",
            {
                "plan:attack": 5,
                "plan:move-fellowship": 4,
                **_TO_WAR,
                "verb:continue": 2,
                "verb:fight": 2,
                "verb:stay": 2,
                "verb:take-corruption": 2,
                "verb:use-ring": 1,
            },
        ),
        *_CARD_POLICIES,
    )
}
