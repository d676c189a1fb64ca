"""Parts of a study's pages: the Fellowship, Companions, nations, captures and cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_experiments.arena.result_tables import share_text, words
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
"""Maximal numbers of rows of tables; further rows are only in ``figures.json``."""
_LEAST_PLAYED = 0.02
"""Cards that are played in a smaller share of the games than this are not listed."""


def fellowship_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Mordor, the regions where the Fellowship is shown, and its paths."""
    found = study["fellowship"]
    entered = found["entered"]
    sentences = (
        f"The Fellowship enters Mordor in {share_text(entered)} of the games, on average in turn "
        f"{mean_text(entered['turn'])}. At that moment it has {mean_text(found['corruption_at_gate'])} "
        f"Corruption and {mean_text(found['companions_at_gate'])} Companions on average. The Free Peoples "
        f"win {share_text(found['won_if_entered'])} of the games in which the Fellowship enters Mordor, and "
        f"{share_text(found['won_if_not'])} of all other games. Per game, the Fellowship is "
        f"declared {mean_text(found['declared'])} times and revealed {mean_text(found['revealed'])} times."
    )
    blocks: list[Block] = [sentences]
    if entered["count"]:
        blocks += [
            [
                Plot(
                    "mordor-turn",
                    "Turn in which the Fellowship enters Mordor",
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
        "The next table shows the regions where the Fellowship becomes visible on the map. It has the "
        "share of games in which the Fellowship is declared or revealed there, and the mean turn of the "
        "first time:",
        Table(("region", "shown (95%)", "declared", "revealed", "turn"), regions),
        "The path of the Fellowship is the list of these regions in the order of time. There are "
        f"{found['paths']['different']:,} different paths. The most frequent paths are:",
        Table(("path", "games", "share (95%)"), paths),
    ]


def companion_blocks(study: Mapping[str, Any]) -> list[Block]:
    """The Guides, and the Companions that leave the Fellowship."""
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
        "Gandalf the Grey is the first Guide. The table shows how often each character became Guide later:",
        Table(("Guide", "games (95%)", "turn, mean"), guides),
        "A Companion leaves the Fellowship by separation, or is lost by the Hunt or a card:",
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
        "The table shows how often each nation became active and went to war. Nations that are active from "
        "the beginning have 0% in the first column:",
        Table(("nation", "becomes active (95%)", "turn, mean", "at war (95%)", "turn, mean"), nations),
        Table(("comes into play", "side", "games (95%)", "turn, mean"), characters, words=(1,)),
    ]


def capture_blocks(study: Mapping[str, Any]) -> list[Block]:
    """The Settlements that fall, and the attacks."""
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
        f"In {share_text(captures['first'])} of the games, an enemy takes a City or Stronghold. The first "
        f"one falls in turn {mean_text(captures['first']['turn'])} on average. Per game, the Shadow takes "
        f"{mean_text(captures['of_shadow'])} of them, and the Free Peoples take "
        f"{mean_text(captures['of_free_peoples'])}.",
        [Plot("captures", "Cities and Strongholds that fall", chart, True)] if marks else "",
        Table(
            ("falls", "held by", "games", "share (95%)", "turn, mean", "is the first (95%)"), rows, words=(1,)
        ),
        "The next table has the mean number of attacks in a game, the share of games with such an attack, "
        "and the mean turn of the first one:",
        Table(("attacker", "kind", "in a game", "games (95%)", "turn"), battles, words=(1,)),
    ]


# --- Cards. ---


def card_blocks(study: Mapping[str, Any]) -> Iterator[Block]:
    """The cards played most often."""
    yield (
        "These are the cards played most often as events. *Wins if played* is the share of games that the "
        "card's side wins if it played the card. *Wins if kept* is the same share if the side drew the "
        "card and did not play it. These are correlations, not causes: for example, a card that is played "
        "late is played only in long games."
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
