"""Records and tournaments as rows: a notebook draws them, and pandas takes them."""

from __future__ import annotations

import dataclasses
import json

import pandas as pd
import pytest

from tests.replays import play_with_cards
from wotr_env import Ruleset
from wotr_env.core.errors import RecordError
from wotr_env.core.rows import Rows, flat
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.results import Results
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    run_tournament(
        Tournament(("random", "random"), 4, 1, Ruleset.first_edition(max_turns=2)),
        out,
        WorkerPool("threads", 1),
    )
    return out


def test_intervals_and_shares_are_columns():
    share = {"count": 1, "games": 2, "share": 0.5, "interval_95": [0.1, 0.9]}
    nested = {
        "bot": "a",
        "wins": share,
        "forfeits": {"crash": 1},
        "list": [1],
        "counts": {"3": 1},
        "no": None,
    }
    row = {"bot": "a", "wins": 0.5, "wins_low": 0.1, "wins_high": 0.9, "forfeits_crash": 1, "no": None}
    assert flat(nested) == row


def test_a_notebook_draws_rows_and_nothing_in_them_is_a_tag():
    rows = Rows([{"name": "<b>", "share": 0.123456}, {"name": None, "more": 3}])
    shown = rows._repr_html_()
    assert rows.columns == ["name", "share", "more"]
    assert "&lt;b&gt;" in shown and "<b>" not in shown
    assert "0.1235" in shown and "None" not in shown
    assert shown.count("<tr>") == 3
    many = Rows({"number": number} for number in range(1234))
    assert many._repr_html_().count("<tr>") == 201
    assert "and 1,034 rows more" in many._repr_html_()


def test_a_record_is_a_row_and_its_decisions_are_rows():
    record = play_with_cards(3, turns=1)
    row = record.row()
    assert (row["free_peoples"], row["shadow"], row["seed"]) == ("one", "two", 3)
    assert (row["winner"], row["reason"], row["turn"]) == ("draw", "turn_limit", 1)
    rows = record.decisions()
    frame = pd.DataFrame(rows)
    assert list(frame.action) == record.replay().moves()
    assert list(frame.number) == list(range(1, row["decisions"] + 1))
    assert set(frame.seat) == {"free_peoples", "shadow"}
    first = record.replay(0)
    assert rows[0]["words"] == record.kind.words.action(first.state, record.actions[0])
    wrong = dataclasses.replace(record, actions=(record.actions[1], *record.actions[1:]))
    with pytest.raises(RecordError, match="action number 1 cannot be played"):
        wrong.decisions()


def test_the_tables_of_a_tournament(folder):
    results = Results(folder)
    games, bots = pd.DataFrame(results.games), pd.DataFrame(results.bots)
    records = load_records(folder / GAMES)
    assert list(games.seed) == [record.seed for record in records]
    assert list(games.decisions) == [len(record.actions) for record in records]
    assert list(bots.bot) == ["random", "random (2)"]
    assert list(games.free_peoples) == ["random", "random (2)"] * 2
    assert set(games.reason) == {"turn_limit"}
    assert (bots.wins_low <= bots.wins).all() and (bots.wins <= bots.wins_high).all()
    assert pd.DataFrame(results.pairings).games.sum() == 4
    assert {"both", "both_low", "both_high", "shadow"} <= set(results.ratings.columns)


def test_what_is_no_tournament_is_one_line(tmp_path):
    with pytest.raises(CommandError, match="No such file or directory; is this the folder of a tournament"):
        Results(tmp_path)
    for text, words in (
        ("{", "is damaged: it is not JSON"),
        (json.dumps({"results": []}), "is not the summary of"),
    ):
        (tmp_path / "summary.json").write_text(text)
        with pytest.raises(CommandError, match=words):
            Results(tmp_path)
