"""The benchmarks: that they run and say what they measured; the speed itself is not tested here."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import random

import numpy as np
import pytest
from typer.testing import CliRunner

from wotr_agents import make_bot
from wotr_agents.compiled import ensure_everything
from wotr_benchmarks import bots, environments, kinds, peers, profile, scaling, suite, throughput, training
from wotr_benchmarks.harness import SECONDS, Benchmark, Measurement, machine, measure
from wotr_benchmarks.noise import Verdict, compare, interval
from wotr_benchmarks.report import Report, figure, machine_line, markdown, plot, remarks
from wotr_env import STATE
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.benchmark import read_report, slower_than, write_report

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
SMALL = {
    throughput: {
        "_DECISIONS": 8,
        "_GAMES": 2,
        "_COPIES": 3,
        "_WORLDS": 2,
        "_VECTOR_STEPS": 3,
        "_MIDGAMES": 4,
        "_MIDGAME_DECISIONS": 50,
        "BATCH": 2,
    },
    scaling: {"_DECISIONS": 128},
    bots: {"_SECONDS": 0.05},
    environments: {"_SECONDS": 0.05},
    kinds: {"_DECISIONS": 800, "_CALLS": 3, "_WORLDS": 2, "_GAMES": 8, "_SECONDS": 0.05},
    peers: {"_SECONDS": 0.05, "_PGX_DECISIONS": {"backgammon": 4, "chess": 4}, "_PGX_BATCH": 2},
}


@pytest.fixture
def small(monkeypatch):
    """Makes every benchmark quick."""
    for module, values in SMALL.items():
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)
    throughput._midgames.cache_clear()
    yield
    throughput._midgames.cache_clear()


@pytest.fixture
def report():
    """A made-up report with the measurements that a plot needs."""
    measurements = [
        Measurement(each.name, each.unit, each.what, each.batch, each.threads, runs, group=each.group)
        for each, runs in zip(
            scaling.VECTOR_BENCHMARKS[::5], [(1e6, 1.1e6, 1.2e6), (2e6, 2.1e6, 2.2e6)] * 3, strict=False
        )
    ]
    return Report(machine(), 12.5, measurements, {"policy": "there is no bot net yet"})


def measurement(*runs, name="copies", unit="copies/s", **fields):
    return Measurement(name, unit, "", 1, 1, tuple(float(run) for run in runs), **fields)


def invoke(*arguments):
    return CliRunner().invoke(cli.app, ["bench", *(str(each) for each in arguments)])


def test_a_measurement_has_median_and_spread():
    measured = measurement(10, 30, 20)
    assert measured.median == 20.0
    assert measured.spread == 1.0
    assert measured.to_dict()["runs"] == [10.0, 30.0, 20.0]
    assert Measurement.from_dict(measured.to_dict()) == measured


@pytest.mark.parametrize(("slow", "calls"), [(False, 4), (True, 3)])
def test_only_slow_benchmarks_go_without_warm_up(slow, calls):
    made = []
    counter = Benchmark("count", "calls", "", lambda: lambda: made.append(1) or float(len(made)), slow=slow)
    assert measure(counter, 3).runs == tuple(float(run) for run in range(calls - 2, calls + 1))


def test_a_measurement_tells_warm_up_memory_and_details():
    held = []

    def prepare():
        held.append(np.ones(2**25, dtype=np.uint8))
        return lambda: float(held[0].sum())

    measured = measure(Benchmark("x", "x/s", "", prepare, details=lambda: {"memory_per_game": 8564.0}), 2)
    assert measured.warm_up > 0
    assert 0 < measured.quiet < 1.5
    assert measured.peak_memory is None or measured.peak_memory > 2**25
    assert remarks(dataclasses.replace(measured, quiet=1.0)) == "8,564 bytes per game"
    assert "used only 50% of its cores" in remarks(dataclasses.replace(measured, quiet=0.5))


def test_what_is_compiled_needs_no_compiling_again():
    ensure_everything()
    assert throughput._seconds_in_new_process(throughput._COLD_COMPILE) == 0.0


def test_names_are_unique_and_every_benchmark_says_what_it_measures():
    listed = [
        *throughput.CORE_BENCHMARKS,
        *scaling.VECTOR_BENCHMARKS,
        *kinds.KIND_BENCHMARKS,
        *bots.BOT_BENCHMARKS,
        *training.TRAINING_BENCHMARKS,
        *peers.PEER_BENCHMARKS,
        *throughput.START_BENCHMARKS,
    ]
    assert len(suite.BENCHMARKS) == len(listed) + 1
    assert environments.OURS in suite.BENCHMARKS
    assert all(each.what and each.group and each.unit for each in suite.BENCHMARKS.values())


def test_choosing_by_name_group_and_pattern():
    assert [each.name for each in suite.choose("decisions")] == ["decisions"]
    assert [each.name for each in suite.choose("cold_compile")] == ["cold_compile"]
    assert len(suite.choose("observed_*")) == len(scaling.BATCHES) * len(scaling.THREADS)
    assert suite.choose(peers.PEERS) == list(peers.PEER_BENCHMARKS)
    assert suite.choose("luck") == []
    assert "cold_compile" not in {each.name for each in suite.choose()}
    assert "cold_compile" in {each.name for each in suite.choose(slow=True)}


OURS = [
    *(each.name for each in throughput.CORE_BENCHMARKS),
    *(each.name for each in kinds.KIND_BENCHMARKS),
    "rollout_64x1",
    "observed_64x2",
    "pettingzoo",
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", OURS)
def test_benchmarks_measure_something(name):
    report = suite.run_benchmarks([suite.BENCHMARKS[name]], repeats=2)
    (measured,) = report.measurements
    assert measured.name == name
    assert len(measured.runs) == 2
    assert min(measured.runs) > 0
    assert report.skipped == {}


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [each.name for each in (*bots.BOT_BENCHMARKS, *peers.PEER_BENCHMARKS)])
def test_bots_and_peers_are_measured_or_skipped_with_a_reason(name):
    report = suite.run_benchmarks([suite.BENCHMARKS[name]], repeats=1)
    assert report.skipped.get(name) or report.measurements[0].median > 0


def test_what_is_missing_is_said():
    assert peers._missing("no_such_package") == (
        "no_such_package not installed (pip install '.[peers]' in a clone of wotr-env)"
    )
    assert peers._missing("json") is None
    assert bots._missing("no-such-bot:sims=1") == "there is no bot no-such-bot yet"
    assert "unknown parameter" in bots._missing("random:x=1")
    assert bots._missing("random") is None


class Searcher:
    """Plays as ``random`` does, and says that it simulates a lot."""

    def __init__(self, _spec, seed):
        self.random, self.simulations = make_bot("random", seed), 0

    def act(self, view):
        self.simulations += 1_000 * len(view.seats)
        return self.random.act(view)


@pytest.mark.usefixtures("small")
def test_bots_are_measured_in_decisions_and_simulations(monkeypatch):
    decisions = bots._decisions("random", 2)()
    monkeypatch.setattr(bots, "make_bot", Searcher)
    assert bots._decisions("random", 2)() > 10 * decisions


def test_complete_games_of_peers_are_counted(monkeypatch):
    monkeypatch.setattr(peers, "_SECONDS", 0.02)
    played = []

    def play(generator):
        played.append(generator.random())
        return 7

    assert peers._complete_games(play)() > 7
    assert played[0] == random.Random(peers.SEED).random()


@pytest.mark.usefixtures("small")
def test_a_batch_of_midgames_has_the_same_mix_at_every_size():
    small, large = throughput.midgame_batch(4), throughput.midgame_batch(12)
    ahead = large.states["turn"] - np.tile(small.states["turn"], 3)  # each game has chosen once for itself
    assert np.abs(ahead).max() <= 1
    assert large.masks.any(axis=1).all()
    large.random_steps(200)
    assert len({state.tobytes() for state in large.states}) == 12


def test_memory_per_game_counts_all_arrays():
    bare = throughput.memory_per_game(observations=False)["memory_per_game"]
    full = throughput.memory_per_game()["memory_per_game"]
    assert STATE.itemsize < bare < full <= 10 * 1024
    assert full - bare == OBSERVATION_SIZE


def test_a_new_process_reports_seconds(tmp_path):
    assert throughput._seconds_in_new_process("print('noise'); print(1.5)") == 1.5
    code = "import os; print(len(os.environ['NUMBA_CACHE_DIR']))"
    assert throughput._seconds_in_new_process(code, str(tmp_path)) == len(str(tmp_path))


def test_warm_start_is_measured_in_a_new_process():
    (measured,) = suite.run_benchmarks([suite.BENCHMARKS["warm_start"]], repeats=1).measurements
    assert measured.unit == SECONDS
    assert 0 < measured.median < 60


def test_the_machine_is_stated(report):
    stated = machine()
    assert stated["cores"] >= 1
    assert stated["processor"]
    assert stated["packages"]["numpy"] == np.__version__
    assert f"{stated['cores']} cores" in machine_line(report)


def test_intervals_hold_the_median():
    low, high = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert 1.0 <= low < 3.0 < high <= 5.0
    assert interval([2.0]) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("now", "earlier", "unit", "verdict"),
    [
        ((100, 101, 102, 103, 104), (80, 81, 82, 83, 84), "copies/s", Verdict.FASTER),
        ((80, 81, 82, 83, 84), (100, 101, 102, 103, 104), "copies/s", Verdict.SLOWER),
        ((80, 81, 82, 83, 84), (100, 101, 102, 103, 104), SECONDS, Verdict.FASTER),
        ((100, 101, 102, 103, 104), (80, 81, 82, 83, 84), SECONDS, Verdict.SLOWER),
        ((100, 60, 90, 103, 104), (80, 81, 82, 103, 84), "copies/s", Verdict.SAME),
        ((100, 100, 100, 100, 100), (97, 97, 97, 97, 97), "copies/s", Verdict.SAME),
    ],
)
def test_changes_are_told_from_noise(now, earlier, unit, verdict):
    change = compare(measurement(*now, unit=unit), measurement(*earlier, unit=unit))
    assert change.verdict is verdict
    assert change.low <= change.speed <= change.high


def test_equal_speeds_are_seldom_called_a_change():
    generator = np.random.default_rng(1)
    verdicts = [
        compare(
            measurement(*generator.normal(100, 5, size=5)), measurement(*generator.normal(100, 5, size=5))
        ).verdict
        for _ in range(300)
    ]
    assert verdicts.count(Verdict.SAME) >= 290


def test_a_report_goes_through_json(report):
    again = Report.from_dict(json.loads(json.dumps(report.to_dict())))
    assert again == report
    assert again.same_machine(report)


def test_markdown_has_a_row_for_each_measurement(report):
    text = markdown(report)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == len(report.measurements)
    assert rows[0].startswith("| `rollout_64x1` | 1,100,000 decisions/s | 18% | 64 | 1 | 16 random")
    assert all(row.count("|") == 7 for row in rows)
    assert "- `policy` skipped: there is no bot net yet" in text
    assert figure(0.61234) == "0.612"


@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="needs matplotlib, the extra plots")
def test_plots(report, tmp_path):
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        plot(report, tmp_path / f"plot{suffix}")
        assert (tmp_path / f"plot{suffix}").read_bytes().startswith(start)
    with pytest.raises(ValueError, match="a plot needs"):
        plot(Report(machine(), 0.0, [measurement(1)]), tmp_path / "empty.png")


def test_a_folder_keeps_what_was_not_measured_again(report, tmp_path):
    folder = tmp_path / "new" / "folder"
    write_report(folder, report, list(suite.BENCHMARKS))
    again = measurement(5, name="policy")
    write_report(folder, Report(machine(), 0.0, [again]), list(suite.BENCHMARKS))
    kept = read_report(folder / "baseline.json")
    assert set(kept.by_name()) == {*report.by_name(), "policy"}
    assert kept.skipped == {}
    assert "`policy`" in (folder / "table.md").read_text()
    other = Report({**machine(), "processor": "abacus"}, 0.0, [again])
    write_report(folder, other, list(suite.BENCHMARKS))
    assert list(read_report(folder / "baseline.json").by_name()) == ["policy"]
    (folder / "baseline.json").write_text("{}")
    with pytest.raises(CommandError, match="not the output of wotr bench"):
        write_report(folder, report, [])


@pytest.mark.usefixtures("small")
def test_bench_prints_and_compares(tmp_path):
    shown = json.loads(invoke("--only", "state_copies", "--json").stdout)
    assert shown["machine"]["cores"] >= 1
    assert [each["name"] for each in shown["measurements"]] == ["state_copies"]
    assert len(shown["measurements"][0]["runs"]) == 5
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(shown))
    done = invoke("--only", "state_copies", "--repeats", "1", "--against", earlier)
    assert "x " in done.stdout and "against" in done.stdout
    assert "| `state_copies` |" in invoke("--from", earlier, "--markdown").stdout


def test_slower_is_exit_code_1_on_the_same_machine_only(report, tmp_path):
    now, before = tmp_path / "now.json", tmp_path / "before.json"
    faster = [
        dataclasses.replace(each, runs=tuple(2 * run for run in each.runs)) for each in report.measurements
    ]
    earlier = Report(report.machine, 0.0, faster)
    now.write_text(json.dumps(report.to_dict()))
    before.write_text(json.dumps(earlier.to_dict()))
    assert slower_than(report, earlier) == list(report.by_name())
    done = invoke("--from", now, "--against", before)
    assert done.exit_code == 1
    assert "0.50x slower" in done.stdout
    assert "significantly slower than before: rollout_64x1" in done.stderr
    done = invoke("--from", before, "--against", now)
    assert done.exit_code == 0
    assert "2.00x faster" in done.stdout
    before.write_text(json.dumps({**earlier.to_dict(), "machine": {"processor": "abacus"}}))
    done = invoke("--from", now, "--against", before)
    assert done.exit_code == 0
    assert "another machine" in done.stderr


@pytest.mark.usefixtures("small")
def test_bench_writes_a_folder(tmp_path):
    done = invoke("--only", "rollout_64x*", "--repeats", "1", "--out", tmp_path)
    assert done.exit_code == 0
    written = read_report(tmp_path / "baseline.json")
    assert list(written.by_name()) == ["rollout_64x1", "rollout_64x2"]
    assert {"command", "package", "commit"} <= written.provenance.keys()
    assert (tmp_path / "table.md").exists()
    assert (tmp_path / "throughput.svg").exists() == HAS_MATPLOTLIB
    assert HAS_MATPLOTLIB or "no plot" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--markdown"], "not both"),
        (["--only", "luck*"], "unknown benchmark 'luck*'; known: decisions"),
        (["--from", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["--plot", "plot.txt"], "--plot writes .png or .svg files, not plot.txt"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(arguments, message, capsys):
    assert cli.main(["bench", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_plot_without_matplotlib_is_refused_at_once(monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name)
    )
    assert cli.main(["bench", "--plot", "plot.png"]) == 2
    assert "pip install '.[plots]' in a clone of wotr-env" in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_time_by_kind_of_decision():
    rows = profile.time_by_decision(num_games=16, decisions=400, repeats=2)
    assert sum(row.share for row in rows) == pytest.approx(1.0)
    assert sum(row.frequency for row in rows) == pytest.approx(1.0)
    assert all(row.nanoseconds > 0 for row in rows)
    assert rows == sorted(rows, key=lambda row: -row.share)


@pytest.mark.slow
def test_time_by_rule_module_of_the_interpreted_form():
    shown = profile.interpreted_profile(num_games=1, decisions=60)
    modules = {row["module"] for row in shown["modules"]}
    assert {
        "wotr_env.games.war_of_the_ring.engine.kernel",
        "wotr_env.games.war_of_the_ring.rules.flow",
        "wotr_env.games.war_of_the_ring.rules.dice",
    } <= modules
    assert sum(row["share"] for row in shown["modules"]) == pytest.approx(1.0)
    assert shown["functions"][0]["share"] >= shown["functions"][-1]["share"]
    assert shown["decisions"] == 60
