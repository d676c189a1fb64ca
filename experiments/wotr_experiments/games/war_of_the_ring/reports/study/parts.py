"""The parts of a study's pages, in the order of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_experiments.arena.result_tables import NOTHING, share_text
from wotr_experiments.games.war_of_the_ring.reports.study.blocks import (
    TITLES,
    Block,
    Part,
    Plot,
    Table,
    by_number,
    mean_text,
    plain,
)
from wotr_experiments.games.war_of_the_ring.reports.study.luck import luck_blocks
from wotr_experiments.games.war_of_the_ring.reports.study.turns import dice_blocks, hunt_blocks, turn_blocks
from wotr_experiments.games.war_of_the_ring.reports.study.war import (
    capture_blocks,
    card_blocks,
    companion_blocks,
    fellowship_blocks,
    politics_blocks,
)
from wotr_experiments.games.war_of_the_ring.study.options import EDITION
from wotr_experiments.reports import charts

_ENDS = {
    "corruption": "Corruption",
    "shadow_military": "conquest by the Shadow",
    "ring_destroyed": "the Ring is destroyed",
    "free_peoples_military": "conquest by the Free Peoples",
    "turn_limit": "turn limit",
}
"""The kinds of end in stacking order; the keys are also style classes."""


def lead(study: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The title, and the first sentences of a page."""
    first, second = study["free_peoples"], study["shadow"]
    title = f"how {first} plays" if first == second else f"how {first} plays against {second}"
    who = f"`{first}` against itself" if first == second else f"`{first}` (Free Peoples) against `{second}`"
    return title, [
        f"This page is about {study['games']:,} games of {who}. The ruleset is: {study['ruleset']}. The seed "
        f"is {study['seed']}.",
        f"The page is written by `{study['command']}`.",
        "All intervals are 95% intervals. Brackets contain the lower and the upper end of an interval. 8.1 ± "
        "0.1 means an interval from 8.0 to 8.2. Shares of games have Wilson intervals. The intervals of "
        "shares of dice, tiles and Hunts take into account that one game has several of these.",
        "The mean turn of an event is the mean over the games in which the event happened. In tables by "
        "turn, a row covers only the games that reached this turn. The figures include hidden information. "
        "All figures are in `figures.json` of the study's folder. They show how these bots play, not how the "
        "game should be played.",
    ]


def parts_of(study: Mapping[str, Any]) -> list[Part]:
    """All parts, from figures in the form of ``figures.json``."""
    parts = [
        Part("ends", "Ends", _ends(study)),
        Part("rush", "The rush", _rush(study)),
        Part("turns", "Turn by turn", turn_blocks(study)),
        Part("hunt", "The Hunt", hunt_blocks(study)),
        Part("dice", "Action dice", list(dice_blocks(study))),
        Part("fellowship", "The Fellowship", fellowship_blocks(study)),
        Part("companions", "Guides and Companions", companion_blocks(study)),
        Part("politics", "Nations and characters", politics_blocks(study)),
        Part("captures", "Captures", capture_blocks(study)),
        Part("cards", "Cards", list(card_blocks(study))),
    ]
    if "luck" in study:
        parts.append(Part("luck", "Luck", luck_blocks(study)))
    if study["options"]:
        parts.append(Part("options", "Disputed options", _options(study)))
    return parts


# --- Ends. ---


def _ends(study: Mapping[str, Any]) -> list[Block]:
    ends, games = study["ends"], study["games"]
    seen = {name: found for name in _ENDS if (found := ends["reasons"][name])["count"]}
    reasons = {_ENDS[name]: found["count"] for name, found in seen.items()}
    classes = {_ENDS[name]: name for name in seen}
    winners = {**TITLES, "draw": "draw"}
    lengths = ends["lengths"]
    kinds = [
        [_ENDS[name], f"{found['count']:,}", share_text(found), mean_text(found["turn"])]
        for name, found in seen.items()
    ]
    rows = [
        [
            winners.get(name, name),
            f"{found['games']:,}",
            NOTHING if name == "all" else share_text(ends["winners"][name]),
            mean_text(found),
            f"{found['median']:.0f}" if found["median"] is not None else NOTHING,
        ]
        for name, found in lengths.items()
        if found["games"]
    ]
    plots = [
        Plot(
            f"length-{name}",
            f"Turns of games that the {winners[name]} won",
            charts.histogram(by_number(lengths[name]["turns"]), "turns", name),
        )
        for name in SIDE_IDS
        if lengths[name]["games"]
    ]
    points = ", ".join(f"{TITLES[side]} {mean_text(found)}" for side, found in ends["points"].items())
    return [
        [Plot("ends", f"How {games:,} games ended", charts.shares({"all games": reasons}, classes), True)],
        [
            Table(("won by", "games", "share (95%)", "turns, mean", "median"), rows),
            Table(("end", "games", "share (95%)", "turn, mean"), kinds),
        ],
        [
            *plots,
            Plot(
                "corruption",
                "Corruption at the end",
                charts.histogram(by_number(ends["corruption"]), "Corruption", "corruption"),
            ),
        ],
        f"The mean victory points at the end are: {points}. A game has {mean_text(ends['decisions'], 0)} "
        "decisions on average.",
    ]


# --- The rush. ---


def _rush(study: Mapping[str, Any]) -> list[Block]:
    rush = study["rush"]
    early = rush["turns"]
    falls = [[each["region"], share_text(each), mean_text(each["turn"])] for each in rush["falls"]]
    hunters = [
        [_span(each), f"{each['games']:,}", share_text(each)]
        for each in rush["won_by_choice"]
        if each["games"]
    ]
    fallen = [[number, f"{each['count']:,}", share_text(each)] for number, each in rush["fallen"].items()]
    sentences = (
        f"{rush['lasted']['count']:,} games went on after turn {early}. In "
        f"{share_text(rush['none_by_choice'])} of these games, the Shadow put no die into the Hunt Box by "
        f"choice in turns 1 to {early}. In {share_text(rush['none_at_all'])} of these games, the Shadow also "
        f"rolled no Eye in these turns. The mean number of dice put in by choice in these turns is "
        f"{mean_text(rush['by_choice']['mean'])}. The Shadow won by conquest in "
        f"{share_text(rush['shadow_military'])} of all games, on average in turn "
        f"{mean_text(rush['shadow_military']['turn'])}."
    )
    return [
        sentences,
        "An early network had learned one plan: a fast attack on five Settlements. The table shows how "
        "often, and when, they fall in the games of this study:",
        [
            Table(("falls", "games (95%)", "turn, mean"), falls),
            Table(("of these five fell", "games", "share (95%)"), fallen),
        ],
        f"The next table groups the games that went on after turn {early} by the number of dice that the "
        "Shadow put into the Hunt Box. This is a correlation, and does not show a cause:",
        Table((f"dice put in, turns 1 to {early}", "games", "Free Peoples win (95%)"), hunters),
    ]


def _span(each: Mapping[str, Any]) -> str:
    first, last = each["from"], each["to"]
    return f"{first} or more" if last is None else f"{first}" if first == last else f"{first} to {last}"


# --- Options. ---


def _options(study: Mapping[str, Any]) -> list[Block]:
    ordered = sorted(study["options"], key=lambda row: -abs(row["difference"]["mean"]))
    marks, rows = {}, []
    for row in ordered:
        name = f"{row['value']} edition" if row["option"] == EDITION else f"{row['option']}={row['value']}"
        middle, (low, high) = row["difference"]["mean"], row["difference"]["interval_95"]
        difference = f"{100 * middle:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        look = "both" if low <= 0 <= high else "free_peoples" if middle > 0 else "shadow"
        marks[name] = [(look, 100 * middle, 100 * low, 100 * high, f"{name}: {difference}")]
        rows.append(
            [
                f"`{name}`" if row["option"] != EDITION else name,
                f"`{row['base_value']}`" if row["option"] != EDITION else row["base_value"],
                f"{row['free_peoples']['games']:,}",
                share_text(row["free_peoples"]),
                difference,
                plain(row["otherwise"]),
            ]
        )
    base = study["options"][0]["base"]
    head = (
        "changed to",
        "from",
        "games",
        "Free Peoples win (95%)",
        "difference in points (95%)",
        "otherwise",
    )
    return [
        "Editions and readings of the rules differ in some options (`wotr rules --options` explains them). "
        "For each row, one option was changed, and games with the same seeds were played again. Without a "
        f"change, the Free Peoples win {share_text(base)} of these games. *Difference* compares games of "
        "the same seed. *Otherwise* is the share of seeds whose two games differ. About one of twenty "
        "intervals misses the true value by chance. The bot was not trained with the changed rule, so "
        "players who know the rule may get other results.",
        [
            Plot(
                "options",
                "Change of the share of games that the Free Peoples win, in percentage points",
                charts.intervals(marks, "percentage points", 0.0),
                True,
            )
        ],
        Table(head, rows, words=(1,)),
    ]
