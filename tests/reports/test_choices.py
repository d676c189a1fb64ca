"""The report of what looking ahead is worth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.networks import write_network
from wotr_experiments.arena import playouts as arena_playouts
from wotr_experiments.arena.playouts import sampled_worlds
from wotr_experiments.games.war_of_the_ring.reports import choices, studied
from wotr_experiments.games.war_of_the_ring.reports.choices import _by_halves, main


def seeds_of(monkeypatch, *modules):
    """The seeds of the worlds that these modules sample."""
    seeds = set()

    def sampled(kind, states, each, seed):
        seeds.add(seed)
        return sampled_worlds(kind, states, each, seed)

    for module in modules:
        monkeypatch.setattr(module, "sampled_worlds", sampled)
    return seeds


@pytest.mark.parametrize("advice", [False, True])
def test_page(tmp_path, advice, monkeypatch):
    monkeypatch.setattr(choices, "LONGEST", 2)
    values, playouts = (seeds_of(monkeypatch, *modules) for modules in ([choices], [studied, arena_playouts]))
    net, out = write_network(tmp_path, advice=advice), tmp_path / "choices.md"
    options = ["--net", str(net), "--positions", "3", "--playouts", "4", "--out", str(out)]
    assert main([*options, "scripted", f"net:{net}"]) == 0
    assert values and playouts and not values & playouts
    page = out.read_text()
    given = f"--net {net} --positions 3 --playouts 4 scripted net:{net}`"
    assert f"`{choices.COMMAND} {given}" in " ".join(page.split())
    table = page.partition("For comparison")[0]
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("|")]
    assert [row[0].strip("| ") for row in rows] == [
        "who chooses",
        "---",
        "value",
        "value after the die",
        "`scripted`",
        f"`net:{net}`",
        "playouts",
    ]
    assert rows[5][1:] == ["+0.00 ± 0.00", "100%", "+0.00 ± 0.00", "100% |"]
    assert "3 where an action die is chosen and 3 where anything else is chosen" in " ".join(page.split())


def test_the_best_by_one_half_is_judged_by_the_other():
    lucky = np.array([[0, 0, 0, 0], [1, 0, 1, 0]], dtype=float)  # it wins in the playouts of one half only
    better = np.array([[0, 0, 0, 0], [1, 1, 1, 1]], dtype=float)
    gains, same = _by_halves([lucky, better])
    assert gains.tolist() == [0.0, 1.0] and same == 0.25


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--playouts", "1"], "must be at least 2"),
        (["--seed", "-1"], "--seed must be"),
        (["--net", "nothing/here"], "nothing/here"),
        (["nobody"], "nobody"),
    ],
)
def test_what_cannot_be_had_is_told_in_one_line(tmp_path, capsys, options, words):
    out = tmp_path / "choices.md"
    some = [] if "--net" in options else ["--net", str(write_network(tmp_path))]
    assert main([*some, "--positions", "2", "--out", str(out), *options]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert words in errors[-1] and errors[-1].startswith("wotr: ") and not out.exists()
