"""Comparing options of learning at equal compute."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from wotr_experiments.errors import CommandError
from wotr_experiments.training.equal_time import Plan, Trained, processor_seconds, table_of

TINY = "--game duel --width 8 --hidden 8 --games 64 --steps 128 --workers 1"


def compare(*arguments):
    command = [sys.executable, "-m", "wotr_experiments.training.equal_time", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def plan_of(tmp_path, variants='first = ""\nsecond = "--epochs 2"'):
    path = tmp_path / "plan.toml"
    path.write_text(f'options = "{TINY}"\n[variants]\n{variants}\n')
    return path


def test_variants_are_trained_and_compared_and_nothing_is_made_twice(tmp_path):
    plan, out = plan_of(tmp_path), tmp_path / "out"
    first = compare(plan, out, "--seconds", 1, "--seeds", 1, "--games", 2, "--against", "random")
    assert first.returncode == 0, first.stderr
    lines = first.stdout.splitlines()
    assert lines[0].startswith("|  | decisions | wins against `random` | ")
    assert lines[2].startswith("| first | ") and lines[3].startswith("| second | ")
    found = json.loads((out / "results.json").read_text())
    assert found["paces"].keys() == {"first", "second"} and all(each > 0 for each in found["paces"].values())
    assert [(each["variant"], each["seed"]) for each in found["runs"]] == [("first", 1), ("second", 1)]
    assert all(each["decisions"] >= found["paces"][each["variant"]] for each in found["runs"])
    games = [sum(games for _, games in each["wins"]["random"].values()) for each in found["runs"]]
    assert games == [2, 2]
    again = compare(plan, out, "--seconds", 1, "--seeds", 1, "--games", 2, "--against", "random")
    assert again.stdout == first.stdout and not again.stderr
    assert (out / "table.md").read_text() == first.stdout


def test_a_table_pools_seeds_and_tells_the_difference():
    wins = {"base": ((30, 50), (50, 50)), "more": ((40, 50), (40, 50))}
    runs = [
        Trained(name, seed, 1_000_000, 9.0, {"scripted": {"fellowship": fellowship, "sauron": sauron}})
        for name, (fellowship, sauron) in wins.items()
        for seed in (1, 2)
    ]
    _, _, base, more = table_of(runs, ["base", "more"], ["scripted"]).splitlines()
    assert base == "| base | 2.0M | 80.0% (73.9% to 85.0% of 200) | 60.0% | 100.0% |  |"
    assert more == "| more | 2.0M | 80.0% (73.9% to 85.0% of 200) | 80.0% | 80.0% | +0.0 (-7.8 to +7.8) |"


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


def test_bad_options_are_one_line(tmp_path):
    plan = plan_of(tmp_path, 'a = "--epoch 2"\nb = ""')
    found = compare(plan, tmp_path / "out")
    assert (found.returncode, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1 and "--epoch" in found.stderr
    assert compare(tmp_path / "none.toml", tmp_path / "out").returncode == 2
    with pytest.raises(CommandError, match="there is no training run in"):
        processor_seconds(["train", str(tmp_path / "none"), "--resume"])
