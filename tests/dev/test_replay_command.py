"""``wotr replay``: one game of many, positions as data, and what those of a seat must not tell."""

from __future__ import annotations

import json

import pytest

from tests.replays import (
    frames_of,
    games_of,
    hand_names,
    play_with_cards,
    public_cards,
    secretive_data,
    secretive_page,
    secretive_record,
    shown_actions,
)
from wotr_env import GameRecord, Ruleset
from wotr_env.core.codes import PUBLIC
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH
from wotr_env.games.duel.ruleset import DuelRuleset
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_NAMES
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import load_record, load_records
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.replay import position_lines
from wotr_experiments.errors import CommandError


@pytest.fixture(scope="module")
def record():
    return secretive_record()


def printed(capsys, *arguments) -> str:
    assert cli.main(["replay", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_one_game_of_many_is_checked_alone(tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    good = play_with_cards(3, turns=1)
    good.append(file)
    damaged = json.loads(good.to_json()) | {"hash": "0" * 32}
    with file.open("a") as lines:
        lines.write(json.dumps(damaged) + "\n{ no record at all\n")
    assert "Turn 1" in printed(capsys, file, "--record", 1)
    for game, words in ((2, "the replay ends with hash"), (3, "line 3: damaged")):
        assert cli.main(["replay", str(file), "--record", str(game)]) == 2
        assert words in capsys.readouterr().err
    assert cli.main(["replay", str(file)]) == 2  # without a number all are read and checked
    assert "line 3: damaged" in capsys.readouterr().err


def test_a_record_of_a_tournament_is_found_by_its_number(tmp_path):
    played = Tournament(("random", "random"), 4, 1, Ruleset.first_edition(max_turns=1))
    run_tournament(played, tmp_path, WorkerPool("threads", 1))
    file = tmp_path / "games.sqlite"
    assert [load_record(file, number) for number in (1, 2, 3, 4)] == load_records(file)
    with pytest.raises(CommandError, match="has 4 games; there is no game 5"):
        load_record(file, 5)


def test_a_folder_is_taken_and_games_are_named_as_exports_name_them(tmp_path, capsys):
    played = Tournament(("random", "random", "random"), 2, 1, Ruleset.first_edition(max_turns=1))
    run_tournament(played, tmp_path, WorkerPool("threads", 1))
    by_place = [printed(capsys, tmp_path, "--record", place, "--text") for place in (1, 2, 3, 4, 5, 6)]
    for pairing in range(3):
        for number in range(2):
            named = printed(capsys, tmp_path, "--pairing", pairing, "--number", number, "--text")
            assert named == by_place[2 * pairing + number]
    assert printed(capsys, tmp_path, "--number", 1, "--text") == by_place[1]
    load_records(tmp_path / "games.sqlite")[0].save(tmp_path / "one.jsonl")
    for given, words in (
        ([tmp_path, "--pairing", 3], "has no game 0 of pairing 3"),
        ([tmp_path, "--pairing", 0, "--record", 1], "not both"),
        ([tmp_path / "one.jsonl", "--number", 0], "is not one: give --record"),
    ):
        assert cli.main(["replay", *map(str, given)]) == 2
        assert words in capsys.readouterr().err


def test_positions_are_pictures_after_each_step(record, tmp_path, capsys):
    record.save(tmp_path / "game.jsonl")
    lines = list(map(json.loads, printed(capsys, tmp_path / "game.jsonl", "--positions").splitlines()))
    games = games_of(record)
    assert [line["position"] for line in lines] == [picture(game.state, None) for game in games]
    assert [line["step"] for line in lines] == list(range(len(games)))
    seats = [seat.name for seat in record.ruleset.seats]
    assert [line["seat"] for line in lines] == [None, *(seats[game.seat] for game in games[:-1])]
    chosen = [line["events"][0]["action"] for line in lines[1:]]
    assert chosen == games[-1].moves()


def test_positions_for_everybody_tell_no_hand(record, tmp_path, capsys):
    record.save(tmp_path / "game.jsonl")
    written = printed(capsys, tmp_path / "game.jsonl", "--positions", "--eyes", "public")
    games = games_of(record)
    hidden = {name for game in games for seat in (0, 1) for name in hand_names(game, seat)}
    hidden -= {CARD_NAMES[card] for card in public_cards(games)[-1]}
    assert len(hidden) > 3
    for card, name in enumerate(CARD_NAMES):
        if name in hidden:
            assert name not in written
            assert CARD_IDS[card] not in written
    assert written.count("\n") > 100


def test_the_page_for_everybody_has_the_positions_for_everybody(record, tmp_path, capsys):
    record.save(tmp_path / "game.jsonl")
    printed(capsys, tmp_path / "game.jsonl", "--html", tmp_path / "page.html", "--eyes", "public")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == secretive_page(PUBLIC)
    data, lines = secretive_data(PUBLIC), list(position_lines(record, PUBLIC))
    assert frames_of(data) == [line["position"] for line in lines]
    told = {sentence["text"] for line in lines for sentence in line["told"]}
    assert set(data["words"]) == told - card_texts(told)


@pytest.mark.parametrize("viewer", [0, 1])
def test_positions_of_a_seat_tell_no_more_than_its_page(record, viewer):
    games = games_of(record)
    lines = list(position_lines(record, viewer))
    assert len(lines) == 1 + len(shown_actions(record, games, viewer)) < len(games)
    page = secretive_data(viewer)
    assert [line["position"] for line in lines] == frames_of(page)
    told = [sentence["text"] for line in lines for sentence in line["told"]]
    assert set(told) - set(page["words"]) <= {f"Turn {line['turn']}" for line in lines} | card_texts(told)
    other = 1 - viewer
    seen = public_cards(games)[-1]
    hidden = {name for game in games for name in hand_names(game, other)}
    hidden -= {CARD_NAMES[card] for card in seen}
    assert hidden
    written = "\n".join(map(json.dumps, lines))
    for card, name in enumerate(CARD_NAMES):
        if name in hidden:
            assert name not in written
            assert CARD_IDS[card] not in written


def card_texts(told: list[str]) -> set[str]:
    """The rules texts of cards among sentences, which the page has elsewhere."""
    return {text for text in told if len(text) > 60 and "." in text}


def test_a_game_without_pictures_is_told_to_all_eyes_alone():
    game = DUEL_FOR_MIDDLE_EARTH.game(5, DuelRuleset())
    while game.result is None:
        game.step(game.legal()[-1])
    duel = GameRecord.from_game(game)
    lines = list(position_lines(duel, None))
    assert len(lines) == 1 + len(duel.actions)
    assert all(line["position"] is None and line["told"] for line in lines[1:])
    with pytest.raises(CommandError, match="has no view of a single seat"):
        list(position_lines(duel, 0))
