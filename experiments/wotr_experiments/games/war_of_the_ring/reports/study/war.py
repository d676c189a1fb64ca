"""Parts of a study's pages: the Fellowship, Companions, nations, captures and cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_experiments.arena.tables import share_text, words
from wotr_experiments.games.war_of_the_ring.reports.study.blocks import (
    TITLES,
    Block,
    Plot,
    Table,
    by_number,
    mean_text,
    percents,
    plain,
)
from wotr_experiments.reports import charts

_MOST_FALLS, _MOST_REGIONS, _MOST_CARDS = 16, 12, 12
"""Rows of tables that have the rest in ``figures.json``."""
_LEAST_PLAYED = 0.02
"""Share of the games in which a card is played that is told of."""


def fellowship_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Mordor, the regions where it is shown, and its paths."""
    found = study["fellowship"]
    entered = found["entered"]
    sentences = (
        f"It enters Mordor in {share_text(entered)} of the games, in turn {mean_text(entered['turn'])}, with "
        f"{mean_text(found['corruption_at_gate'])} Corruption and {mean_text(found['companions_at_gate'])} "
        f"Companions. The Free Peoples win {share_text(found['won_if_entered'])} of these games, and "
        f"{share_text(found['won_if_not'])} of the others. It is declared {mean_text(found['declared'])} "
        f"times and revealed {mean_text(found['revealed'])} times a game."
    )
    blocks: list[Block] = [sentences]
    if entered["count"]:
        blocks += [
            [
                Plot(
                    "mordor-turn",
                    "Turn in which it enters Mordor",
                    charts.histogram(by_number(entered["turns"]), "turn", "moss"),
                ),
                Plot(
                    "mordor-step",
                    "Last step on the Mordor Track (6: the Ring is destroyed)",
                    charts.histogram(
                        {int(step): each["count"] for step, each in found["last_step"].items()},
                        "step",
                        "moss",
                    ),
                ),
            ],
            Table(
                ("last step", "games", "share of those in Mordor (95%)"),
                [[step, f"{each['count']:,}", share_text(each)] for step, each in found["last_step"].items()],
            ),
        ]
    regions = [
        [
            each["region"],
            share_text(each),
            share_text(each["declared"]),
            share_text(each["revealed"]),
            mean_text(each["turn"]),
        ]
        for each in found["regions"][:_MOST_REGIONS]
    ]
    paths = [
        [" - ".join(each["path"]), f"{each['count']:,}", share_text(each)] for each in found["paths"]["most"]
    ]
    return [
        *blocks,
        "Where it is shown on the map: the games in which it is declared or revealed there, and the mean "
        "turn of the first time.",
        Table(("region", "shown (95%)", "declared", "revealed", "turn"), regions),
        f"Its path is the regions where it was shown, one after another; there are "
        f"{found['paths']['different']:,} different ones. The commonest:",
        Table(("path", "games", "share (95%)"), paths),
    ]


def companion_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Who guides, and who leaves the Fellowship."""
    guides = [
        [each["character"], share_text(each), mean_text(each["turn"])]
        for each in study["fellowship"]["guides"]
    ]
    rows = [
        [
            each["character"],
            share_text(each["separated"]),
            mean_text(each["separated"]["turn"]),
            share_text(each["lost"]),
            mean_text(each["lost"]["turn"]),
        ]
        for each in study["companions"]
    ]
    return [
        "Games in which each of them became Guide after the first one, Gandalf the Grey:",
        Table(("Guide", "games (95%)", "turn, mean"), guides),
        "Games in which a Companion left the Fellowship: separated from it, or lost by the Hunt or a card.",
        Table(("Companion", "separated (95%)", "turn, mean", "lost (95%)", "turn, mean"), rows),
    ]


# --- Politics and war. ---


def politics_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Nations and characters."""
    nations = [
        [
            each["nation"],
            share_text(each["active"]),
            mean_text(each["active"]["turn"]),
            share_text(each["at_war"]),
            mean_text(each["at_war"]["turn"]),
        ]
        for each in study["nations"]
    ]
    characters = [
        [each["character"], TITLES[each["side"]], share_text(each), mean_text(each["turn"])]
        for each in study["characters"]
    ]
    return [
        "Games in which each nation became active and went to war; those that are active from the beginning "
        "do not become it.",
        Table(("nation", "becomes active (95%)", "turn, mean", "at war (95%)", "turn, mean"), nations),
        Table(("comes into play", "side", "games (95%)", "turn, mean"), characters, words=(1,)),
    ]


def capture_blocks(study: Mapping[str, Any]) -> list[Block]:
    """What falls, and the attacks."""
    captures = study["captures"]
    fallen = [each for each in captures["regions"] if each["count"]]
    rows = [
        [
            each["region"],
            TITLES[each["side"]],
            f"{each['count']:,}",
            share_text(each),
            mean_text(each["turn"]),
            share_text(each["first"]),
        ]
        for each in fallen[:_MOST_FALLS]
    ]
    marks = {
        each["region"]: [(each["side"], *percents(each), f"{each['region']}: {share_text(each)}")]
        for each in fallen[:_MOST_FALLS]
    }
    battles = [
        [
            TITLES[each["side"]],
            words(each["kind"]),
            mean_text(each["in_game"]),
            share_text(each),
            mean_text(each["turn"]),
        ]
        for each in study["battles"]
        if each["count"]
    ]
    chart = charts.intervals(marks, "% of the games in which it falls", 0.0) if marks else ""
    return [
        f"In {share_text(captures['first'])} of the games a City or Stronghold falls to its enemy, the "
        f"first in turn {mean_text(captures['first']['turn'])}. The Shadow takes "
        f"{mean_text(captures['of_shadow'])} a game, the Free Peoples "
        f"{mean_text(captures['of_free_peoples'])}.",
        [Plot("captures", "What falls", chart, True)] if marks else "",
        Table(
            ("falls", "held by", "games", "share (95%)", "turn, mean", "is the first (95%)"), rows, words=(1,)
        ),
        "Attacks: mean a game, the games with any, and the mean turn of the first one.",
        Table(("attacker", "kind", "in a game", "games (95%)", "turn"), battles, words=(1,)),
    ]


# --- Cards. ---


def card_blocks(study: Mapping[str, Any]) -> Iterator[Block]:
    """The cards played most often."""
    yield (
        "The cards played most often as events. *Wins* are those of the card's side in the games in which it "
        "was played, and in those in which it was drawn and not played. They are correlations: who plays a "
        "card late has lived to play it, and who plays one in despair loses all the same."
    )
    for side in SIDE_IDS:
        own = [card for card in study["cards"] if card["side"] == side]
        most = sorted(own, key=lambda card: -card["played"]["count"])[:_MOST_CARDS]
        rows = [
            [
                card["card"],
                card["deck"].removeprefix(f"{side}_").title(),
                plain(card["drawn"]),
                share_text(card["played"]),
                mean_text(card["played"]["turn"]),
                plain(card["fought"]),
                share_text(card["won_if_played"]),
                share_text(card["won_if_kept"]),
            ]
            for card in most
            if card["played"]["share"] >= _LEAST_PLAYED
        ]
        head = (TITLES[side], "deck", "drawn", "played (95%)", "turn", "in battle")
        yield Table((*head, "wins if played (95%)", "wins if kept (95%)"), rows, words=(1,))
