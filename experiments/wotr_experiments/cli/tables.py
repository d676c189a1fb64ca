"""How results look: rich tables for people, dictionaries for JSON."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from wotr_agents import BotKind
from wotr_benchmarks.noise import Change, Verdict, compare
from wotr_benchmarks.report import Report, figure, groups, machine_line, remarks
from wotr_env import GameRecord, Ruleset
from wotr_env.actions import ACTION_NAMES
from wotr_experiments.arena.check_bot import Check
from wotr_experiments.arena.tables import words
from wotr_experiments.dev.coverage import CardCoverage, Coverage

_NOTHING = "-"


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
    """A record with every decision in words, for JSON; the record must have been verified."""
    game = record.replay(0)
    decisions = []
    for number, action in enumerate(record.actions, start=1):
        decisions.append(
            {
                "number": number,
                "turn": int(game.state["turn"]),
                "side": game.side.name.lower(),
                "decision": game.decision.name.lower(),
                "action": ACTION_NAMES[action],
            }
        )
        game.step(action)
    return {**_record_to_dict(record), "decisions": decisions, "position": game.describe()}


def game_text(shown: Mapping[str, Any]) -> str:
    """``game_to_dict`` as text: a line for each run of decisions of one side, then the last position."""
    lines = [_heading(shown)]
    for turn, of_turn in itertools.groupby(shown["decisions"], key=lambda each: each["turn"]):
        lines.append(f"\nTurn {turn}")
        for side, of_side in itertools.groupby(of_turn, key=lambda each: each["side"]):
            run = list(of_side)
            actions = ", ".join(each["action"] for each in run)
            lines.append(f"{run[0]['number']:>6}  {words(side).title()}: {actions}")
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
    ruleset = Ruleset.from_dict(shown["ruleset"])
    players = f"{free_peoples} (Free Peoples) against {shadow} (Shadow)"
    return f"{players}, seed {shown['seed']}, {ruleset.title}: {end}"


def _default(parameter: Mapping[str, Any]) -> str:
    return "must be given" if parameter["required"] else f"default {parameter['default']}"
