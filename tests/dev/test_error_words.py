"""Errors are in our words: nothing of Python's, of pydantic's or of a codec's reaches whoever reads them."""

from __future__ import annotations

import asyncio
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import wotr_env
from wotr_agents import make_bot
from wotr_env import Game, GameRecord, IllegalAction, Ruleset, VectorGame, sample_world
from wotr_env.core.errors import RecordError
from wotr_env.core.read_errors import reason
from wotr_env.games.war_of_the_ring.given_chance import with_tape
from wotr_env.games.war_of_the_ring.observation import as_dict, entities
from wotr_env.play.bots import BotError
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.table.analysis_board.messages import CheckRequest
from wotr_experiments.table.messages import NewTable, Refused, read_json, read_message
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.training.config import ExploitConfig, TrainConfig

FOREIGN = re.compile(
    r"Value error|validation error|pydantic|codec|__init__|keyword argument|`|\$\.|Expecting |KeyError|"
    r"deserializ|broadcast|invalid literal|out of bounds|object has no attribute|subscriptable|iterable|"
    r"Only base64|padding|unhashable|must be a mapping|Expected |truncated|reshape"
)


def told(error: type[Exception], call, *arguments) -> str:
    """The message of what a call raises, which is in our words."""
    with pytest.raises(error) as caught:
        call(*arguments)
    message = str(caught.value)
    assert not FOREIGN.search(message), message
    return message


def raised_by(call) -> Exception:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: json.loads("{"), "it is not JSON (column 2)"),
        (lambda: json.loads("[1,\n x]"), "it is not JSON (line 2, column 2)"),
        (lambda: b"ab\xff".decode(), "it is not UTF-8 text (byte 3)"),
        (lambda: {}["seed"], "'seed' is missing"),
        (lambda: Ruleset(x=1), "'x' is unknown"),  # pyright: ignore[reportCallIssue]
        (lambda: (lambda a, b: 0)(), "'a' and 'b' are missing"),  # pyright: ignore[reportCallIssue]
        (lambda: len(5), "a value in it has the wrong type"),  # pyright: ignore
        (lambda: [].items(), "a value in it has the wrong type"),  # pyright: ignore
        (lambda: int(5.5) < "x", "a value in it has the wrong type"),  # pyright: ignore
        (lambda: json.loads("[" * 100_000), "it is nested too deeply"),
        (lambda: zipfile.ZipFile(__file__), "it is damaged"),
        (lambda: Path("/nowhere").read_bytes(), "No such file or directory"),
        (lambda: check_ours(TypeError), "a ruleset is a Ruleset, not 'first'"),
        (lambda: check_ours(ValueError), "a ruleset is a Ruleset, not 'first'"),
    ],
)
def test_reasons(call, words):
    assert reason(raised_by(call)) == words


def check_ours(kind: type[Exception]) -> None:
    raise kind("a ruleset is a Ruleset, not 'first'")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tournament random scripted --games x", "--games must be a whole number, not x"),
        ("tournament random scripted --seed 1.5", "--seed must be a whole number, not 1.5"),
        ("tournament random scripted --seed -1", "--seed must be at least 0, not -1"),
        ("tournament random scripted --watchdog nan", "--watchdog must be at least 0, not nan"),
        ("serve --port 99999", "--port must be at most 65,535, not 99999"),
        ("compare random scripted --elo0 abc", "--elo0 must be a number, not abc"),
        ("compare random scripted --alpha nan", "alpha must be a finite number, not nan"),
        ("compare random scripted --elo1 7000", "elo1 must be from -1000 to 1000, not 7000"),
        ("compare random scripted --elo1 nan", "elo1 must be a finite number, not nan"),
        ("compare random scripted --elo0 20", "elo0 must be less than elo1, not 20 and 10"),
        ("demo --decisions x", "--decisions must be a number, not x"),
        ("train run --learning-rate fast", "--learning-rate must be a number, not fast"),
        ("tournament a b --engine fast", "--engine is one of processes, threads, ray, not fast"),
        ("serve-bot random --isolate maybe", "--isolate is one of foreign, all, none, not maybe"),
        ("tournament", "BOT... is missing"),
        ("check-bot", "BOT is missing"),
        ("replay", "FILE is missing"),
        ("tournament random --games", "--games needs a value"),
        ("bots --json=yes", "--json takes no value"),
        ("tournament random --gams 4", "there is no option --gams; did you mean --game, --games?"),
        ("bench --luck", "there is no option --luck"),
        ("tourney random", "there is no command tourney; did you mean tournament?"),
        ("dance", "there is no command dance"),
        ("warmup now", "unexpected argument now"),
        ("rules R99.9", "no rule has R99.9 in its id, title or text"),
    ],
)
def test_a_command_line_that_cannot_be_is_one_line_in_our_words(line, words, capsys):
    assert cli.main(line.split()) == 2
    assert capsys.readouterr().err == f"wotr: {words}\n"


@pytest.mark.parametrize("tape", [5, None, "12", b"1", [1.5], [True], [300], [-1], ["a"], [1] * 33, {1: 2}])
def test_a_tape_is_checked_when_it_is_given(tape):
    game = Game(1)
    before = game.to_bytes()
    words = told(ValueError, game.with_tape, tape)
    assert words == told(ValueError, with_tape, game.state, tape)
    assert words.startswith("a tape ")
    assert game.to_bytes() == before
    assert game.with_tape(np.array([1, 2])).seed is None


def test_the_library(tmp_path):
    state, rng = Game(1).state, np.random.default_rng(0)
    assert "such as np.random.default_rng(0)" in told(ValueError, sample_world, state, 0, 5)
    assert "there is no player 'x'" in told(ValueError, sample_world, state, "x", rng)
    same = sample_world(state, "shadow", np.random.default_rng(1))
    assert same.tobytes() == sample_world(state, 1, np.random.default_rng(1)).tobytes()
    for call in (as_dict, entities):
        assert "not of shape (3,)" in told(ValueError, call, np.zeros(3, dtype=np.int8))
        assert "not 'x'" in told(ValueError, call, "x")
    assert "a snapshot must be a result of snapshot()" in told(ValueError, VectorGame(2, seed=1).restore, 5)
    assert "a position is one line of text, not 5" in told(ValueError, Game.from_position, 5)
    assert "such as 'mcts:sims=400', not by 5" in told(BotError, make_bot, 5, 1)
    (tmp_path / "bad.safetensors").write_bytes(b"\5\0\0\0\0\0\0\0xxxxx")
    for spec in ("net:", "mcts:belief="):
        words = told(BotError, make_bot, f"{spec}{tmp_path / 'bad.safetensors'}", 1)
        assert "it is damaged or of another format" in words


def test_pettingzoo_agents_and_steps_out_of_turn():
    env = wotr_env.raw_env()
    assert "call reset()" in told(IllegalAction, env.step, 0)
    env.reset(seed=1)
    for call in (env.observe, env.action_space, env.observation_space):
        words = "there is no agent 'x'; the agents are free_peoples_0, shadow_0"
        assert told(ValueError, call, "x") == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x": 1}, "'x' is unknown"),
        ({"network": 5}, "a value in it has the wrong type"),
        ({"ppo": {"x": 1}}, "'x' is unknown"),
        ({"network": None}, "a value in it has the wrong type"),
    ],
)
def test_configurations(changes, words):
    assert words in told(ValueError, TrainConfig.from_dict, TrainConfig().to_dict() | changes)
    assert "'network' is missing" in told(ValueError, TrainConfig.from_dict, {})
    assert "'network' is missing" in told(ValueError, ExploitConfig.from_dict, {})


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"{", "it is not JSON"), (b"\xff", "it is not UTF-8 text"), (b"[" * 99_999, "nested")],
)
def test_files(tmp_path, data, words, capsys):
    path = tmp_path / "file"
    path.write_bytes(data)
    assert words in told(CommandError, SavedGame.read, path)
    assert words in told(RecordError, GameRecord.load, path)
    for command in (
        ["replay", str(path)],
        ["analyse", str(path)],
        ["play", "--load", str(path)],
        ["position", str(path)],
        ["tournament", "random", "random", "--positions", str(path)],
    ):
        assert cli.main(command) == 2
        assert not FOREIGN.search(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is an object, not a list"),
        ('{"type":"act"}', "v is missing"),
        ('{"type":"act","v":2,"hash":"x","actions":[1]}', "v cannot be 2"),
        ('{"type":"act","v":1,"hash":"x","actions":["a"]}', "actions[0] is a whole number, not a text"),
        ('{"type":"fly","v":1}', "type cannot be 'fly'"),
        ('{"type":"act","v":1,"hash":"x","actions":[]}', "actions has a length of at least 1"),
        ('{"type":"act","v":1,"hash":"x","actions":[-1]}', "actions[0] is at least 0"),
        ('{"type":"act","v":1,"hash":"x","actions":[1],"z":1}', "there is no field z"),
        ('{"type":"look","v":1,"number":1,"eyes":5}', "eyes is a text or null, not a whole number"),
    ],
)
def test_messages_of_the_table(message, words):
    assert told(Refused, read_message, message) == f"the message does not fit docs/table-protocol.md: {words}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"\xff", "it is not JSON"),
        (b'{"seats":{"fp":5}}', "seats[...] is a text, not a whole number"),
        (b'{"seats":{},"pace":99}', "pace is at most 60"),
        (b'{"seats":{},"watch":[{"delay":-1}]}', "watch[0].delay is at least 0"),
        (b'{"seats":{},"seed":1.5}', "seed is a whole number or a text or null, not a number"),
        (b'{"seats":{"":"person"}}', "a key of seats has a length of at least 1"),
    ],
)
def test_new_tables(body, words):
    expected = f"the request does not fit docs/table-protocol.md: {words}"
    assert told(Refused, read_json, NewTable, body) == expected


def test_questions_of_the_analysis_board():
    assert told(Refused, read_json, CheckRequest, b"{}").endswith(": start is missing")


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("act", {}, "act needs 'actions'"),
        ("act", {"actions": 5}, "'actions' of act is a text, not 5"),
        ("new_game", {"seat": ["x"]}, "'seat' of new_game is a text, not ['x']"),
        ("new_game", {"seat": "fp", "side": "x"}, "new_game takes seat, opponent, not 'side'"),
        ("look", {"seat": "fp"}, "look takes nothing, not 'seat'"),
        ("dance", {}, "there is no tool 'dance'; there are new_game, look, legal, act, hint, rules"),
        ("new_game", {"seat": "elves"}, "there is no player 'elves'; this game has free-peoples, shadow"),
        ("look", {}, "no game has started: call new_game"),
    ],
)
def test_tools_of_language_models(tool, arguments, words):
    from wotr_experiments.language.server import ServerSettings, ToolError, make_server  # it takes a second

    server, table = make_server(ServerSettings(("random",), Ruleset(), seed=1))
    assert told(ToolError, lambda: asyncio.run(server.call_tool(tool, arguments))) == words
    table.close()
