"""Tournaments of players in text: what is counted, what programs may do, and going on after a stop."""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
import time
from concurrent.futures import wait
from pathlib import Path

import pytest

from tests.clocks import HandClock, clock_of
from tests.text_players import names_in_prompt
from wotr_agents.stdio.program import Program, ProgramError
from wotr_env import GameRecord, Ruleset
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.cli.main import main
from wotr_experiments.errors import CommandError
from wotr_experiments.language.naming import Renaming
from wotr_experiments.language.players import PATIENCE, Conversation, NoAnswerError, TextPlayer
from wotr_experiments.language.text_games import _digest
from wotr_experiments.language.text_running import play_game, run_text_tournament
from wotr_experiments.language.text_tournament import TextTournament

PROGRAM = Path(__file__).parents[1] / "text_players.py"
EXAMPLE = Path(__file__).parents[2] / "docs" / "protocol" / "text_player.py"
LIMIT = 300.0
"""Seconds in which whoever answers does, on however busy a machine."""
SHORT = Ruleset.first_edition(max_turns=1)
PROMPT = "\n  face:army: use the Army die\n"


def function(name):
    return f"tests.text_players:{name}"


def program(deed, path="", ticks=""):
    return f"text:{sys.executable} {PROGRAM} {deed} {path} {ticks}".rstrip()


def tournament(*players, games=2, **changes):
    return TextTournament(players, games, **{"seed": 7, "ruleset": SHORT, "time_limit": LIMIT, **changes})


@pytest.fixture
def timed(tmp_path, monkeypatch):
    """Moves the clock of all conversations by so many seconds whenever a program ticks."""

    def timed(seconds, ticks=tmp_path / "ticks"):
        clock = clock_of(ticks, seconds)
        monkeypatch.setattr("wotr_agents.stdio.program._LONGEST_WAIT", 0.05)  # the clock is looked at often
        timed = functools.partial(Conversation, clock=clock)
        monkeypatch.setattr("wotr_experiments.language.text_running.Conversation", timed)
        return clock

    return timed


def result(summary, place=0):
    return summary["results"][place]


def lines(out):
    """The stored games, but for the time they took."""
    found = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    for each in found:
        del each["seconds"], each["digest"]
    return found


def test_a_game_for_more_teams_than_play_is_told_of_those_that_play(capsys):
    command = ["text-tournament", "random", "random", "--game", "two-towers", "--games", "2", "--seed", "1"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "as Player 2" in " ".join(printed.split()) and "Player 3" not in printed


def test_pairs_are_played_with_sides_exchanged_from_equal_seeds(tmp_path):
    summary = run_text_tournament(
        tournament(function("first"), function("last"), "random", games=4), tmp_path
    )
    games = lines(tmp_path)
    assert [(game["pairing"], game["number"]) for game in games] == [
        (p, n) for p in range(3) for n in range(4)
    ]
    assert [game["players"] for game in games[:4]] == [[0, 1], [1, 0], [0, 1], [1, 0]]
    seeds = [[game["record"]["seed"] for game in games[first : first + 4]] for first in (0, 4, 8)]
    assert seeds[0] == seeds[1] == seeds[2]
    assert seeds[0][0] == seeds[0][1] != seeds[0][2] == seeds[0][3]
    for row in summary["results"]:
        assert row["games"] == 8 and row["illegal"] == row["late"] == row["crash"] == 0
        assert sum(row[key]["count"] for key in ("wins", "losses", "draws")) == 8
        low, high = row["wins"]["interval_95"]
        assert low <= row["wins"]["share"] <= high
        assert row["by_the_rules"]["games"] == 8 and row["wins_by_forfeit"] == 0
    assert result(summary)["answers"] == result(summary)["decisions"] > 0 and result(summary)["seconds"] > 0
    assert result(summary, 2)["answers"] == 0 and result(summary, 2)["seconds"] is None
    records = GameRecord.load(tmp_path / "records.jsonl")
    assert len(records) == 12 and all(record.verify() for record in records)
    assert records[0].players == (function("first"), function("last")) and all(records[0].identities)
    (entry,) = json.loads((tmp_path / "provenance.json").read_text())
    assert entry["games"] == 12 and entry["ended"]
    assert json.loads((tmp_path / "summary.json").read_text()) == summary


def test_it_goes_on_where_it_was_stopped(tmp_path):
    players = function("stumbling"), "random"
    whole = run_text_tournament(tournament(*players, games=4), tmp_path / "whole")
    for kept in (1, 3):

        def stop(_game, there, kept=kept):
            if there == kept:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_text_tournament(tournament(*players, games=4), tmp_path / "parts", on_game=stop)
        assert len(lines(tmp_path / "parts")) == kept
    with (tmp_path / "parts" / "games.jsonl").open("a") as file:
        file.write('{"pairing":0,"number":3,"pla')  # a process was killed as it wrote
    played = []
    parts = run_text_tournament(
        tournament(*players, games=4), tmp_path / "parts", on_game=lambda game, _: played.append(game.number)
    )
    assert played == [3] and lines(tmp_path / "parts") == lines(tmp_path / "whole")
    for summary in (whole, parts):
        assert summary["results"][0].pop("seconds") > 0
    assert parts == whole
    assert len(json.loads((tmp_path / "parts" / "provenance.json").read_text())) == 3
    run_text_tournament(tournament(*players, games=4), tmp_path / "parts")
    assert len(json.loads((tmp_path / "parts" / "provenance.json").read_text())) == 3


def test_games_at_the_same_time_are_the_same_games(tmp_path):
    played = tournament(function("stumbling"), "random", program("plays"))
    alone = run_text_tournament(played, tmp_path / "alone")
    together = run_text_tournament(played, tmp_path / "together", workers=4)
    for row in (*alone["results"], *together["results"]):
        row.pop("seconds")
    assert alone == together
    stored = [sorted(lines(tmp_path / name), key=str) for name in ("alone", "together")]
    assert stored[0] == stored[1]
    records = [(tmp_path / name / "records.jsonl").read_text() for name in ("alone", "together")]
    assert records[0] == records[1]


def test_games_that_end_with_one_that_fails_are_stored(tmp_path, monkeypatch):
    def play(tournament, pairing, number, *arguments):
        if number == 1:
            raise CommandError("it broke")
        return play_game(tournament, pairing, number, *arguments)

    def all_at_once(futures, **_options):
        done, rest = wait(futures)
        return sorted(done, key=lambda each: each.exception() is None), rest

    monkeypatch.setattr("wotr_experiments.language.text_running.play_game", play)
    monkeypatch.setattr("wotr_experiments.language.text_running.wait", all_at_once)
    with pytest.raises(CommandError, match="it broke"):
        run_text_tournament(tournament(function("first"), "random", games=4), tmp_path)
    assert sorted(game["number"] for game in lines(tmp_path)) == [0, 2, 3]


def test_who_is_stopped_waits_for_nobody(tmp_path):
    """A game is over while a program hangs in the others."""

    def stop(_game, _there):
        raise KeyboardInterrupt

    played = tournament("random", "random", program("hang"), games=2, time_limit=5 * LIMIT)
    begun, before = time.monotonic(), threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run_text_tournament(played, tmp_path, None, 6, stop)
    while threading.active_count() > before:
        assert time.monotonic() - begun < LIMIT
        time.sleep(0.01)
    assert time.monotonic() - begun < LIMIT
    assert [game["pairing"] for game in lines(tmp_path)] == [0]
    with pytest.raises(KeyboardInterrupt):
        run_text_tournament(played, tmp_path, None, 1, stop)


def test_illegal_answers_are_told_back_and_lose_no_game(tmp_path):
    summary = run_text_tournament(tournament(function("stumbling"), "random"), tmp_path)
    found = result(summary)
    assert found["illegal"] > 0 and found["answers"] == found["illegal"] + found["decisions"]
    assert found["lost_by"]["illegal"]["count"] == 0 and found["by_the_rules"]["games"] == 2


def test_games_lost_by_illegal_answers_stand_apart(tmp_path):
    summary = run_text_tournament(tournament(function("fool"), function("first"), allowance=1), tmp_path)
    fool, other = summary["results"]
    assert fool["illegal"] == fool["answers"] == 4 and fool["decisions"] == 0
    assert fool["lost_by"]["illegal"]["count"] == fool["losses"]["count"] == 2
    assert fool["by_the_rules"]["games"] == 0 and fool["by_the_rules"]["wins"]["share"] is None
    assert other["wins"]["count"] == other["wins_by_forfeit"] == 2 and other["illegal"] == 0
    assert summary["all"]["forfeits"] == {"illegal": 2, "late": 0, "crash": 0}
    games = lines(tmp_path)
    assert [game["quitter"] for game in games] == ["free_peoples", "shadow"]
    assert all(game["reason"] == "forfeit" and game["record"]["result"] is None for game in games)
    assert "there is no action 'king:g1'" in games[0]["message"]


@pytest.mark.parametrize("players", [3, 4])
def test_a_player_has_all_seats_of_its_team(tmp_path, players):
    rules = Ruleset.first_edition(players=players, max_turns=1)
    summary = run_text_tournament(
        tournament(function("first"), program("plays"), ruleset=rules, whole=False), tmp_path
    )
    first, second = lines(tmp_path)
    teams = [seat.team for seat in rules.seats]
    assert first["players"] == teams and second["players"] == [1 - team for team in teams]
    assert all(count["answers"] for count in first["counts"])
    assert result(summary)["decisions"] == result(summary)["answers"] > 0


def test_errors_of_a_function_are_counted_and_told(tmp_path):
    summary = run_text_tournament(tournament(function("raising"), "random"), tmp_path)
    found = result(summary)
    assert found["crash"] > 0 and found["illegal"] == 0 and found["by_the_rules"]["games"] == 2
    summary = run_text_tournament(tournament(function("mute"), "random"))
    assert result(summary)["lost_by"]["crash"]["count"] == 2 and result(summary)["crash"] == 6


def test_a_program_that_hangs_or_ends_is_started_anew(tmp_path, timed):
    """The first prompt of the first game finds it so; afterwards it plays."""
    timed(PATIENCE * LIMIT)
    hangs = program("hang", tmp_path / "hung", tmp_path / "ticks")
    summary = run_text_tournament(tournament(hangs, program("exit", tmp_path / "ended")))
    hung, ended = summary["results"]
    assert hung["late"] == 1 and hung["crash"] == 0 and hung["lost_by"]["late"]["count"] == 0
    assert ended["crash"] == 1 and ended["late"] == 0
    assert hung["by_the_rules"]["games"] == 2


def test_late_answers_lose_games_apart(tmp_path, timed):
    timed(1.4 * LIMIT)
    late = program("late", "-", tmp_path / "ticks")
    summary = run_text_tournament(tournament(late, "random", allowance=1), tmp_path / "out")
    found = result(summary)
    assert found["late"] == found["answers"] == 4 and found["lost_by"]["late"]["count"] == 2
    assert found["illegal"] == found["crash"] == 0 and 1.4 * LIMIT < found["seconds"] < 2 * LIMIT
    assert "came after 42" in lines(tmp_path / "out")[0]["message"]


def test_each_player_has_its_own_limit(tmp_path, timed):
    """Both take as long for each answer; that is too long for one of them."""
    timed(1.4 * LIMIT)
    quick, slow = (program("late", "-", tmp_path / "ticks") + f" {name}" for name in ("quick", "slow"))
    summary = run_text_tournament(tournament(quick, slow, time_limit=(LIMIT, 2 * LIMIT), allowance=0))
    assert [row["late"] > 0 for row in summary["results"]] == [True, False]
    assert summary["time_limit"] == [LIMIT, 2 * LIMIT]


def talk(deed, path="", ticks="", **clock):
    player = TextPlayer.named(program(deed, path, ticks), WAR_OF_THE_RING.name)
    return Conversation(player, WAR_OF_THE_RING, 1, LIMIT, **clock)


@pytest.mark.parametrize(
    ("deed", "failure", "forgot", "message"),
    [
        ("late", "late", False, "came after"),
        ("hang", "late", True, f"no answer within {LIMIT:g} seconds"),
        ("exit", "crash", True, "ended with exit code 3, having printed: no memory left"),
        ("garbage", "crash", True, "wrote a line that is not a JSON object"),
        ("id", "crash", True, "answered prompt 2, and was told 1"),
        ("number", "crash", True, "answered with 7, which is not a text"),
        ("type", "crash", True, "answered with type 'actions', not answer"),
        ("error", "crash", False, "There was an error instead of an answer: no licence."),
    ],
)
def test_what_a_program_may_do_instead(tmp_path, timed, deed, failure, forgot, message):
    clock = timed({"late": 1.4 * LIMIT, "hang": PATIENCE * LIMIT}.get(deed, 0.0))
    conversation = talk(deed, tmp_path / "done", tmp_path / "ticks", clock=clock)
    begun = conversation.start().number
    with pytest.raises(NoAnswerError, match=message) as error:
        conversation.ask("shadow", PROMPT)
    assert error.value.failure == failure and error.value.forgot == forgot
    assert conversation.ask("shadow", PROMPT) == "[face:army]"
    number = conversation.start().number
    assert (number != begun) == forgot
    conversation.close()
    for each in (begun, number):
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


def test_time_for_starting_is_not_that_of_an_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("wotr_experiments.language.players.MOST_STARTING", 10 * LIMIT)
    clock = clock_of(tmp_path / "ticks", 2 * LIMIT)
    conversation = talk("slow_start", "-", tmp_path / "ticks", clock=clock)
    begun = clock()
    assert conversation.ask("shadow", PROMPT) == "[face:army]"
    assert clock() - begun > 2 * LIMIT > LIMIT > conversation.seconds > 0
    conversation.close()


def test_who_ended_is_not_late_however_long_it_takes_to_see_how(monkeypatch):
    """The machine stands still while the arena asks for the exit code of a program."""
    clock, gone = HandClock(), Program._gone

    def slowly(program):
        clock.move(10 * LIMIT)
        return gone(program)

    monkeypatch.setattr(Program, "_gone", slowly)
    conversation = talk("exit", clock=clock)
    with pytest.raises(NoAnswerError, match="ended with exit code 3") as error:
        conversation.ask("shadow", PROMPT)
    assert error.value.failure == "crash" and conversation.seconds > PATIENCE * LIMIT


@pytest.mark.parametrize("deed", ["refuses", "version"])
def test_a_program_must_answer_the_greeting(deed):
    conversation = talk(deed)
    with pytest.raises(ProgramError):
        conversation.start()
    with pytest.raises(CommandError, match="cannot be made"):
        run_text_tournament(tournament(program(deed), "random"))


def test_interrupted_while_asked_it_leaves_no_process(monkeypatch):
    conversation = talk("hang")
    number = conversation.start().number

    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("wotr_agents.stdio.program.Program.hear", interrupt)
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("shadow", PROMPT)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_the_example_plays_as_a_program_and_as_a_function(tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLE.parent)
    players = "text_player:play", f"text:{sys.executable} text_player.py"
    summary = run_text_tournament(tournament(*players), tmp_path)
    assert all(row["illegal"] == row["crash"] == 0 and row["decisions"] for row in summary["results"])
    sizes = [len(EXAMPLE.read_text().splitlines()), len(names_in_prompt(PROMPT))]
    assert sizes[0] <= 35 and sizes[1] == 1


def test_games_without_a_seed_come_from_a_secret_that_is_kept(tmp_path):
    played = tournament(function("first"), "random", seed=None)
    run_text_tournament(played, tmp_path)
    secret = json.loads((tmp_path / "text-tournament.json").read_text())["secret"]
    assert len(secret) == 32 and run_text_tournament(played, tmp_path)["all"]["games"] == 2
    again = tournament(function("first"), "random", seed=None, secret=secret)
    run_text_tournament(again, tmp_path / "again")
    assert lines(tmp_path / "again") == lines(tmp_path)


def damage(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_tournament_becomes_longer_and_keeps_its_games(tmp_path):
    players = function("stumbling"), "random"
    run_text_tournament(tournament(*players, games=2), tmp_path / "longer")
    before = lines(tmp_path / "longer")
    summary = run_text_tournament(tournament(*players, games=4), tmp_path / "longer")
    assert lines(tmp_path / "longer")[:2] == before and summary["all"]["games"] == 4
    run_text_tournament(tournament(*players, games=4), tmp_path / "whole")
    assert lines(tmp_path / "longer") == lines(tmp_path / "whole")
    with pytest.raises(CommandError, match="its games: 4, asked for: 2"):
        run_text_tournament(tournament(*players, games=2), tmp_path / "longer")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    played = tournament(function("first"), "random")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"contains notes.txt but no tournament in text"):
        run_text_tournament(played, tmp_path)
    out = tmp_path / "out"
    run_text_tournament(played, out)
    before = (out / "games.jsonl").read_bytes()
    for other in (
        tournament(function("last"), "random"),
        tournament(function("first"), "random", games=4, seed=8),
        tournament(function("first"), "random", seed=8),
        tournament(function("first"), "random", seed=None),
        tournament(function("first"), "random", allowance=0),
    ):
        with pytest.raises(CommandError, match="holds another tournament"):
            run_text_tournament(other, out)
    for old, new in (('"late":0', '"late":1'), ('"winner":"draw"', '"winner":"shadow"'), ("[", "{")):
        damage(out / "games.jsonl", old, new)
        with pytest.raises(CommandError, match=r"games.jsonl, line 1: damaged"):
            run_text_tournament(played, out)
        (out / "games.jsonl").write_bytes(before)
    first, second = before.splitlines(keepends=True)
    (out / "games.jsonl").write_bytes(first + first)
    with pytest.raises(CommandError, match="game 0 of pairing 0 does not belong to this tournament"):
        run_text_tournament(played, out)
    (out / "games.jsonl").write_bytes(second)
    assert run_text_tournament(played, out)["all"]["games"] == 2
    (out / "text-tournament.json").write_text("[")
    with pytest.raises(CommandError, match="is damaged"):
        run_text_tournament(played, out)


ARGUMENTS = [
    "text-tournament",
    function("first"),
    "random",
    "--games",
    "2",
    "--seed",
    "1",
    "--max-turns",
    "1",
]


def test_the_command_plays_and_tells(tmp_path, capsys):
    out = tmp_path / "out"
    assert main([*ARGUMENTS, "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "answers" in told.out and "random" in told.out and "lost: illegal" in " ".join(told.out.split())
    assert "wotr: game 2 of 2: random as Free Peoples against" in told.err and "wotr replay" in told.err
    assert main([*ARGUMENTS, "--out", str(out), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary == json.loads((out / "summary.json").read_text())
    assert main(["replay", str(out / "records.jsonl")]) == 0


def test_ctrl_c_tells_that_it_goes_on(tmp_path, capsys, monkeypatch):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("wotr_experiments.language.text_running.play_game", interrupt)
    assert main([*ARGUMENTS, "--out", str(tmp_path / "out")]) == 130
    error = capsys.readouterr().err
    assert "the same command continues from there" in error and "wotr: stopped" in error
    monkeypatch.undo()
    assert main([*ARGUMENTS, "--out", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "two players or more, not 1"),
        (["random", "gpt"], "there is no player 'gpt'"),
        (["random", "scripted:level=x"], "parameter level"),
        (["random", "text:"], "the command names no program"),
        (["random", "text:no-such-program at-all"], "there is no program no-such-program"),
        (["random", "tests.text_players:nobody"], "has no function nobody"),
        (["random", "no_such_module:play"], "no_such_module cannot be imported"),
        (["random", "stdio:false"], "program 'false' ended"),
        (["random", "random", "--games", "3"], "even number"),
        (["random", "random", "--games", "0"], "even number"),
        (["random", "random", "--time-limit", "0"], "above 0"),
        (["random", "random", "--time-limit", "nan"], "above 0"),
        (["random", "random", "--allowance", "-1"], "from 0, not -1"),
        (["random", "random", "--prompts", "long"], "--prompts is one of whole, news, not long"),
        (["random", "random", "--ruleset", "third"], "no ruleset 'third'"),
        (["random", "random", "--secret", "abc"], "32 hex digits"),
        (["random", "random", "--game", "chess"], "chess"),
        (["random", "random", "--out", __file__], "is a file"),
    ],
)
def test_the_command_refuses_in_one_line(arguments, message, capsys):
    assert main(["text-tournament", *arguments]) == 2
    error = capsys.readouterr().err
    assert len(error) < 250 and "PYTHONPATH" not in error
    assert message in error and error.count("\n") == 1


def test_what_players_write_is_kept_and_told_by_the_replay(tmp_path, capsys):
    run_text_tournament(tournament(function("stumbling"), "random"), tmp_path)
    first, _ = lines(tmp_path)
    illegal = [each for each in first["answers"] if each[3]]
    assert first["answers"][0] == [0, "free_peoples", first["answers"][0][2], ""]
    assert illegal and all(each[1:] == ["free_peoples", "I castle [king:g1].", "illegal"] for each in illegal)
    assert len(first["answers"]) == first["counts"][0]["answers"]
    assert main(["replay", str(tmp_path / "records.jsonl"), "--record", "1"]) == 0
    told = capsys.readouterr().out
    assert f"Free Peoples writes:\n            {first['answers'][0][2]}\n" in told
    assert told.count("Free Peoples writes (illegal):\n            I castle [king:g1].\n") == len(illegal)
    assert main(["replay", str(tmp_path / "records.jsonl"), "--record", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    keys = ("decision", "seat", "text", "failure")
    assert [[each[key] for key in keys] for each in shown["answers"]] == first["answers"]
    page = tmp_path / "page.html"
    for eyes, there in (("both", True), ("free-peoples", True), ("shadow", False)):
        command = ["replay", str(tmp_path / "records.jsonl"), "--html", str(page), "--eyes", eyes]
        assert main([*command, "--record", "1"]) == 0
        assert ("I castle [king:g1]." in page.read_text()) == there


def test_games_that_were_stored_without_answers_are_read(tmp_path):
    played = tournament(function("first"), "random")
    whole = run_text_tournament(played, tmp_path)
    stored = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    begun = json.loads((tmp_path / "text-tournament.json").read_text())
    for each in stored:
        del each["answers"], each["digest"]
        each["digest"] = _digest(each)
    (tmp_path / "games.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in stored))
    del begun["legal_actions"], begun["renamed"], begun["board"]
    (tmp_path / "text-tournament.json").write_text(json.dumps(begun))
    assert run_text_tournament(played, tmp_path) == whole
    with pytest.raises(CommandError, match="another tournament .its renamed: null, asked for: 3"):
        run_text_tournament(tournament(function("first"), "random", renamed=3), tmp_path)


def test_programs_are_told_invented_names_alone(tmp_path):
    """Nothing that a program reads has a name of the game, and its answers play."""
    heard = tmp_path / "heard"
    played = tournament(program("listens", heard), "random", renamed=4)
    summary = run_text_tournament(played, tmp_path / "games")
    assert result(summary)["illegal"] == result(summary)["crash"] == 0 < result(summary)["answers"]
    said = heard.read_text()
    naming = Renaming(WAR_OF_THE_RING, 4)
    assert naming._pattern.search(said) is None and "face:army" in said
    for name in ("war-of-the-ring", "minas", "free_peoples", "shadow", "gandalf", "hobbit", "fellowship"):
        assert name not in said.lower(), name
    records = GameRecord.load(tmp_path / "games" / "records.jsonl")
    assert all(record.verify() for record in records)


def test_options_of_prompts_are_options_of_the_command(tmp_path):
    command = [*ARGUMENTS, "--renamed", "9"]
    assert main([*command, "--map", "--out", str(tmp_path)]) == 0
    begun = json.loads((tmp_path / "text-tournament.json").read_text())
    assert begun["renamed"] == 9 and begun["legal_actions"] and begun["board"]
    game = lines(tmp_path)[0]
    assert Renaming(WAR_OF_THE_RING, 9).find(game["answers"][0][2].strip("[]")) is not None
    assert main([*command, "--no-legal-actions", "--out", str(tmp_path)]) == 2
    again = tmp_path / "again"
    assert main([*command, "--no-legal-actions", "--out", str(again)]) == 0
    assert json.loads((again / "summary.json").read_text())["results"][0]["lost_by"]["crash"]["count"] == 2
