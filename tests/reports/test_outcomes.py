"""The report of statistics of games by each edition."""

import numpy as np
import pytest

from wotr_env.games.war_of_the_ring.codes import Reason
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.games.war_of_the_ring.reports import outcomes
from wotr_experiments.games.war_of_the_ring.reports.outcomes import (
    EARLY_TURNS,
    FALLS,
    WORTHY,
    main,
    page,
    play,
)


@pytest.fixture(scope="module")
def played():
    return [play("scripted", edition, games=6, seed=3) for edition in ("first", "second")]


def test_what_games_were_like(played):
    for games, edition in zip(played, ("first", "second"), strict=True):
        assert games.bot == "scripted" and games.ruleset == f"{edition} edition"
        assert (games.ends["reason"] != Reason.NONE).all() and (games.ends["turn"] <= LONGEST).all()
        assert games.hunt.shape == (6, EARLY_TURNS) and not np.isnan(games.hunt[:, 0]).any()
        assert (np.isnan(games.corruption_at_gate) == (games.ends["mordor_turn"] == 0)).all()
        fallen = np.nan_to_num(games.falls, nan=1)
        assert games.falls.shape == (6, WORTHY.size) and (fallen >= 1).all()
        assert (fallen <= games.ends["turn"][:, None]).all() and not np.isnan(games.falls).all()
        points = games.ends["shadow_points"] + games.ends["free_peoples_points"]
        assert ((points == 0) | ~np.isnan(games.falls).all(axis=1)).all(), "points are of what has fallen"


def test_the_same_seed_gives_the_same_games(played):
    again = play("scripted", "second", games=6, seed=3)
    assert (again.ends == played[1].ends).all()
    np.testing.assert_array_equal(again.falls, played[1].falls)


def test_page(played):
    written = page(played, 6, 3)
    table, falls = (part.split("\n") for part in written.strip().split("\n\n") if part.startswith("|"))
    assert table[0] == "|  | `scripted`<br>first edition | `scripted`<br>second edition |"
    assert table[1] == "|---|---|---|" and all(row.count("|") == 4 for row in table + falls)
    assert len(falls) == 2 + FALLS
    shares = [row for row in table if row.split(" | ")[0][2:] in {"corruption", "ring destroyed"}]
    assert len(shares) == 2


def test_command(played, monkeypatch, tmp_path, capsys):
    asked = []
    monkeypatch.setattr(outcomes, "play", lambda *what: asked.append(what) or played[0])
    path = tmp_path / "page.md"
    assert main(["random", "queller@second", "--games", "2", "--out", str(path)]) == 0
    assert [(bot, ruleset) for bot, ruleset, *_ in asked] == [
        ("random", "first"),
        ("random", "second"),
        ("queller", "second"),
    ]
    written = path.read_text()
    assert written.startswith("# Statistics of games")
    assert f"`{outcomes.COMMAND} random queller@second --games 2`" in " ".join(written.split())
    assert capsys.readouterr().out == f"{path}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "unknown bot 'nobody'"),
        (["random@third"], "War of the Ring has no ruleset 'third'"),
    ],
)
def test_command_refuses(arguments, message, tmp_path, capsys):
    assert main([*arguments, "--games", "2", "--out", str(tmp_path / "page.md")]) == 2
    assert message in capsys.readouterr().err
