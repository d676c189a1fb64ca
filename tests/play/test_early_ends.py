"""Records of games that players ended: a resignation, an agreed draw, time that ran out."""

from __future__ import annotations

import dataclasses
import json

import pytest

from wotr_env import GameRecord
from wotr_env.core.errors import RecordError
from wotr_env.play.early_ends import EarlyEnd
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.data import read

ENDS = {
    EarlyEnd("resigned", 1): ("Free Peoples won: Shadow resigned", "free_peoples", ["free_peoples"]),
    EarlyEnd("out_of_time", 0): ("Shadow won: Free Peoples ran out of time", "shadow", ["shadow"]),
    EarlyEnd("agreed"): ("a draw by agreement", "draw", []),
}


def record(ended=None, game="war-of-the-ring", ruleset=""):
    kind = game_kind(game)
    played = kind.game(7, kind.find_ruleset(ruleset))
    for _ in range(12):
        played.step(int(played.legal()[0]))
    return dataclasses.replace(GameRecord.from_game(played), ended=ended)


@pytest.mark.parametrize("ended", ENDS, ids=lambda each: each.reason)
@pytest.mark.parametrize("game", ["war-of-the-ring", "duel"])
def test_an_early_end_is_kept_in_both_forms_of_a_record(ended, game):
    made = record(ended, game)
    assert GameRecord.from_json(made.to_json()) == made
    assert GameRecord.from_text(made.to_text()) == [made]
    assert made.verify().result is None
    assert made.row()["reason"] == ended.reason


def test_a_record_without_an_early_end_is_written_as_before():
    assert "ended" not in json.loads(record().to_json())


def test_with_three_teams_all_others_win():
    made = record(EarlyEnd("resigned", 2), "two-towers", "three")
    assert made.ended.winning_seats(made.kind, made.ruleset) == (0, 1)
    assert made.row()["winner"] == "draw"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("resigned", "an early end is an object with reason and seat"),
        ({"reason": "resigned"}, "an early end is an object with reason and seat"),
        ({"reason": "tired", "seat": "shadow"}, "is one of resigned, agreed, out_of_time, not 'tired'"),
        ({"reason": "resigned", "seat": None}, "is one of free_peoples, shadow, not None"),
        ({"reason": "resigned", "seat": ["shadow"]}, "is one of free_peoples, shadow, not ['shadow']"),
        ({"reason": "agreed", "seat": "shadow"}, "is null, not 'shadow'"),
    ],
)
def test_a_damaged_early_end_is_refused(value, words):
    fields = json.loads(record().to_json()) | {"ended": value}
    with pytest.raises(RecordError) as refused:
        GameRecord.from_json(json.dumps(fields))
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_a_record_with_a_result_has_no_early_end():
    kind = game_kind("duel")
    played = kind.game(7, kind.find_ruleset(""))
    while played.result is None:
        played.step(int(played.legal()[0]))
    fields = json.loads(GameRecord.from_game(played).to_json())
    with pytest.raises(RecordError, match="either a result by the rules, or an early end"):
        GameRecord.from_json(json.dumps(fields | {"ended": {"reason": "agreed", "seat": None}}))


def test_replay_and_export_tell_the_early_end(tmp_path, capsys):
    file, out = tmp_path / "games.jsonl", tmp_path / "data"
    for ended in ENDS:
        record(ended).append(file)
    for number, (words, _, _) in enumerate(ENDS.values(), start=1):
        assert cli.main(["replay", str(file), "--record", str(number)]) == 0
        assert words in capsys.readouterr().out
    assert cli.main(["export", str(file), "--out", str(out)]) == 0
    found = list(read.games(out, columns=("winner", "winning_seats", "reason")))
    assert [made for _, made in found] == [record(ended) for ended in ENDS]
    assert [(row["winner"], row["winning_seats"], row["reason"]) for row, _ in found] == [
        (winner, seats, ended.reason) for ended, (_, winner, seats) in ENDS.items()
    ]
