"""The profile by line of the compiled rules, without the minutes that a real one takes."""

from __future__ import annotations

import collections
import shutil

import pytest
import typer.testing

from wotr_benchmarks import lines


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(lines.main)
    return app


def _profile() -> lines.Profile:
    inner = lines.Place("rules/a.py:inner", "rules/a.py:3", ("rules/a.py:inner", "rules/b.py:outer"))
    outer = lines.Place("rules/b.py:outer", "rules/b.py:9", ("rules/b.py:outer",))
    return lines.Profile(500.0, collections.Counter({inner: 3, outer: 1}))


def test_a_function_is_told_with_what_it_inlines_and_without():
    assert _profile().by("function") == [("rules/a.py:inner", 0.75), ("rules/b.py:outer", 0.25)]
    assert _profile().by("inlined") == [("rules/b.py:outer", 1.0), ("rules/a.py:inner", 0.75)]
    assert _profile().by("line") == [("rules/a.py:3", 0.75), ("rules/b.py:9", 0.25)]


def test_names_are_those_of_the_source():
    assert lines._bare("wotr_env::rules::dice::can_plan[abi:v7](Record<1>, long long)") == "can_plan"
    assert (
        lines._short("/somewhere/wotr_env/games/war_of_the_ring/rules/dice.py")
        == "war_of_the_ring/rules/dice.py"
    )
    assert (
        lines._short("/somewhere/<dispatch wotr_env.games.war_of_the_ring.rules.flow.legal>")
        == "wotr_env.games.war_of_the_ring.rules.flow.legal"
    )
    assert lines._short("/x/site-packages/numba/builtins.py") == "numba/builtins.py"


def test_tools_that_are_not_there_are_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == "perf" else tool)
    assert lines.missing_tools() == ["perf"]
    result = typer.testing.CliRunner().invoke(_app(), [])
    assert result.exit_code == 2
    assert "perf must be installed" in result.output


def test_the_tables_show_shares_and_nanoseconds(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda tool: tool)
    monkeypatch.setattr(lines, "profile", lambda _seconds, _play: _profile())
    result = typer.testing.CliRunner().invoke(_app(), ["--play", "observed", "--top", "1"])
    assert result.exit_code == 0
    assert "500 ns each, by function" in result.output
    assert "375.0" in result.output
    assert "rules/b.py:9" not in result.output


@pytest.mark.parametrize("seconds", ["0", "-1", "much"])
def test_a_profile_of_no_time_is_refused(seconds):
    assert typer.testing.CliRunner().invoke(_app(), ["--seconds", seconds]).exit_code == 2
