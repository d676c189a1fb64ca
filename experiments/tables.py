"""How results look: rich tables for people, dictionaries for JSON."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from agents import BotKind
from benchmarks.harness import Measurement
from experiments.coverage import CardCoverage, Coverage
from wotr_env import GameRecord, Ruleset
from wotr_env.actions import ACTION_NAMES

_NOTHING = "-"


def words(name: str) -> str:
    """A code's name for people: ``ring_destroyed`` becomes ``ring destroyed``."""
    return name.lower().replace("_", " ")


def tournament_tables(summary: Mapping[str, Any]) -> list[Table]:
    """The tables of a summary of ``run_tournament``: pairings by side, their kinds of victory, bots."""
    pairings = Table(title=_title(summary))
    for column in ("Free Peoples", "Shadow"):
        pairings.add_column(column)
    for column in ("games", "FP wins (95%)", "SH wins (95%)", "turns", "corruption", "decisions"):
        pairings.add_column(column, justify="right")
    kinds = Table(title="kinds of victory")
    for column in ("Free Peoples", "Shadow"):
        kinds.add_column(column)
    for kind in summary["all"]["kinds"]:
        kinds.add_column(words(kind), justify="right")
    rows = [*summary["pairings"], {"free_peoples": "all", "shadow": "", **summary["all"]}]
    for number, row in enumerate(rows):
        if number == len(rows) - 1:
            pairings.add_section()
            kinds.add_section()
        pairings.add_row(
            row["free_peoples"],
            row["shadow"],
            f"{row['games']:,}",
            _share(row["free_peoples_wins"]),
            _share(row["shadow_wins"]),
            f"{row['turns']['median']:.0f} ({row['turns']['mean']:.1f})",
            f"{row['corruption_mean']:.1f}",
            f"{row['decisions_mean']:,.0f}",
        )
        kinds.add_row(row["free_peoples"], row["shadow"], *(f"{count:,}" for count in row["kinds"].values()))
    pairings.caption = "turns: median (mean); corruption at the end and decisions per game: mean"
    bots = Table(title="bots")
    bots.add_column("bot")
    for column in ("wins (95%)", "as Free Peoples", "as Shadow"):
        bots.add_column(column, justify="right")
    for row in summary["results"]:
        bots.add_row(
            row["bot"],
            _share(row["wins"]),
            _share(row["wins_as_free_peoples"]),
            _share(row["wins_as_shadow"]),
        )
    return [pairings, kinds, bots]


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


def bench_table(
    measurements: Sequence[Measurement], machine: Mapping[str, Any], earlier: Mapping[str, float]
) -> Table:
    """The measurements; ``earlier`` has medians by name to compare with."""
    table = Table(title=f"median of the runs; {machine['processor']}, {machine['cores']} cores available")
    table.add_column("benchmark")
    for column in ("median", "unit", "spread", "runs", "batch", "threads", *(["earlier"] if earlier else [])):
        table.add_column(column, justify="left" if column == "unit" else "right")
    table.add_column("what is measured")
    for each in measurements:
        row = [
            each.name,
            _number(each.median),
            each.unit,
            f"{each.spread:.0%}",
            str(len(each.runs)),
            f"{each.batch:,}",
            str(each.threads),
        ]
        if earlier:
            known = earlier.get(each.name)
            row.append(_NOTHING if known is None else f"{_number(known)} ({each.median / known:.2f}x)")
        table.add_row(*row, each.what)
    return table


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
    players = f"{free_peoples} (Free Peoples) against {shadow} (Shadow)"
    return f"{players}, seed {shown['seed']}, {_rules(shown['ruleset'])}: {end}"


def _title(summary: Mapping[str, Any]) -> str:
    return f"{summary['all']['games']:,} games, seed {summary['seed']}, {_rules(summary['ruleset'])}"


def _rules(options: Mapping[str, Any]) -> str:
    """A ruleset in words, from ``Ruleset.to_dict``."""
    ruleset = Ruleset.from_dict(dict(options))
    limit = f", at most {ruleset.max_turns} turns" if ruleset.max_turns else ""
    for name, make in (("first", Ruleset.first_edition), ("second", Ruleset.second_edition)):
        if ruleset == make(max_turns=ruleset.max_turns):
            return f"{name} edition{limit}"
    return "first edition with " + ", ".join(f"{name}={value}" for name, value in options.items())


def _share(share: Mapping[str, Any]) -> str:
    low, high = share["interval_95"]
    return f"{share['share']:.1%} ({low:.1%} to {high:.1%})" if share["games"] else _NOTHING


def _default(parameter: Mapping[str, Any]) -> str:
    return "must be given" if parameter["required"] else f"default {parameter['default']}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
