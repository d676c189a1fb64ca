"""How results look: rich tables for people, dictionaries for JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from wotr_agents import BotKind
from wotr_benchmarks.noise import Change, Verdict, compare
from wotr_benchmarks.report import Report, figure, groups, machine_line, remarks
from wotr_env import GameRecord, Ruleset
from wotr_env.actions import ACTION_NAMES
from wotr_env.codes import Decision, Side
from wotr_env.events import trace_of
from wotr_env.words.events import Sentence, Tone, tell
from wotr_env.words.positions import describe
from wotr_experiments.arena.check_bot import Check
from wotr_experiments.dev.coverage import CardCoverage, Coverage

_NOTHING = "-"


def words(name: str) -> str:
    """A code's name for people: ``ring_destroyed`` becomes ``ring destroyed``."""
    return name.lower().replace("_", " ")


def tournament_tables(summary: Mapping[str, Any]) -> list[Table]:
    """The tables of a summary of ``run_tournament``: pairings, kinds of victory, bots, ratings."""
    pairings = Table(title=title(summary))
    for column in ("Free Peoples", "Shadow"):
        pairings.add_column(column)
    for column in ("games", "FP wins (95%)", "SH wins (95%)", "turns", "corruption", "decisions"):
        pairings.add_column(column, justify="right")
    kinds = Table(title="kinds of victory")
    for column in ("Free Peoples", "Shadow"):
        kinds.add_column(column)
    for kind in summary["all"]["kinds"]:
        kinds.add_column(words(kind), justify="right")
    for column in ("forfeits", "in Mordor", "FP points", "SH points"):
        kinds.add_column(column, justify="right")
    rows = [*summary["pairings"], {"free_peoples": "all", "shadow": "", **summary["all"]}]
    for number, row in enumerate(rows):
        if number == len(rows) - 1:
            pairings.add_section()
            kinds.add_section()
        turns = row["turns"]
        pairings.add_row(
            row["free_peoples"],
            row["shadow"],
            f"{row['games']:,}",
            share_text(row["free_peoples_wins"]),
            share_text(row["shadow_wins"]),
            f"{fixed(turns['median'], 0)} ({fixed(turns['mean'], 1)})",
            fixed(row["corruption_mean"], 1),
            fixed(row["decisions_mean"], 0),
        )
        entered, turn = row["mordor"]["entered"], row["mordor"]["turn_mean"]
        kinds.add_row(
            row["free_peoples"],
            row["shadow"],
            *(f"{count:,}" for count in row["kinds"].values()),
            f"{sum(row['forfeits'].values()):,}",
            f"{entered['share']:.0%} (turn {fixed(turn, 1)})" if entered["count"] else _NOTHING,
            fixed(row["free_peoples_points_mean"], 1),
            fixed(row["shadow_points_mean"], 1),
        )
    pairings.caption = "turns: median (mean); corruption at the end and decisions per game: mean"
    kinds.caption = (
        "in Mordor: games whose Fellowship entered it (mean turn); points of enemy Settlements: mean"
    )
    return [pairings, kinds, _bots_of(summary), *_cross(summary), _ratings(summary)]


def _bots_of(summary: Mapping[str, Any]) -> Table:
    table = Table(title="bots")
    table.add_column("bot")
    for column in ("wins (95%)", "as Free Peoples", "as Shadow", "forfeits"):
        table.add_column(column, justify="right")
    for row in summary["results"]:
        table.add_row(
            row["bot"],
            share_text(row["wins"]),
            share_text(row["wins_as_free_peoples"]),
            share_text(row["wins_as_shadow"]),
            forfeits_text(row["forfeits"]),
        )
    return table


def _cross(summary: Mapping[str, Any]) -> list[Table]:
    if len(summary["results"]) < 3:
        return []
    table = Table(title="score of the row against the column, both sides")
    table.add_column("bot")
    names = [row["bot"] for row in summary["results"]]
    for name in names:
        table.add_column(name, justify="right")
    for name, scores in zip(names, summary["cross"], strict=True):
        table.add_row(name, *(_NOTHING if score is None else f"{score:.1%}" for score in scores))
    return [table]


def _ratings(summary: Mapping[str, Any]) -> Table:
    ratings = summary["ratings"]
    table = Table(title="ratings in Elo (95%)")
    table.add_column("bot")
    for column in ("both sides", "as Free Peoples", "as Shadow"):
        table.add_column(column, justify="right")
    for row in sorted(ratings["bots"], key=lambda row: -row["both"]["elo"]):
        table.add_row(row["bot"], *(elo_text(row[key]) for key in ("both", "free_peoples", "shadow")))
    table.caption = (
        "0 is the mean of the bots on each side; there the advantage of the Free Peoples is "
        f"{elo_text(ratings['free_peoples_advantage'])}"
    )
    return table


def compare_table(summary: Mapping[str, Any]) -> Table:
    """The test of a summary of ``run_compare``."""
    table = Table(title=decision_text(summary), show_header=False)
    for row in compare_rows(summary):
        table.add_row(*row)
    return table


def decision_text(summary: Mapping[str, Any]) -> str:
    """The answer of a test in a sentence."""
    first, second = (row["bot"] for row in summary["results"])
    decision = summary["sprt"]["decision"]
    if decision == "undecided":
        return f"undecided whether {first} is stronger than {second}"
    return f"{first} is {decision} than {second}"


def compare_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A test in words: names and values."""
    sprt = summary["sprt"]
    low, high = sprt["bounds"]
    interval = " to ".join("infinite" if end is None else f"{end:+.1f}" for end in sprt["elo_interval_95"])
    elo = "infinite" if sprt["elo"] is None else f"{sprt['elo']:+.1f}"
    return [
        ("question", f"stronger by {sprt['elo1']:g} Elo, or by no more than {sprt['elo0']:g}?"),
        ("error rates", f"alpha {sprt['alpha']:g}, beta {sprt['beta']:g}"),
        ("log-likelihood ratio", f"{sprt['llr']:.2f} (bounds {low:.2f} and {high:.2f})"),
        ("pairs", f"{sprt['pairs']:,}"),
        ("of them with 0, 0.5, 1, 1.5, 2 points", ", ".join(f"{each:,}" for each in sprt["counts"].values())),
        ("Elo difference (95%)", f"{elo} ({interval})"),
    ]


def forfeits_text(forfeits: Mapping[str, int]) -> str:
    """Forfeited games by kind: ``2 illegal, 1 crash``."""
    return ", ".join(f"{count:,} {words(kind)}" for kind, count in forfeits.items() if count) or _NOTHING


def elo_text(estimate: Mapping[str, Any]) -> str:
    """A rating with its interval."""
    low, high = estimate["interval_95"]
    return f"{estimate['elo']:+.0f} ({low:+.0f} to {high:+.0f})"


def checks_table(spec: str, checks: Sequence[Check]) -> Table:
    """What ``wotr check-bot`` found."""
    table = Table(title=f"bot {spec}")
    for column in ("check", "", "found"):
        table.add_column(column)
    for check in checks:
        table.add_row(check.name, "passed" if check.passed else "FAILED", check.found)
    return table


def bots_table(kinds: Sequence[BotKind]) -> Table:
    """The registered bots."""
    table = Table(title="bots")
    for column in ("bot", "what it does", "parameters"):
        table.add_column(column)
    for kind in kinds:
        parameters = bot_to_dict(kind)["parameters"]
        table.add_row(
            kind.name,
            kind.summary,
            "\n".join(f"{each['name']}: {each['type']}, {_default(each)}" for each in parameters) or _NOTHING,
        )
    return table


def bot_to_dict(kind: BotKind) -> dict[str, Any]:
    """A registered bot for JSON; a parameter that must be given has ``required`` true and default null."""
    return {
        "bot": kind.name,
        "summary": kind.summary,
        "parameters": [
            {
                "name": field.name,
                "type": field.type if isinstance(field.type, str) else field.type.__name__,
                "required": field.default is dataclasses.MISSING,
                "default": None if field.default is dataclasses.MISSING else field.default,
            }
            for field in dataclasses.fields(kind.parameters)
        ],
    }


def rules_table(rows: Sequence[Coverage]) -> Table:
    """The coverage table."""
    complete = sum(not row.missing for row in rows)
    table = Table(title=f"{complete:,} of {len(rows):,} ids complete")
    for column in ("id", "title", "functions", "tests"):
        table.add_column(column, overflow="fold")
    table.add_column("missing", style="red")
    for row in rows:
        functions = ", ".join(row.functions) or _NOTHING
        table.add_row(row.id, row.title, functions, ", ".join(row.tests) or _NOTHING, row.missing)
    return table


def cards_table(rows: Sequence[CardCoverage]) -> Table:
    """The coverage table of the event cards: both halves, their primitives and their tests."""
    complete = sum(not row.missing for row in rows)
    table = Table(title=f"{complete:,} of {len(rows):,} cards complete")
    for column in ("id", "event and combat half", "conditions", "primitives", "tests"):
        table.add_column(column, overflow="fold")
    table.add_column("missing", style="red")
    for row in rows:
        conditions = ", ".join(row.conditions) or _NOTHING
        events, battles = ", ".join(row.event_tests) or _NOTHING, ", ".join(row.combat_tests) or _NOTHING
        table.add_row(row.id, row.title, conditions, ", ".join(row.event), events, row.missing)
        table.add_row("", row.combat_title, "", ", ".join(row.combat), battles, "")
    return table


def bench_tables(report: Report, earlier: Report | None = None) -> list[Table]:
    """The measurements, a table for each group; with an earlier report each is compared with its own."""
    known = {} if earlier is None else earlier.by_name()
    tables = []
    for group, measurements in groups(report).items():
        table = Table(title=group or "benchmarks", title_justify="left")
        table.add_column("benchmark", no_wrap=True)
        compared = ["against"] if any(each.name in known for each in measurements) else []
        for column in ("median", "unit", "spread", "runs", "batch", "threads", "peak MB", *compared):
            table.add_column(column, justify="left" if column == "unit" else "right", no_wrap=True)
        table.add_column("what is measured")
        for each in measurements:
            row = [
                each.name,
                figure(each.median),
                each.unit,
                f"{each.spread:.0%}",
                str(len(each.runs)),
                f"{each.batch:,}",
                str(each.threads),
                _NOTHING if each.peak_memory is None else f"{each.peak_memory / 2**20:,.0f}",
            ]
            if compared:
                row.append(_change(compare(each, known[each.name])) if each.name in known else _NOTHING)
            table.add_row(*row, "; ".join(part for part in (each.what, remarks(each)) if part))
        tables.append(table)
    if tables:
        tables[-1].caption = f"{machine_line(report)}; compiling before took {report.compile_seconds:.0f} s"
    return tables


def _change(change: Change) -> str:
    colour = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.SAME: "dim"}[change.verdict]
    return f"[{colour}]{change.speed:.2f}x {change.verdict}[/]"


def game_to_dict(record: GameRecord) -> dict[str, Any]:
    """A record with every decision, what it did and that in words, for JSON; it must have been verified."""
    state = record.replay(0).state
    decisions = []
    for number, action in enumerate(record.actions, start=1):
        trace = trace_of(state, action)
        decisions.append(
            {
                "number": number,
                "turn": int(state["turn"]),
                "side": Side(int(state["seat"])).name.lower(),
                "decision": Decision(int(state["decision"])).name.lower(),
                "action": ACTION_NAMES[action],
                "events": [event.to_dict() for event in trace.events()],
                "told": [_told(sentence) for sentence in tell(trace, None)],
            }
        )
        state = trace.after
    return {**_record_to_dict(record), "decisions": decisions, "position": describe(state)}


def _told(sentence: Sentence) -> dict[str, Any]:
    side = None if sentence.side is None else Side(sentence.side).name.lower()
    return {"tone": sentence.tone, "side": side, "text": sentence.text, "opens": sentence.opens}


def game_text(shown: Mapping[str, Any]) -> str:
    """``game_to_dict`` as text: choices of a side in a line, what came of them below it, the last position.

    A line begins with the number of its first decision.
    """
    lines = [_heading(shown), *(f"\nTurn {first['turn']}" for first in shown["decisions"][:1])]
    choosing: str | None = None  # whose choices the last line holds
    for decision in shown["decisions"]:
        for told in decision["told"]:
            tone, text = told["tone"], told["text"]
            if tone in (Tone.CHOICE, Tone.FORCED):
                words_of = f"({text})" if tone == Tone.FORCED else text
                if choosing == told["side"] and not told["opens"]:
                    lines[-1] += f" · {words_of}"
                else:
                    lines.append(f"{decision['number']:>6}  {words(told['side']).title()}: {words_of}")
                choosing = told["side"]
            elif tone != Tone.TEXT:
                lines.append(f"\n{text}" if tone == Tone.TURN else f"          {text}")
                choosing = None
    return "\n".join([*lines, "", shown["position"]])


def position_to_dict(record: GameRecord, at: int) -> dict[str, Any]:
    """The position of a verified record after ``at`` decisions, for JSON."""
    game = record.replay(at)
    played = record.actions[at] if at < len(record.actions) else None
    return {
        **_record_to_dict(record),
        "at": at,
        "position": game.describe(),
        "side": None if game.over else game.side.name.lower(),
        "decision": None if game.over else game.decision.name.lower(),
        "legal": [ACTION_NAMES[action] for action in game.legal()],
        "played": None if played is None else ACTION_NAMES[played],
    }


def position_text(shown: Mapping[str, Any]) -> str:
    """``position_to_dict`` as text."""
    lines = [_heading(shown), f"after {shown['at']} decisions", "", shown["position"]]
    if shown["legal"]:
        lines += ["", f"legal: {', '.join(shown['legal'])}"]
    if shown["played"] is not None:
        lines.append(f"played: {shown['played']}")
    return "\n".join(lines)


def _record_to_dict(record: GameRecord) -> dict[str, Any]:
    fields = json.loads(record.to_json())
    del fields["actions"]
    return fields


def _heading(shown: Mapping[str, Any]) -> str:
    free_peoples, shadow = (name or "unknown" for name in shown["players"])
    result = shown["result"]
    if result is None:
        end = "not over"
    else:
        end = f"{words(result['winner'])} by {words(result['reason'])} in turn {result['turn']}"
    players = f"{free_peoples} (Free Peoples) against {shadow} (Shadow)"
    return f"{players}, seed {shown['seed']}, {_rules(shown['ruleset'])}: {end}"


def title(summary: Mapping[str, Any]) -> str:
    """What was played, in one line."""
    return f"{summary['all']['games']:,} games, seed {summary['seed']}, {_rules(summary['ruleset'])}"


def _rules(options: Mapping[str, Any]) -> str:
    """A ruleset in words, from ``Ruleset.to_dict``."""
    ruleset = Ruleset.from_dict(dict(options))
    limit = f", at most {ruleset.max_turns} turns" if ruleset.max_turns else ""
    for name, make in (("first", Ruleset.first_edition), ("second", Ruleset.second_edition)):
        if ruleset == make(max_turns=ruleset.max_turns):
            return f"{name} edition{limit}"
    return "first edition with " + ", ".join(f"{name}={value}" for name, value in options.items())


def share_text(share: Mapping[str, Any]) -> str:
    """A rate with its interval, or a dash."""
    low, high = share["interval_95"]
    return f"{share['share']:.1%} ({low:.1%} to {high:.1%})" if share["games"] else _NOTHING


def fixed(value: float | None, digits: int) -> str:
    """A number with so many digits behind the point, or a dash."""
    return _NOTHING if value is None else f"{value:,.{digits}f}"


def _default(parameter: Mapping[str, Any]) -> str:
    return "must be given" if parameter["required"] else f"default {parameter['default']}"
