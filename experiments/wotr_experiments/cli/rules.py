"""The command ``wotr rules``: texts, functions and tests of rules and cards."""

from __future__ import annotations

import dataclasses
import sys
from collections import ChainMap
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from wotr_env.games.war_of_the_ring.ruleset import explained
from wotr_experiments.arena.result_tables import NOTHING
from wotr_experiments.cli.options import Json, print_json, print_tables
from wotr_experiments.errors import CommandError
from wotr_experiments.rulebook.coverage import (
    TESTS,
    CardCoverage,
    Coverage,
    card_coverage,
    coverage,
    coverage_of_games,
    rule_titles,
    rule_titles_of_games,
)
from wotr_experiments.rulebook.rule_texts import rule_texts

_TOLD = 12
"""Maximal number of rules whose text is printed; for more rules, only the table is printed."""


def rules(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Show only rules or cards with all of these words in the id or title, such as R7.4, D5.3 "
            "(the Duel), TT2.4 (The Two Towers) or siege. If no title matches, the texts of the "
            "rules are searched. The text is printed if only a few rules match."
        ),
    ] = None,
    cards: Annotated[
        bool, typer.Option("--cards", help="Show the event cards instead of the rules.")
    ] = False,
    options: Annotated[
        bool,
        typer.Option("--options", help="Show the options of a ruleset, with their values in both editions."),
    ] = False,
    as_json: Json = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with code 2 if a rule or card lacks a function or a test.")
    ] = False,
) -> None:
    """Show the text of rules, and the functions and tests of each rule or card."""
    wanted = [word.lower() for word in words or ()]
    if options:
        if wanted:
            raise CommandError("--options shows all options: leave out the words")
        _show_options(as_json)
        return
    texts = {} if cards else rule_texts()
    if cards:
        rows = [row for row in card_coverage() if _has(wanted, row.id, row.title, row.combat_title)]
        table = cards_table(rows)
    else:
        titles = ChainMap(rule_titles(), *rule_titles_of_games().values())
        found = {name for name, title in titles.items() if _has(wanted, name, title)}
        if not found:
            found = {name for name, title in titles.items() if _has(wanted, title, texts.get(name, ""))}
        rows = [*coverage(rule_titles(), wanted=found), *coverage_of_games(found)]
        table = rules_table(rows)
    if not rows:
        asked, places = " and ".join(words or ()), "its id or title" if cards else "its id, title or text"
        raise CommandError(f"no {'card' if cards else 'rule'} has {asked} in {places}")
    if not TESTS.is_dir():
        print("wotr: the tests are not part of this installation, only of a source checkout", file=sys.stderr)
    if as_json:
        told = [{"text": texts[row.id]} if row.id in texts else {} for row in rows]
        print_json(
            [
                {**dataclasses.asdict(row), **text, "missing": row.missing}
                for row, text in zip(rows, told, strict=True)
            ]
        )
    else:
        if wanted and len(rows) <= _TOLD:
            print_tables(*(f"{row.id}: {texts[row.id]}\n" for row in rows if row.id in texts), markup=False)
        print_tables(table)
    lacking = [f"{row.id} ({row.missing})" for row in rows if row.missing]
    if check and lacking:
        raise CommandError(
            f"{len(lacking)} of {len(rows)} ids lack a function or a test: {', '.join(lacking)}"
        )


def _has(words: Sequence[str], *texts: str) -> bool:
    """Returns a function that checks whether each word is in one of its texts."""
    return all(any(word in text.lower() for text in texts) for word in words)


def _show_options(as_json: bool) -> None:
    """Prints the options of a ruleset with the meanings of their values."""
    if as_json:
        print_json([dataclasses.asdict(option) for option in explained()])
        return
    table = Table(title="Options of a ruleset")
    for column in ("option", "what it decides", "value", "meaning", "edition"):
        table.add_column(column, overflow="fold")
    for option in explained():
        named, about = option.name, option.about
        for value, meaning in option.meanings.items():
            table.add_row(named, about, value, meaning, ", ".join(option.editions(value)))
            named = about = ""
    print_tables(table)


def rules_table(rows: Sequence[Coverage]) -> Table:
    """The coverage table."""
    complete = sum(not row.missing for row in rows)
    table = Table(title=f"{complete:,} of {len(rows):,} ids complete")
    for column in ("id", "title", "functions", "tests"):
        table.add_column(column, overflow="fold")
    table.add_column("missing", style="red")
    for row in rows:
        functions = ", ".join(row.functions) or NOTHING
        table.add_row(row.id, row.title, functions, ", ".join(row.tests) or NOTHING, row.missing)
    return table


def cards_table(rows: Sequence[CardCoverage]) -> Table:
    """The coverage table of the event cards: both halves, their primitives and their tests."""
    complete = sum(not row.missing for row in rows)
    table = Table(title=f"{complete:,} of {len(rows):,} cards complete")
    for column in ("id", "event and combat half", "conditions", "primitives", "tests"):
        table.add_column(column, overflow="fold")
    table.add_column("missing", style="red")
    for row in rows:
        conditions = ", ".join(row.conditions) or NOTHING
        events, battles = ", ".join(row.event_tests) or NOTHING, ", ".join(row.combat_tests) or NOTHING
        table.add_row(row.id, row.title, conditions, ", ".join(row.event), events, row.missing)
        table.add_row("", row.combat_title, "", ", ".join(row.combat), battles, "")
    return table
