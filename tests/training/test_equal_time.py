"""Comparing options of learning at equal compute."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path

import pytest

from wotr_experiments.arena.statistics import student_t
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training import equal_time
from wotr_experiments.training.equal_time import Plan, Results, Trained, processor_seconds, table_of
from wotr_experiments.training.run_folder import CONFIG, FORMAT, METRICS

TINY = "--game duel --width 8 --hidden 8 --games 8 --steps 16 --workers 1 --evaluate-games 1"


@pytest.fixture
def compare(run_main):
    return functools.partial(run_main, equal_time.main)


def plan_of(tmp_path, variants='first = ""\nsecond = "--epochs 2"'):
    path = tmp_path / "plan.toml"
    path.write_text(f'options = "{TINY}"\n[variants]\n{variants}\n')
    return path


START = 2.0
"""Processor time of a start, in seconds."""
PACES = {1: 1000.0, 2: 500.0}
"""Decisions per second of processor time, by ``--epochs``."""


@pytest.fixture
def measured(monkeypatch, capsys):
    """Commands run in this process, and their processor time is what their decisions would take."""

    def run(arguments):
        folder = Path(arguments[1])
        before = equal_time.decisions_of(folder) if (folder / METRICS).exists() else 0
        if cli.main(list(arguments)):
            raise CommandError(capsys.readouterr().err.splitlines()[-1].removeprefix("wotr: "))
        pace = PACES[json.loads((folder / CONFIG).read_text())["ppo"]["epochs"]]
        return START + (equal_time.decisions_of(folder) - before) / pace

    def answered(command, **_options):
        code = cli.main(command[len(equal_time._WOTR) :])
        return subprocess.CompletedProcess(command, code, *capsys.readouterr())

    monkeypatch.setattr(equal_time, "processor_seconds", run)
    monkeypatch.setattr(equal_time.subprocess, "run", answered)
    return run


def test_variants_are_trained_and_compared_and_nothing_is_made_twice(tmp_path, compare, measured):
    plan, out = plan_of(tmp_path), tmp_path / "out"
    arguments = [plan, out, "--seconds", 1, "--seeds", 1, "--games", 2, "--against", "random"]
    code, first, _ = compare(*arguments)
    assert code == 0
    lines = first[first.index("|") :].splitlines()
    assert lines[0].startswith("|  | decisions | wins against `random` | ")
    assert lines[2].startswith("| first | ") and lines[3].startswith("| second | ")
    found = json.loads((out / "results.json").read_text())
    assert found["paces"] == pytest.approx({"first": PACES[1], "second": PACES[2]})
    assert [(each["variant"], each["seed"]) for each in found["runs"]] == [("first", 1), ("second", 1)]
    assert all(each["decisions"] >= found["paces"][each["variant"]] for each in found["runs"])
    games = [sum(games for _, games in each["wins"]["random"].values()) for each in found["runs"]]
    assert games == [2, 2]
    table = (out / "table.md").read_text()
    assert first.endswith(table)
    assert compare(*arguments) == (0, table, "")


def runs_of(**wins):
    """Runs of variants, from the games that each run won of 50 as each team."""
    return [
        Trained(name, seed, 1_000_000, 9.0, {"scripted": {"fellowship": (first, 50), "sauron": (second, 50)}})
        for name, runs in wins.items()
        for seed, (first, second) in enumerate(runs)
    ]


def test_a_table_pools_runs_and_tells_how_much_runs_differ():
    runs = runs_of(base=[(10, 30), (20, 40)], more=[(20, 25), (30, 35)])  # 40%, 60% and 45%, 65%
    head, _, base, more = table_of(runs, ["base", "more"], ["scripted"]).splitlines()
    assert head.endswith(" | more than the first |")
    assert base == "| base | 2.0M | 50.0% (43.1% to 56.9% of 200) | 30.0% | 70.0% |  |"
    reach = 4.3027 * (2 * 10**2) ** 0.5  # Student's t with two degrees of freedom
    assert more.endswith(f" | +5.0 ({5 - reach:.1f} to +{5 + reach:.1f}) |")


def test_single_runs_tell_of_these_networks_only():
    runs = runs_of(base=[(30, 50)], more=[(40, 40)])
    head, _, base, more = table_of(runs, ["base", "more"], ["scripted"]).splitlines()
    assert head.endswith(" | more than the first (these networks) |")
    assert base == "| base | 1.0M | 80.0% (71.1% to 86.7% of 100) | 60.0% | 100.0% |  |"
    assert more.endswith(" | 80.0% | 80.0% | +0.0 (-11.1 to +11.1) |")


def test_runs_that_agree_by_chance_have_the_spread_of_their_games():
    runs = runs_of(base=[(20, 30)] * 2, more=[(25, 25)] * 2)
    reach = 4.3027 * (2 * 100**2 * 0.25 / 200) ** 0.5
    table = table_of(runs, ["base", "more"], ["scripted"])
    assert table.endswith(f" | +0.0 (-{reach:.1f} to +{reach:.1f}) |\n")


def test_runs_without_any_spread_make_a_table():
    runs = runs_of(base=[(50, 50)] * 2, more=[(50, 50)] * 2)
    won = 200.5 / 201  # with one game added, half won
    reach = 4.3027 * (2 * 100**2 * won * (1 - won) / 200) ** 0.5
    table = table_of(runs, ["base", "more"], ["scripted"])
    assert table.endswith(f" | +0.0 (-{reach:.1f} to +{reach:.1f}) |\n")


def test_results_of_another_plan_are_not_mixed(tmp_path):
    path, asked = tmp_path / "results.json", {"games": 10, "options": []}
    Results(path, asked, {"a": [], "b": ["--epochs", "2"]}).add_pace("a", 5.0)
    again = Results(path, asked, {"a": [], "c": []})
    assert again.paces == {"a": 5.0}
    again.add_pace("c", 6.0)
    for other, variants in (({**asked, "games": 12}, {"a": []}), (asked, {"b": []})):
        with pytest.raises(CommandError, match="has results of another plan or of other options"):
            Results(path, other, variants)


def test_options_of_a_plan_are_a_text(tmp_path):
    path = plan_of(tmp_path)
    path.write_text(path.read_text().replace(f'"{TINY}"', '["--games", "64"]'))
    with pytest.raises(ValueError, match="options must be a text"):
        Plan.read(path)


def test_a_failed_command_without_a_word_has_an_exit_code():
    assert equal_time._last_line("", -9) == "exit code -9"
    assert equal_time._last_line("a\nwotr: b\n", 2) == "b"


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (4, 2.77645), (30, 2.04227), (1e5, 1.95999)]
)
def test_quantiles_of_student(freedom, quantile):
    assert student_t(freedom) == pytest.approx(quantile, rel=1e-5)


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ('only = ""', "at least two variants"),
        ('a = ""\n"../b" = ""', "only letters, digits and -"),
        ('a = ""\nb = 2', "must have a line NAME ="),
        ('a = ""\nb = "', "Illegal"),
    ],
)
def test_bad_plans_are_one_line(tmp_path, variants, message):
    with pytest.raises(ValueError, match=message):
        Plan.read(plan_of(tmp_path, variants))


def test_games_are_played_by_the_rules_of_the_training(tmp_path, monkeypatch):
    """However the options are written: ``--ruleset=second`` is one word."""
    rules = {"format": FORMAT, "game": "war-of-the-ring", "ruleset": "second"}
    (tmp_path / CONFIG).write_text(json.dumps(rules))
    asked = []

    def answered(command, **_options):
        asked.append(command)
        told = {"bots": ["net"], "results": [{"bot": "net", "wins_as_shadow": {"count": 1, "games": 2}}]}
        return subprocess.CompletedProcess(command, 0, json.dumps(told), "")

    monkeypatch.setattr(equal_time.subprocess, "run", answered)
    assert equal_time.strength(tmp_path, "random", 4, 1) == {"shadow": (1, 2)}
    assert asked[0][-2:] == ["--game=war-of-the-ring", "--ruleset=second"]


def test_an_odd_number_of_games_is_refused_before_the_training(tmp_path, compare):
    plan = plan_of(tmp_path)
    code, _, error = compare(plan, tmp_path / "out", "--games", 3)
    assert (code, error) == (2, "equal_time: --games must be even, because sides are exchanged, not 3\n")


def test_bad_options_are_one_line(tmp_path, compare, measured):
    plan = plan_of(tmp_path, 'a = "--epoch 2"\nb = ""')
    code, shown, error = compare(plan, tmp_path / "out")
    assert (code, shown) == (2, "")
    assert len(error.splitlines()) == 1 and "--epoch" in error
    assert compare(tmp_path / "none.toml", tmp_path / "out")[0] == 2


def test_a_command_is_run_and_its_processor_time_measured():
    assert processor_seconds(["--version"]) > 0
    with pytest.raises(CommandError, match="^no rule has nowhere in its id"):
        processor_seconds(["rules", "nowhere"])
