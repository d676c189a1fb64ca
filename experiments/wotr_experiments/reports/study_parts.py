"""The parts of a study's pages: sentences, tables and plots, in the order in which they are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wotr_env.codes import SIDE_IDS, Face, Plan
from wotr_env.words.names import FACE_NAMES, PLAN_WORDS, SIDE_NAMES
from wotr_experiments.arena.summary import share
from wotr_experiments.arena.tables import NOTHING, share_text, words
from wotr_experiments.reports import charts
from wotr_experiments.study.figures import BANDS, EYE, HUNT_BOX, band_name
from wotr_experiments.study.options import EDITION

TITLES = dict(zip(SIDE_IDS, SIDE_NAMES, strict=True))
_FEW = 0.01
"""Turns that so small a share of the games reach are not told one by one."""
_MOST_FALLS, _MOST_REGIONS, _MOST_CARDS = 16, 12, 12
"""Rows of tables that have the rest in ``figures.json``."""
_LEAST_PLAYED = 0.02
"""Share of the games in which a card is played that is told of."""
_ENDS = {
    "corruption": "Corruption",
    "shadow_military": "conquest by the Shadow",
    "ring_destroyed": "the Ring is destroyed",
    "free_peoples_military": "conquest by the Free Peoples",
    "turn_limit": "turn limit",
}
"""In the order in which they are stacked; the names are classes, too."""
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
    "nothing": ("kind-10", (Plan.SKIP, Plan.BUY_OFF)),
}
"""Uses of dice that have a colour together: its class, and the plans."""
_WORDS_OF_USES = {
    HUNT_BOX: "into the Hunt Box by choice",
    EYE: "an Eye, into the Hunt Box",
    **{plan.name.lower(): PLAN_WORDS[plan] for plan in Plan},
}
_FACES = {face.name.lower(): FACE_NAMES[face] for face in Face}


@dataclasses.dataclass(frozen=True)
class Plot:
    """A chart with a name for its file."""

    name: str
    title: str
    svg: str
    broad: bool = False
    """Whether it is as wide as the page."""


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of cells in words."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: tuple[int, ...] = ()
    """Columns that are no numbers, besides the first."""


Block = str | Table | Sequence[Plot] | Sequence[Table]
"""A paragraph, a table, or plots or tables side by side."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A section."""

    name: str
    title: str
    blocks: Sequence[Block]


def lead(study: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The title, and what is said first."""
    first, second = study["free_peoples"], study["shadow"]
    title = f"how {first} plays" if first == second else f"how {first} plays against {second}"
    who = f"`{first}` against itself" if first == second else f"`{first}` (Free Peoples) against `{second}`"
    return title, [
        f"{study['games']:,} games of {who}, {study['ruleset']}, seed {study['seed']}; made by "
        f"`{study['command']}`.",
        "In brackets are 95% intervals, behind ± half of one: Wilson's of shares of games; of dice, tiles "
        "and Hunts, of which a game has many, by how much games differ. A mean turn is that of the games in "
        "which the thing happened. Games that were over before a turn do not count there. Everything is "
        "counted with all that is hidden, and is in `figures.json` of the study's folder. It is how these "
        "bots play, not how the game should be played.",
    ]


def parts_of(study: Mapping[str, Any]) -> list[Part]:
    """All parts, from the figures as ``figures.json`` has them."""
    parts = [
        Part("ends", "Ends", _ends(study)),
        Part("rush", "The rush", _rush(study)),
        Part("turns", "Turn by turn", _turns(study)),
        Part("hunt", "The Hunt", _hunt(study)),
        Part("dice", "Action dice", list(_dice(study))),
        Part("fellowship", "The Fellowship", _fellowship(study)),
        Part("companions", "Guides and Companions", _companions(study)),
        Part("politics", "Nations and characters", _politics(study)),
        Part("captures", "Captures", _captures(study)),
        Part("cards", "Cards", list(_cards(study))),
    ]
    if study["options"]:
        parts.append(Part("options", "Disputed options", _options(study)))
    return parts


# --- In words. ---


def mean_text(found: Mapping[str, Any], digits: int = 1) -> str:
    """``7.9 ± 0.1``; a dash for the mean of nothing."""
    if found["mean"] is None:
        return NOTHING
    error = "" if found["error_95"] is None else f" ± {found['error_95']:.{digits}f}"
    return f"{found['mean']:.{digits}f}{error}"


def ratio_text(found: Mapping[str, Any]) -> str:
    """The same of a share of many things of each game."""
    if found["share"] is None:
        return NOTHING
    low, high = found["interval_95"]
    return f"{found['share']:.1%} ({low:.1%} to {high:.1%})"


def _plain(found: Mapping[str, Any]) -> str:
    return NOTHING if found["share"] is None else f"{found['share']:.1%}"


def _percents(found: Mapping[str, Any]) -> tuple[float, float, float]:
    low, high = found["interval_95"]
    return 100 * found["share"], 100 * low, 100 * high


def _points(turns: Sequence[Mapping[str, Any]], key: str, *inner: str) -> list[charts.Point]:
    """A line over turns; x begins at 0, before the first."""
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
            charts.histogram(_by_number(lengths[name]["turns"]), "turns", name),
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
                charts.histogram(_by_number(ends["corruption"]), "Corruption", "corruption"),
            ),
        ],
        f"Victory points at the end, mean: {points}. Choices in a game: {mean_text(ends['decisions'], 0)}.",
    ]


def _by_number(counts: Mapping[str, int]) -> dict[int, int]:
    return {int(number): count for number, count in counts.items()}


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
        f"Of the {rush['lasted']['count']:,} games that went on after turn {early}, the Shadow put no die "
        f"into the Hunt Box by choice in any of the turns 1 to {early} in "
        f"{share_text(rush['none_by_choice'])}; in {share_text(rush['none_at_all'])} there was no Eye "
        f"either. It put in {mean_text(rush['by_choice']['mean'])} dice in these turns. It won by conquest "
        f"in {share_text(rush['shadow_military'])} of all games, in turn "
        f"{mean_text(rush['shadow_military']['turn'])}."
    )
    return [
        sentences,
        "What early networks rushed for, one plan learned once: the games in which each fell, and when.",
        [
            Table(("falls", "games (95%)", "turn, mean"), falls),
            Table(("of these five fell", "games", "share (95%)"), fallen),
        ],
        f"What the Free Peoples win by how much the Shadow hunted early; a correlation, no cause. Games that "
        f"went on after turn {early}.",
        Table((f"dice put in, turns 1 to {early}", "games", "Free Peoples win (95%)"), hunters),
    ]


def _span(each: Mapping[str, Any]) -> str:
    first, last = each["from"], each["to"]
    return f"{first} or more" if last is None else f"{first}" if first == last else f"{first} to {last}"


# --- Turn by turn. ---


def _turns(study: Mapping[str, Any]) -> list[Block]:
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
        "Moves by a die, in the turn; the other figures are those at its end. Walked: regions of progress, "
        "and steps on the Mordor Track.",
    ]


# --- The Hunt. ---


def _hunt(study: Mapping[str, Any]) -> list[Block]:
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
        "The Hunt Box is that of Shadow dice when the dice of the turn are rolled; Hunts and tiles are "
        "those of the turn.",
        totals,
        [
            Table(("cause of a Hunt", "in a game, mean"), causes),
            Table(("dice of a Hunt outside of Mordor", "Hunts", "successful", "share (95%)"), rolls),
            Table(("tile", "drawn", "share of the tiles (95%)"), tiles),
        ],
    ]


def _stack(numbers: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Shares of none, 1, 2, and more."""
    found = dict.fromkeys(_DICE_CLASSES, 0.0)
    for number, each in numbers.items():
        name = {"0": "none", "1": "1", "2": "2"}.get(number, "3 or more")
        found[name] += each["share"]
    return found


def _share_of(found: Mapping[str, Any], number: str) -> str:
    return share_text(found["numbers"].get(number) or share(0, found["games"]))


# --- Action dice. ---


def _dice(study: Mapping[str, Any]) -> Iterator[Block]:
    bands = [band_name(band) for band in BANDS]
    yield [
        Plot(
            f"dice-{side}",
            f"What the {TITLES[side]} used their dice for"
            if side == SIDE_IDS[0]
            else "What the Shadow used its dice for",
            _uses_chart(study["dice"][side]["uses"], bands),
        )
        for side in SIDE_IDS
    ]
    yield (
        "Faces rolled, then what dice were used for, as shares of the side's dice in these turns. The face "
        "of a die is that at its use, after an Elven Ring."
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
                *(_plain(found[band]) for band in shown),
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
            f"{TITLES[side]}: an Elven Ring in {share_text(rings)} of the games, the first in turn "
            f"{mean_text(rings['turn'])}{f' ({changes})' if changes else ''}; passed "
            f"{mean_text(dice['passes'])} times a game."
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


# --- The Fellowship. ---


def _fellowship(study: Mapping[str, Any]) -> list[Block]:
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
                    charts.histogram(_by_number(entered["turns"]), "turn", "moss"),
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


def _companions(study: Mapping[str, Any]) -> list[Block]:
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


def _politics(study: Mapping[str, Any]) -> list[Block]:
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


def _captures(study: Mapping[str, Any]) -> list[Block]:
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
        each["region"]: [(each["side"], *_percents(each), f"{each['region']}: {share_text(each)}")]
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


def _cards(study: Mapping[str, Any]) -> Iterator[Block]:
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
                _plain(card["drawn"]),
                share_text(card["played"]),
                mean_text(card["played"]["turn"]),
                _plain(card["fought"]),
                share_text(card["won_if_played"]),
                share_text(card["won_if_kept"]),
            ]
            for card in most
            if card["played"]["share"] >= _LEAST_PLAYED
        ]
        head = (TITLES[side], "deck", "drawn", "played (95%)", "turn", "in battle")
        yield Table((*head, "wins if played (95%)", "wins if kept (95%)"), rows, words=(1,))


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
                _plain(row["otherwise"]),
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
        f"The same seeds were played again with each option changed that editions or readings of the rules "
        "differ in (`wotr rules --options` explains them); without a change the Free Peoples win "
        f"{share_text(base)} of these games. The difference is that between games of the same seed; "
        "*otherwise* is the share of them that went another way. One interval in twenty misses by luck "
        "alone, and the bot has not learned the changed rule: what players would make of it in time is "
        "another question.",
        [
            Plot(
                "options",
                "Change of what the Free Peoples win, in percentage points",
                charts.intervals(marks, "percentage points", 0.0),
                True,
            )
        ],
        Table(head, rows, words=(1,)),
    ]
