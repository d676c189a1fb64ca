"""The game as tools, played by a client that is a script."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
import threading

import pytest

from tests.waiting import PATIENCE, eventually
from wotr_env import GameRecord, Ruleset
from wotr_env.play.games import game_kind
from wotr_experiments.cli.main import main
from wotr_experiments.language import text_game
from wotr_experiments.language.seat import SeatGame

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("mcp"), reason="needs the extra mcp")

SHORT = Ruleset.first_edition(max_turns=1)
MOST = 400


def host(**changes):
    from wotr_experiments.language.server import (
        ServerSettings,  # it takes a second, so not where tests are collected
    )

    return ServerSettings(**{"bots": ["scripted", "random"], "ruleset": SHORT, "seed": 4, **changes})


async def call(client, tool, **arguments):
    answer = await client.call_tool(tool, arguments)
    return answer.content[0].text, bool(answer.is_error)


def names_in(text):
    return re.findall(r"^  ([a-z-]+(?::[\w-]+)*): ", text, re.MULTILINE)


async def play(client, seat):
    """A whole game by the first legal action of each question; the last words."""
    text, failed = await call(client, "new_game", seat=seat)
    assert not failed
    for _ in range(MOST):
        names = names_in(text)
        if not names:
            return text
        text, failed = await call(client, "act", actions=names[-1])
        assert not failed, text
    raise AssertionError("the game did not end")


def run(host_, script):
    from mcp import Client

    from wotr_experiments.language.server import make_server

    server, table = make_server(host_)

    async def session():
        async with Client(server) as client:
            return await script(client)

    try:
        return asyncio.run(session())
    finally:
        table.close()


@pytest.mark.parametrize("seat", ["free-peoples", "shadow"])
def test_a_scripted_client_plays_a_game_that_is_recorded(tmp_path, seat):
    records = tmp_path / "games.jsonl"
    last = run(host(records=records), lambda client: play(client, seat))
    assert "over" in last
    (record,) = GameRecord.load(records)
    assert record.verify() and "language model" in record.players and "scripted" in record.players


def test_a_game_that_cannot_be_stored_is_answered_with_a_note_and_stored_later(tmp_path):
    records = tmp_path / "games.jsonl"
    records.mkdir()  # so that writing fails

    async def script(client):
        last = await play(client, "shadow")
        again = await call(client, "look")
        records.rmdir()
        return last, again, await call(client, "new_game"), len(GameRecord.load(records))

    last, again, begun, stored = run(host(records=records), script)
    for text, failed in ((last, False), again):
        assert "over" in text and "Note: the record of the finished game is not stored: " in text
        assert not failed
    assert stored == 1 and "Note: " not in begun[0]
    assert len(GameRecord.load(records)) == 1


@pytest.mark.parametrize(("game", "seat", "word"), [("duel", "sauron", "coins"), ("two-towers", "", "ring")])
def test_a_scripted_client_plays_the_smaller_games(tmp_path, game, seat, word):
    records = tmp_path / "games.jsonl"
    kind = game_kind(game)

    async def script(client):
        return await play(client, seat), await call(client, "rules", words=word)

    of_game = host(kind=kind, ruleset=kind.read_ruleset(None), records=records)
    last, (rules, failed) = run(of_game, script)
    (record,) = GameRecord.load(records)
    assert record.verify() and record.game == game and "language model" in record.players
    assert record.result is not None and last.endswith(kind.words.decision(record.replay().state))
    assert not failed and word in rules


def test_the_tools_are_told_with_their_arguments():
    async def script(client):
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = run(host(), script)
    assert tools.keys() == {"new_game", "look", "legal", "act", "rules", "hint"}
    assert all(tool.description for tool in tools.values())
    assert run(host(hints=False), script).keys() == tools.keys() - {"hint"}


def test_what_cannot_be_is_an_error_that_says_why():
    async def script(client):
        found = [await call(client, "look"), await call(client, "new_game", seat="gandalf")]
        found.append(await call(client, "new_game", opponent="stdio:rm"))
        await call(client, "new_game", seat="Shadow", opponent="random")
        found += [await call(client, "act", actions="fly"), await call(client, "rules", words="minas tirith")]
        found.append(await call(client, "hint"))
        return found

    early, seat, bot, illegal, rules, hint = run(host(), script)
    assert early[1] and "call new_game" in early[0]
    assert seat[1] and "no player 'gandalf'" in seat[0]
    assert bot[1] and "no opponent 'stdio:rm'" in bot[0]
    assert illegal[1] and "no action 'fly'" in illegal[0] and "legal: " in illegal[0]
    assert not rules[1] and "Gondor" in rules[0]
    assert not hint[1] and "random would choose" in hint[0]


@pytest.mark.parametrize("tool", ["look", "legal", "act", "hint", "new_game"])
def test_no_other_call_uses_the_game_while_the_bot_decides(tool, monkeypatch):
    deciding, entered, ask = threading.Event(), threading.Event(), text_game.ask

    def slow(*arguments):
        deciding.set()
        entered.wait(0.5)  # long enough for a call that does not wait its turn
        deciding.clear()
        return ask(*arguments)

    def noted(method):
        def called(*arguments):
            if deciding.is_set():
                entered.set()
            return method(*arguments)

        return called

    for name in ("look", "asked", "act", "hint", "close"):
        monkeypatch.setattr(SeatGame, name, noted(getattr(SeatGame, name)))

    async def script(client):
        text, _ = await call(client, "new_game")
        arguments = {"actions": names_in(text)[-1]}
        monkeypatch.setattr(text_game, "ask", slow)
        act = asyncio.create_task(call(client, "act", **arguments))
        await asyncio.to_thread(eventually, deciding.is_set, "the question to the bot")
        await call(client, tool, **(arguments if tool == "act" else {}))
        return await act

    duel = game_kind("duel")
    _, failed = run(host(kind=duel, ruleset=duel.read_ruleset(None)), script)
    assert not failed and not entered.is_set()


def test_seeds_are_secret_unless_they_are_given():
    async def script(client):
        return [(await call(client, "new_game", seat="shadow"))[0] for _ in range(2)]

    one, two = (run(host(seed=None), script) for _ in range(2))
    assert len({*one, *two}) > 1
    assert run(host(), script) == run(host(), script)


def test_the_command_serves_over_stdin_and_stdout():
    from mcp import Client, StdioServerParameters

    arguments = ["-m", "wotr_experiments.cli.main", "mcp", "--ruleset", "first:max_turns=1", "--seed", "3"]

    async def session():
        async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
            return await call(client, "new_game", seat="shadow")

    text, failed = asyncio.run(asyncio.wait_for(session(), PATIENCE))
    assert not failed and "You are Shadow." in text


@pytest.mark.parametrize("compiling", [True, False])
def test_nobody_waits_for_the_compiler_before_the_server_answers(compiling, monkeypatch):
    """Kernels are compiled elsewhere; no search, which would wait for that, is made at the start."""
    made, served = [], []
    monkeypatch.setattr("wotr_experiments.cli.mcp.start_background_compiler", lambda _game: compiling)
    monkeypatch.setattr("wotr_experiments.cli.mcp.check_made", lambda spec, _bot: made.append(spec))
    monkeypatch.setattr("wotr_experiments.language.server.MCPServer.run", lambda *_: served.append(True))
    assert main(["mcp", "--against", "random", "--against", "mcts:sims=2"]) == 0
    assert served and made == (["random"] if compiling else ["random", "mcts:sims=2"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "nobody"], "nobody"),
        (["--against", "random", "--against", "net:nowhere"], "there is no network nowhere"),
        (["--ruleset", "third"], "no ruleset 'third'"),
        (["--game", "chess"], "chess"),
        (["--game", "duel", "--against", "queller"], "queller"),
        (["--records", "/nowhere/at/all"], "there is no folder"),
    ],
)
def test_the_command_refuses_in_one_line(arguments, message, capsys):
    assert main(["mcp", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
