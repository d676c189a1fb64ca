"""The benchmarks: that they run and say what they measured; the speed itself is not tested here."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks import throughput
from benchmarks.harness import Benchmark, Measurement, machine, measure
from experiments import cli


@pytest.fixture
def small(monkeypatch):
    """Makes every benchmark quick."""
    for name, value in (("_DECISIONS", 8), ("_GAMES", 2), ("_COPIES", 3), ("_VECTOR_STEPS", 3), ("BATCH", 2)):
        monkeypatch.setattr(throughput, name, value)


def test_a_measurement_has_median_and_spread():
    measured = Measurement("copies", "copies/s", "", 1, 1, (10.0, 30.0, 20.0))
    assert measured.median == 20.0
    assert measured.spread == 1.0
    assert measured.to_dict()["runs"] == [10.0, 30.0, 20.0]


@pytest.mark.parametrize(("slow", "calls"), [(False, 4), (True, 3)])
def test_only_slow_benchmarks_go_without_warm_up(slow, calls):
    made = []
    counter = Benchmark("count", "calls", "", lambda: lambda: made.append(1) or float(len(made)), slow=slow)
    assert measure(counter, 3).runs == tuple(float(run) for run in range(calls - 2, calls + 1))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["decisions", "games", "state_copies", "vector_step"])
def test_benchmarks_measure_something(name):
    (measured,) = throughput.run_benchmarks([name], repeats=2)
    assert measured.name == name
    assert len(measured.runs) == 2
    assert min(measured.runs) > 0


def test_a_new_process_reports_seconds(tmp_path):
    assert throughput._seconds_in_new_process("print('noise'); print(1.5)") == 1.5
    code = "import os; print(len(os.environ['NUMBA_CACHE_DIR']))"
    assert throughput._seconds_in_new_process(code, str(tmp_path)) == len(str(tmp_path))


def test_warm_start_is_measured_in_a_new_process():
    (measured,) = throughput.run_benchmarks(["warm_start"], repeats=1)
    assert measured.unit == "s"
    assert 0 < measured.median < 60


def test_the_machine_is_stated():
    assert machine()["cores"] >= 1


@pytest.mark.usefixtures("small")
def test_bench_prints_and_compares(tmp_path):
    runner = CliRunner()
    shown = json.loads(runner.invoke(cli.app, ["bench", "--only", "state_copies", "--json"]).stdout)
    assert shown["machine"]["cores"] >= 1
    assert [each["name"] for each in shown["measurements"]] == ["state_copies"]
    assert len(shown["measurements"][0]["runs"]) == 5
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(shown))
    arguments = ["bench", "--only", "state_copies", "--repeats", "1", "--against", str(earlier)]
    assert "x)" in runner.invoke(cli.app, arguments).stdout
