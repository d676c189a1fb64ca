"""Parts of a study's pages: the turns, the Hunt and the action dice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Face, Plan
from wotr_env.games.war_of_the_ring.words.names import FACE_NAMES, PLAN_WORDS
from wotr_experiments.arena.result_tables import share_text, words
from wotr_experiments.arena.summary import share
from wotr_experiments.games.war_of_the_ring.reports.study.blocks import (
    TITLES,
    Block,
    Plot,
    Table,
    mean_text,
    plain,
    ratio_text,
)
from wotr_experiments.games.war_of_the_ring.study.counts import BANDS, EYE, HUNT_BOX, band_name
from wotr_experiments.reports import charts

_FEW = 0.01
"""Turns that are reached by a smaller share of the games than this have no rows of their own."""
_DICE_CLASSES = {"none": "tone-0", "1": "tone-1", "2": "tone-2", "3 or more": "tone-3"}
_USES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "Hunt Box": ("kind-0", (HUNT_BOX,)),
    "Eyes": ("kind-1", (EYE,)),
    "the Fellowship": ("kind-2", (Plan.MOVE_FELLOWSHIP, Plan.HIDE_FELLOWSHIP, Plan.SEPARATE_COMPANIONS)),
    "characters": ("kind-3", (Plan.MOVE_COMPANIONS, Plan.MOVE_MINIONS, Plan.BRING_CHARACTER)),
    "armies move": ("kind-4", (Plan.MOVE_ARMIES,)),
    "attacks": ("kind-5", (Plan.ATTACK,)),
    "politics": ("kind-6", (Plan.ADVANCE_NATION, Plan.COMPANION_ADVANCE)),
    "recruiting": ("kind-7", (Plan.RECRUIT, Plan.VOICE_REGULARS, Plan.VOICE_ELITES)),
    "cards drawn": ("kind-8", (Plan.DRAW_CARD,)),
    "cards played": ("kind-9", (Plan.PLAY_CARD,)),
    "other": ("kind-10", (Plan.SKIP, Plan.BUY_OFF)),
}
"""Uses of dice that share a colour: the style class, and the plans."""
_WORDS_OF_USES = {
    HUNT_BOX: "into the Hunt Box by choice",
    EYE: "an Eye, into the Hunt Box",
    **{plan.name.lower(): PLAN_WORDS[plan] for plan in Plan},
}
_FACES = {face.name.lower(): FACE_NAMES[face] for face in Face}


def turn_blocks(study: Mapping[str, Any]) -> list[Block]:
    """The state of the game at the end of each turn."""
    turns = _told(study)
    plots = [
        Plot(
            "points",
            "Victory points at the end of the turn",
            charts.lines(
                {TITLES[side]: _points(turns, "points", side) for side in SIDE_IDS},
                {TITLES[side]: side for side in SIDE_IDS},
                "turn",
                dots=True,
            ),
        ),
        Plot(
            "walked",
            "The Fellowship: walked so far, and Corruption",
            charts.lines(
                {"walked": _points(turns, "walked"), "Corruption": _points(turns, "corruption")},
                {"walked": "moss", "Corruption": "corruption"},
                "turn",
                dots=True,
            ),
        ),
    ]
    rows = [
        [
            str(turn["turn"]),
            f"{turn['games']:,}",
            mean_text(turn["fellowship_moves"], 2),
            mean_text(turn["walked"]),
            mean_text(turn["corruption"]),
            mean_text(turn["companions"]),
            share_text(turn["in_mordor"]),
            mean_text(turn["points"]["free_peoples"]),
            mean_text(turn["points"]["shadow"]),
            share_text(turn["ended"]),
        ]
        for turn in turns
    ]
    head = ("turn", "games", "moves of the Fellowship", "walked so far", "Corruption", "Companions in it")
    head += ("in Mordor", "points FP", "points SH", "games that end")
    return [
        plots,
        Table(head, rows),
        "*Moves of the Fellowship* counts moves by a die during the turn. All later columns show the end of "
        "the turn. *Walked so far* counts regions of progress and steps on the Mordor Track.",
    ]


def _points(turns: Sequence[Mapping[str, Any]], key: str, *inner: str) -> list[charts.Point]:
    """A line over turns; x begins at 0, the start of the game."""
    found = []
    for turn in turns:
        value = turn[key]
        for name in inner:
            value = value[name]
        if value["mean"] is not None:
            found.append((float(turn["turn"]), float(value["mean"])))
    return found or [(0.0, 0.0)]


def _told(study: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The turns that enough games reach."""
    least = max(1.0, _FEW * study["games"])
    return [turn for turn in study["turns"] if turn["games"] >= least]


# --- The Hunt. ---


def hunt_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Dice in the Hunt Box, Hunts and tiles."""
    turns, hunt = [turn for turn in _told(study) if turn["allocated"]["games"]], study["hunt"]
    by_turn = {
        title: charts.columns(
            {str(turn["turn"]): _stack(turn[key]["numbers"]) for turn in turns},
            _DICE_CLASSES,
            "turn",
            "games",
        )
        for key, title in (("allocated", "Dice put into the Hunt Box by choice"), ("eyes", "Eyes rolled"))
    }
    plots = [
        Plot(f"hunt-{number}", title, svg) for number, (title, svg) in enumerate(by_turn.items(), start=1)
    ]
    put_in = [
        [
            str(turn["turn"]),
            f"{turn['allocated']['games']:,}",
            mean_text(turn["allocated"], 2),
            *(_share_of(turn["allocated"], number) for number in ("0", "1", "2")),
        ]
        for turn in turns
    ]
    hunts = [
        [
            str(turn["turn"]),
            *(mean_text(turn[key], 2) for key in ("eyes", "box", "hunts", "tiles")),
            share_text(turn["reveals"]),
        ]
        for turn in turns
    ]
    rolls = [
        [str(roll["dice"]), f"{roll['total']:,}", f"{roll['count']:,}", ratio_text(roll)]
        for roll in hunt["rolls"]
        if roll["total"]
    ]
    tiles = [[name, f"{found['count']:,}", ratio_text(found)] for name, found in hunt["drawn"].items()]
    causes = [[words(name), mean_text(found, 2)] for name, found in hunt["causes"].items() if found["mean"]]
    totals = (
        f"A game has {mean_text(hunt['hunts'])} Hunts, {mean_text(hunt['tiles'])} tiles and "
        f"{mean_text(hunt['reveals'])} reveals by the Hunt."
    )
    return [
        plots if turns else "",
        [
            Table(("turn", "games", "put in by choice", "none (95%)", "one", "two"), put_in),
            Table(("turn", "Eyes rolled", "Hunt Box", "Hunts", "tiles", "revealed (95%)"), hunts),
        ],
        "*Hunt Box* is the number of Shadow dice in the Hunt Box after the dice are rolled. *Hunts* and "
        "*tiles* are the numbers of Hunts and of tiles drawn in the turn. *Revealed* is the share of games "
        "in which the Fellowship is revealed in the turn.",
        totals,
        [
            Table(("cause of a Hunt", "in a game, mean"), causes),
            Table(("dice of a Hunt outside of Mordor", "Hunts", "successful", "share (95%)"), rolls),
            Table(("tile", "drawn", "share of the tiles (95%)"), tiles),
        ],
    ]


def _stack(numbers: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Shares of 0, 1, 2, and more."""
    found = dict.fromkeys(_DICE_CLASSES, 0.0)
    for number, each in numbers.items():
        name = {"0": "none", "1": "1", "2": "2"}.get(number, "3 or more")
        found[name] += each["share"]
    return found


def _share_of(found: Mapping[str, Any], number: str) -> str:
    return share_text(found["numbers"].get(number) or share(0, found["games"]))


# --- Action dice. ---


def dice_blocks(study: Mapping[str, Any]) -> Iterator[Block]:
    """The faces rolled, the uses of dice, and Elven Rings."""
    bands = [band_name(band) for band in BANDS]
    yield [
        Plot(
            f"dice-{side}",
            f"Use of dice by the {TITLES[side]}",
            _uses_chart(study["dice"][side]["uses"], bands),
        )
        for side in SIDE_IDS
    ]
    yield (
        "For each side, the first table shows the faces rolled, and the second table the use of the dice. "
        "In each column, the shares refer to all dice of the side in the turns of this column. If an Elven "
        "Ring changed a die, the die counts with its new face."
    )
    for side in SIDE_IDS:
        dice = study["dice"][side]
        faces = [
            [_FACES[face], f"{found['count']:,}", ratio_text(found)] for face, found in dice["faces"].items()
        ]
        yield Table((f"{TITLES[side]}: rolled", "dice", "share (95%)"), faces)
        shown = [band for band in bands if any(found[band]["total"] for found in dice["uses"].values())]
        rows = [
            [
                _WORDS_OF_USES[use],
                *(plain(found[band]) for band in shown),
                f"{found['all']['count']:,}",
                ratio_text(found["all"]),
            ]
            for use, found in dice["uses"].items()
            if found["all"]["count"]
        ]
        head = (f"{TITLES[side]}: used to", *(f"turns {band}" for band in shown), "dice", "all turns (95%)")
        yield Table(head, rows)
        rings = dice["rings"]
        changes = ", ".join(
            f"{_FACES[each['from']]} to {_FACES[each['to']]} {each['count']:,} times"
            for each in rings["changes"][:3]
        )
        yield (
            f"The {TITLES[side]} used an Elven Ring in {share_text(rings)} of the games, for the first "
            f"time in turn {mean_text(rings['turn'])} on average."
            f"{f' The most frequent changes: {changes}.' if changes else ''} "
            f"The {TITLES[side]} passed {mean_text(dice['passes'])} times per game."
        )


def _uses_chart(uses: Mapping[str, Mapping[str, Any]], bands: Sequence[str]) -> str:
    stacks: dict[str, dict[str, float]] = {}
    for band in bands:
        stack = {}
        for title, (_, plans) in _USES.items():
            names = [plan if isinstance(plan, str) else plan.name.lower() for plan in plans]
            stack[title] = sum(uses[name][band]["share"] or 0.0 for name in names if name in uses)
        if any(stack.values()):
            stacks[band] = stack
    used = {title for stack in stacks.values() for title, part in stack.items() if part}
    classes = {title: kind for title, (kind, _) in _USES.items() if title in used}
    shown = {band: {title: stack[title] for title in classes} for band, stack in stacks.items()}
    return charts.columns(shown, classes, "turns", "dice") if shown else ""
