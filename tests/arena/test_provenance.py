"""Where results come from is noted beside them."""

from __future__ import annotations

import json

import pytest

from wotr_env.play.plugins import package_version
from wotr_experiments.cli.main import main
from wotr_experiments.errors import CommandError
from wotr_experiments.provenance import PROVENANCE, provenance, read_provenance, recorded_session


def test_what_a_process_is():
    found = json.loads(json.dumps(provenance()))
    assert found["package"] == package_version() and found["command"]
    assert {"python", "numpy", "numba", "torch", "system", "commit"} <= found.keys()
    assert "cores" in found["machine"]
    assert not any("/" in part for part in found["command"].split()[:1])  # no path of this machine


def test_a_sitting_is_noted_when_it_begins_and_when_it_ends(tmp_path):
    with recorded_session(tmp_path) as session:
        (begun,) = read_provenance(tmp_path / PROVENANCE)
        assert begun["ended"] is None and "games" not in begun
        session.add(games=2, decisions=100)
        session.add(games=1, decisions=50)
    (ended,) = read_provenance(tmp_path / PROVENANCE)
    assert ended["ended"] and ended["games"] == 3 and ended["decisions"] == 150
    assert ended["games_per_second"] > 0 and ended["begun"] == begun["begun"]


def test_whatever_ends_it_is_noted_and_later_ones_are_added(tmp_path):
    with pytest.raises(KeyboardInterrupt), recorded_session(tmp_path) as session:
        session.add(games=1)
        raise KeyboardInterrupt
    with recorded_session(tmp_path):
        pass
    first, second = read_provenance(tmp_path / PROVENANCE)
    assert first["games"] == 1 and first["ended"] and "games" not in second
    with recorded_session(None) as session:
        session.add(games=1)


@pytest.mark.parametrize("text", ["", "{}", "[3]", "[" * 100_000])
def test_a_damaged_file_is_refused_in_a_line(tmp_path, text):
    (tmp_path / PROVENANCE).write_text(text)
    with pytest.raises(CommandError, match="is damaged"), recorded_session(tmp_path):
        raise AssertionError


def test_a_tournament_tells_of_each_time_it_was_played(tmp_path, capsys):
    out = tmp_path / "out"
    options = ["tournament", "random", "scripted", "--games", "4", "--max-turns", "1", "--workers", "1"]
    assert main([*options, "--out", str(out)]) == 0
    (entry,) = read_provenance(out / PROVENANCE)
    assert entry["games"] == 4 and entry["decisions"] > 0 and entry["ended"]
    report = (out / "report.html").read_text()
    assert "Provenance" in report and package_version() in report
    assert main([*options, "--out", str(out)]) == 0  # nothing is left to play
    assert read_provenance(out / PROVENANCE) == [entry]
    capsys.readouterr()


def test_names_in_a_provenance_are_no_html(tmp_path, capsys):
    out = tmp_path / "out"
    (tmp_path / "out").mkdir()
    (out / PROVENANCE).write_text(json.dumps([{"command": "<i>sly</i>", "seconds": "x", "games": [1]}]))
    options = ["tournament", "random", "scripted", "--games", "2", "--max-turns", "1", "--workers", "1"]
    assert main([*options, "--out", str(out)]) == 0
    report = (out / "report.html").read_text()
    assert "<i>sly" not in report and "&lt;i&gt;sly" in report
    capsys.readouterr()


def test_a_comparison_tells_too(tmp_path, capsys):
    question = ["compare", "scripted", "random", "--elo0", "0", "--elo1", "100"]
    assert (
        main([*question, "--workers", "1", "--max-turns", "1", "--max-games", "8", "--out", str(tmp_path)])
        == 0
    )
    (entry,) = read_provenance(tmp_path / PROVENANCE)
    assert entry["games"] >= 2 and entry["ended"]
    capsys.readouterr()
