"""Views for a person. All are made from ``picture()``, so they contain no hidden information."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.actions import FIGURES_PER_NATION, Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Nation, Settlement
from wotr_env.games.war_of_the_ring.components import (
    CARD_ICON,
    CARD_IDS,
    CARD_NAMES,
    CHARACTER_LEADERSHIP,
    CHARACTER_LEVEL,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    COMBAT_NAMES,
    FORTIFICATION,
    NATION_NAMES,
    NATION_SIDE,
    NUM_CARDS,
    REGION_IDS,
    REGION_NAMES,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    TILE_IDS,
    TILE_NAMES,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.picture import (
    BACKS,
    CHARACTER_IDS,
    FACE_IDS,
    NATION_IDS,
    SIDE_IDS,
    role_words,
)
from wotr_env.games.war_of_the_ring.seating import TEAMS
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_env.games.war_of_the_ring.words.cards import card_text, character_text, combat_text
from wotr_env.games.war_of_the_ring.words.names import (
    FACE_NAMES,
    SIDE_NAMES,
    counts_words,
    is_nazgul,
    nation_name,
)
from wotr_experiments.games.war_of_the_ring.odds import odds_of
from wotr_experiments.games.war_of_the_ring.terminal.answers import short
from wotr_experiments.games.war_of_the_ring.terminal.battle import win_words
from wotr_experiments.games.war_of_the_ring.terminal.forces import RING, there
from wotr_experiments.games.war_of_the_ring.terminal.map import drawn, surroundings, window_of
from wotr_experiments.games.war_of_the_ring.terminal.map import key as map_key
from wotr_experiments.games.war_of_the_ring.terminal.story import SIDE_STYLES
from wotr_experiments.terminal.choices import Answer, Question
from wotr_experiments.terminal.typed import plain, words_begin

_CHARACTER_OF = dict(zip(CHARACTER_IDS, CHARACTER_NAMES, strict=True))
_ICONS = ("Character", "Army", "Muster")
_ZONE_WORDS = {
    "hand": "in hand",
    "table": "on the table",
    "discard": "discarded",
    "face_down": "discarded face down",
    "in_play": "in play now",
    "given": "in your partner's hand",
}
_FREE_LANDS = "Free lands"
_FEW_WORDS = 16
"""Maximal number of answers that are listed one below the other."""
_AROUND = 18
"""Number of lines of the drawing around a region."""
_WORTH_CUTTING = 40
"""Minimal number of answers for which a brief list leaves out regions without forces."""


def status(shown: dict[str, Any]) -> Text:
    """The state of the game, in two lines."""
    fellowship, points = shown["fellowship"], shown["victory_points"]
    boxes = sum(shown["dice"][side]["hunt_box"] for side in SIDE_IDS)
    text = Text(f"Turn {shown['turn']}, {shown['phase']}  ", style="bold")
    text.append(f"Fellowship {_place(fellowship)}, Corruption {fellowship['corruption']}", style="default")
    text.append(f"  Hunt Box {boxes}", style="default")
    text.append(f"  points {points[SIDE_IDS[0]]}/4 {points[SIDE_IDS[1]]}/10\n", style="default")
    for side, name in enumerate(SIDE_IDS):
        text.append(f"{SIDE_NAMES[side]}: ", style=SIDE_STYLES[side])
        text.append(f"{_faces(shown['dice'][name])}   ", style="default")
    partners = [seat for seat in shown["seats"].values() if seat["places"] is not None]
    if partners:
        words = "; ".join(f"{seat['title']} {role_words(seat)}" for seat in partners)
        text.append(f"\n{words}", style="dim")
    return text


def answers(
    asked: Question, notes: Mapping[int, Text] = MappingProxyType({}), briefly: bool = False
) -> RenderableType:
    """The legal answers: one below the other, or in columns (by nation, if there are many regions).

    Args:
        asked: the question.
        notes: notes on answers, by action, from ``notes_of``.
        briefly: whether a very long list of regions shows only the regions with a note.
    """
    parts: list[RenderableType] = []
    listed = asked.answers
    if briefly and len(listed) > _WORTH_CUTTING:
        listed = tuple(answer for answer in listed if not answer.group or answer.action in notes)
    for group, members in itertools.groupby(listed, key=lambda answer: answer.group):
        texts = [_answer(answer, asked.default, notes.get(answer.action)) for answer in members]
        if group:
            parts.append(Text(group, style="bold underline"))
        many = group or len(asked.answers) > _FEW_WORDS
        parts.append(Columns(texts, padding=(0, 3), column_first=True) if many else Group(*texts))
    if left := len(asked.answers) - len(listed):
        parts.append(Text(f"  and {left} where nobody is, by their names; answers lists them", style="dim"))
    return Group(*parts)


def notes_of(asked: Question, shown: dict[str, Any], side: int) -> dict[int, Text]:
    """The forces in the regions that answers name, and the odds of an attack on these regions, by action.

    Args:
        asked: the question.
        shown: a picture, from the view of the deciding seat.
        side: the side of this seat.
    """
    notes = {}
    for answer in asked.answers:
        if Block.REGION <= answer.action < Block.CARD:
            region = answer.action - Block.REGION
            note = there(shown, region, side)
            if asked.decision == Decision.ATTACK_TARGET and (origin := shown["about"]["origin"]):
                odds = win_words(odds_of(shown, SIDE_IDS[side], origin, REGION_IDS[region], None))
                note = Text("; ").join(filter(None, (note, Text(odds))))
            if note:
                notes[answer.action] = note
    return notes


def figures(asked: Question, counts: Mapping[int, int]) -> RenderableType | None:
    """The figures that can be selected, for people who type counts; None if no figures are selected.

    Args:
        asked: the question.
        counts: the number of such figures that can be selected, by action.
    """
    kinds = [answer for answer in asked.answers if Block.FIGURE <= answer.action < Block.COUNT]
    if not asked.picking or not kinds:
        return None
    by_nation: dict[int, dict[str, int]] = {}
    for answer in kinds:
        nation, kind = divmod(answer.action - Block.FIGURE, FIGURES_PER_NATION)
        letter = "n" if is_nazgul(nation, kind) else "rel"[kind]
        by_nation.setdefault(nation, {})[letter] = counts[answer.action]
    (nation, first), *others_there = by_nation.items()
    example = " ".join(
        f"{max(1, count - 1)}{letter}"
        + (f":{nation_name(nation)[:3].lower()}" if any(letter in each for _, each in others_there) else "")
        for letter, count in first.items()
    )
    several = len(by_nation) > 1
    words = ", ".join(
        " ".join(f"{count}{letter}" for letter, count in army.items())
        + (f" of {nation_name(nation)}" if several else "")
        for nation, army in by_nation.items()
    )
    others = [answer for answer in asked.answers if Block.CHARACTER <= answer.action < Block.NATION]
    names = "".join(f", {CHARACTER_NAMES[answer.action - Block.CHARACTER]}" for answer in others)
    text = Text(f"  {words}{names}", style="bold")
    rest = [answer.words for answer in asked.answers if answer not in (*kinds, *others)]
    rest = ["all" if words == "the whole army" else words for words in rest]
    text.append(f"  which? such as {', or '.join([example, *rest])}", style="dim")
    return text


def armies(shown: dict[str, Any], wanted: str = "") -> RenderableType | None:
    """The regions by nation: those with forces, or all regions of the nations that match the words.

    None if the words match no nation.
    """
    table = Table(show_header=False, box=None, pad_edge=False)
    everywhere = plain(wanted) in ("", "all")
    nations = (*Nation, -1) if everywhere else nations_named(wanted)
    for nation in nations:
        rows = []
        for region in range(len(REGION_IDS)):
            if REGION_NATION[region] == nation:
                content = _content(shown, region)
                if content.plain or wanted:
                    rows.append((_region_name(shown, region), content))
        if rows:
            style = SIDE_STYLES[NATION_SIDE[nation]] if nation >= 0 else "bold"
            table.add_row(Text(_lands(nation), style=f"{style} underline"))
            for row in rows:
                table.add_row(*row)
    return table if nations else None


def whole_map(shown: dict[str, Any], width: int, height: int, wanted: str = "") -> RenderableType | None:
    """The map, or the lands of the nations that match the words; None if the words match no nation.

    Args:
        shown: a picture.
        width: number of columns to fill.
        height: maximal number of lines, below a legend that may be scrolled away.
        wanted: beginnings of words of a nation's name; empty: all nations.
    """
    if not wanted:
        return Group(Text(map_key(width), style="dim"), drawn(shown, width, height))
    nations = nations_named(wanted)
    regions = [region for region, nation in enumerate(REGION_NATION.tolist()) if nation in nations]
    return drawn(shown, width, height, window_of(regions)) if regions else None


def nations_named(wanted: str) -> list[int]:
    """The nations that words can mean; -1 stands for the Free lands."""
    return [nation for nation in (*Nation, -1) if words_begin(plain(wanted), plain(_lands(nation)))]


def _lands(nation: int) -> str:
    return NATION_NAMES[nation] if nation >= 0 else _FREE_LANDS


def region(shown: dict[str, Any], number: int, width: int, height: int) -> RenderableType:
    """One region: a drawing of its surroundings with at most ``height`` lines, its description, its forces,
    and its neighbours."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row(_region_name(shown, number), Text(_lands(int(REGION_NATION[number]))))
    if VICTORY_POINTS[number]:
        table.add_row("worth", counted(VICTORY_POINTS[number], "victory point"))
    content = _content(shown, number)
    table.add_row("there", content if content.plain else "nobody")
    for place, neighbour in enumerate(surroundings(number)[1:]):
        line = _region_name(shown, neighbour)
        who = _content(shown, neighbour)
        table.add_row("next to it" if place == 0 else "", Text.assemble(line, "  ", who))
    lines = min(_AROUND, height - table.row_count)
    return Group(drawn(shown, width, lines, window_of(surroundings(number))), table)


def hand(shown: dict[str, Any], viewer: int, options: np.ndarray) -> RenderableType:
    """The cards of the viewer, with their texts."""
    me = list(shown["seats"])[viewer]
    mine = shown["hands"][me]
    numbers = [CARD_IDS.index(card) for card in mine["hand"]]
    parts: list[RenderableType] = [_card(number, options) for number in numbers] or [Text("No card in hand.")]
    for key, words in (("given", "Given by your partner"), ("offered", "To be given to your partner")):
        cards = [mine[key]] if isinstance(mine[key], str) else mine[key] or []
        if cards:
            parts.append(Text(f"{words}: {_card_names(cards)}", style="dim"))
    for name, seat in shown["seats"].items():
        if name == me:
            continue
        theirs = shown["hands"][name]
        sizes = ", ".join(f"{theirs['hand_size'][back]} {back.capitalize()}" for back in BACKS)
        given = f"; given by you: {_card_names(theirs['given'])}" if theirs["given"] else ""
        parts.append(Text(f"{seat['title']}: hand {sizes}{given}", style="dim"))
    for side, name in enumerate(SIDE_IDS):
        for card in shown["cards"][name]["table"]:
            parts.append(
                Text(f"On the table of {TEAMS[side].with_article}: {CARD_NAMES[CARD_IDS.index(card)]}")
            )
    return Group(*parts)


def card(shown: dict[str, Any], number: int, options: np.ndarray) -> RenderableType:
    """One card, and its place if the viewer may know it."""
    places = [shown["cards"][SIDE_IDS[2 * number // NUM_CARDS]], *shown["hands"].values()]
    where = [
        words
        for zone, words in _ZONE_WORDS.items()
        for place in places
        if CARD_IDS[number] in (place.get(zone) or ())
    ]
    return Group(_card(number, options), Text(f"  {where[0] if where else 'not seen'}", style="dim"))


def _card_names(cards: Iterable[str]) -> str:
    return ", ".join(CARD_NAMES[CARD_IDS.index(card)] for card in cards)


def character(shown: dict[str, Any], number: int, options: np.ndarray) -> RenderableType:
    """The card of a character, and his place."""
    name = CHARACTER_IDS[number]
    fellowship = shown["fellowship"]
    in_regions = [
        REGION_NAMES[REGION_IDS.index(region)]
        for region, there in shown["regions"].items()
        if name in there["characters"]
    ]
    if name in fellowship["companions"] or (number == Character.GOLLUM and fellowship["gollum"]):
        where = "guides the Fellowship" if name == fellowship["guide"] else "in the Fellowship"
    else:
        where = f"in {in_regions[0]}" if in_regions else "not on the board"
    text = Text(CHARACTER_NAMES[number], style=SIDE_STYLES[CHARACTER_SIDE[number]])
    text.append(f"\n  {character_text(number, options)}", style="default")
    return Group(text, Text(f"  {where}", style="dim"))


def dice(shown: dict[str, Any]) -> RenderableType:
    """Action dice, Hunt Box and Rings of both sides."""
    table = Table(box=None, pad_edge=False)
    for column in ("", "unused dice", "used", "pool", "Hunt Box", "Elven Rings"):
        table.add_column(column)
    for side, name in enumerate(SIDE_IDS):
        here = shown["dice"][name]
        numbers = (str(here[key]) for key in ("used", "pool", "hunt_box", "rings"))
        table.add_row(Text(SIDE_NAMES[side], style=SIDE_STYLES[side]), _faces(here), *numbers)
    return table


def fellowship(shown: dict[str, Any]) -> RenderableType:
    """The Fellowship, its members, and the Hunt tiles."""
    here, hunt = shown["fellowship"], shown["hunt"]
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("place", _place(here))
    table.add_row("Corruption", f"{here['corruption']} of 12")
    for who in here["companions"] + (["gollum"] if here["gollum"] else []):
        number = CHARACTER_IDS.index(who)
        level = f"Level {CHARACTER_LEVEL[number]}, Leadership {CHARACTER_LEADERSHIP[number]}"
        table.add_row("Guide" if who == here["guide"] else "", f"{CHARACTER_NAMES[number]} ({level})")
    for key, words in (("pool", "Hunt Pool"), ("drawn", "drawn"), ("waiting", "for Mordor")):
        names = [TILE_NAMES[TILE_IDS.index(tile)] for tile in hunt[key]]
        counts = "; ".join(f"{names.count(name)} x {name}" for name in dict.fromkeys(names))
        table.add_row(words, counts or "none")
    if hunt["roll"] is not None:
        table.add_row("Hunt roll", _hunt_roll(hunt["roll"]))
    return table


def _hunt_roll(roll: dict[str, Any]) -> str:
    """The dice and target number of the Hunt roll for the next move of the Fellowship."""
    if not roll["dice"]:
        return "no dice in the Hunt Box"
    dice, rerolls = counted(roll["dice"], "die", "dice"), min(roll["dice"], roll["rerolls"])
    if rerolls:
        dice += f" and {counted(rerolls, 're-roll')}"
    return f"if it moves: {dice}, {roll['needed']} or more succeeds, {roll['chance']:.0%} chance of a tile"


def politics(shown: dict[str, Any]) -> RenderableType:
    """The political track."""
    table = Table(box=None, pad_edge=False)
    for column in ("nation", "to war", ""):
        table.add_column(column)
    for number, name in enumerate(NATION_IDS):
        here = shown["politics"][name]
        steps = here["steps_to_war"]
        table.add_row(
            Text(NATION_NAMES[number], style=SIDE_STYLES[NATION_SIDE[number]]),
            counted(steps, "step") if steps else "At War",
            "active" if here["active"] else "passive",
        )
    return table


def _answer(answer: Answer, default: Answer | None, note: Text | None = None) -> Text:
    text = Text(f"{answer.label:>3} " if answer.label else "    ", style="cyan")
    text.append(short(answer), style="default")
    if note is not None:
        text.append("  ").append_text(note)
    if answer is default:
        text.append(" (Enter)", style="dim")
    return text


def _place(here: dict[str, Any]) -> str:
    seen = "revealed" if here["revealed"] else "hidden"
    if here["mordor_step"]:
        return f"on step {here['mordor_step']} of the Mordor Track, {seen}"
    progress = f" +{here['progress']}" if here["progress"] else ""
    return f"{REGION_NAMES[REGION_IDS.index(here['region'])]}{progress}, {seen}"


def _faces(here: dict[str, Any]) -> str:
    faces = (f"{count} {FACE_NAMES[FACE_IDS.index(face)]}" for face, count in here["unused"].items())
    return ", ".join(faces) or "no dice"


def _region_name(shown: dict[str, Any], number: int) -> Text:
    """The name and kind of a region, in the colour of the controlling side."""
    text = Text(REGION_NAMES[number])
    kind = Settlement(int(SETTLEMENT[number]))
    words = [kind.name.capitalize()] if kind != Settlement.NONE else []
    words += ["Fortification"] if FORTIFICATION[number] else []
    there = shown["regions"].get(REGION_IDS[number])
    if there and there["control"]:
        side = SIDE_IDS.index(there["control"])
        text.stylize(SIDE_STYLES[side])
        if side != REGION_SIDE[number]:
            words.append(f"taken by {TEAMS[side].with_article}")
        if there["besieged"]:
            words.append("besieged")
    if words:
        text.append(f" ({', '.join(words)})", style="dim")
    return text


def _content(shown: dict[str, Any], number: int) -> Text:
    there = shown["regions"].get(REGION_IDS[number])
    texts = []
    for army in there["armies"] if there else ():
        figures = [
            f"{nation.capitalize()} {' '.join(counts_words(NATION_IDS.index(nation), counts))}"
            for nation, counts in army["figures"].items()
        ]
        one = " (one army)" if army["mixed"] else ""
        words = f"{'garrison: ' if army['garrison'] else ''}{', '.join(figures)}{one}"
        texts.append(Text(words, style=SIDE_STYLES[SIDE_IDS.index(army["side"])].removeprefix("bold ")))
    names = [_CHARACTER_OF[who] for who in there["characters"]] if there else []
    if names:
        texts.append(Text(", ".join(names), style="bold"))
    here = shown["fellowship"]
    if here["region"] == REGION_IDS[number]:
        texts.append(Text("the Fellowship", style=RING))
    return Text("; ").join(texts)


def _card(number: int, options: np.ndarray) -> Text:
    side = 2 * number // NUM_CARDS
    text = Text(CARD_NAMES[number], style=SIDE_STYLES[side])
    deck = BACKS[number // CARDS_PER_DECK % len(BACKS)].capitalize()
    text.append(f"  {deck} deck, {_ICONS[CARD_ICON[number]]} die\n", style="dim")
    text.append(f"  {card_text(number, options)}\n", style="default")
    text.append(f"  in battle, {COMBAT_NAMES[number]}: ", style="dim")
    text.append(combat_text(number, options), style="default")
    return text
