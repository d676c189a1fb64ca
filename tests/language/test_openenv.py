"""The server for OpenEnv's clients: messages, whole games, errors and limits."""

from __future__ import annotations

import random
import re
import sys
import types
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.text_players import names_in_prompt
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.language import openenv
from wotr_experiments.language.openenv import SCHEMA, make_app

SHORT = Ruleset.first_edition(max_turns=1)


def app(**options):
    return make_app(WAR_OF_THE_RING, "shadow", "random", **{"ruleset": SHORT, **options})


@pytest.fixture
def client():
    with TestClient(app()) as client:
        yield client


def asked(socket, kind, **data):
    socket.send_json({"type": kind, "data": data})
    return socket.receive_json()


def test_the_server_describes_itself(client):
    assert client.get("/health").json() == {"status": "healthy"}
    assert client.get("/metadata").json()["name"] == "wotr-war-of-the-ring"
    assert client.get("/schema").json() == SCHEMA


def test_a_game_is_played_to_its_end(client):
    dice = random.Random(1)
    with client.websocket_connect("/ws") as socket:
        found = asked(socket, "reset", seed=5, episode_id="mine")["data"]
        assert found["reward"] is None and not found["done"]
        assert "Legal actions:" in found["observation"]["text"]
        steps = 0
        while not found["done"]:
            name = dice.choice(names_in_prompt(found["observation"]["text"]))
            answer = asked(socket, "step", text=f"I take [{name}]")
            assert answer["type"] == "observation"
            found, steps = answer["data"], steps + 1
            assert set(found["observation"]) - {"metadata"} == set(SCHEMA["observation"]["properties"])
        assert found["reward"] == 0 and found["observation"]["metadata"]["game"]["end"]
        state = asked(socket, "state")
        assert state == {
            "type": "state",
            "data": {"episode_id": "mine", "step_count": steps, "role": "Shadow"},
        }
        assert asked(socket, "step", text="[x]")["type"] == "error"
        assert not asked(socket, "reset", seed=5)["data"]["done"]


def test_the_same_seed_gives_the_same_game(client):
    texts = []
    for _ in range(2):
        with client.websocket_connect("/ws") as socket:
            texts.append(asked(socket, "reset", seed=7)["data"]["observation"]["text"])
    assert texts[0] == texts[1]


def test_useless_answers_forfeit_the_game(client):
    with client.websocket_connect("/ws") as socket:
        asked(socket, "reset")
        found = [asked(socket, "step", text="nothing")["data"] for _ in range(3)]
    assert [each["done"] for each in found] == [False, False, True]
    assert found[2]["reward"] == -1 and found[0]["observation"]["failure"] == "illegal"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "a message must be a JSON object"),
        ("[1]", "a message must be a JSON object"),
        ('{"type": "play"}', "type must be reset, step, state or close, not 'play'"),
        ('{"type": "step", "data": [1]}', "data must be an object, not [1]"),
        ('{"type": "step", "data": {"text": "x"}}', "no game has begun"),
        ('{"type": "reset", "data": {"seed": -1}}', "seed"),
    ],
)
def test_wrong_messages_are_answered_with_an_error(client, message, words):
    with client.websocket_connect("/ws") as socket:
        socket.send_text(message)
        answer = socket.receive_json()
        assert answer["type"] == "error" and words in answer["data"]["message"]
        assert asked(socket, "reset")["type"] == "observation"


def test_games_beyond_the_limit_and_pages_of_other_sites_are_refused():
    with TestClient(app(sessions=1)) as client, client.websocket_connect("/ws") as first:
        with client.websocket_connect("/ws") as second:
            assert second.receive_json()["data"]["code"] == "CAPACITY_REACHED"
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("/ws", headers={"origin": "https://elsewhere.example"}),
        ):
            pass
        first.send_json({"type": "close"})
        with pytest.raises(WebSocketDisconnect):
            first.receive_json()
        with client.websocket_connect("/ws") as third:
            assert asked(third, "reset")["type"] == "observation"


def test_other_games_are_served():
    duel = make_app(game_kind("duel"), "sauron", "random")
    with TestClient(duel) as client, client.websocket_connect("/ws") as socket:
        assert "Legal actions:" in asked(socket, "reset", seed=1)["data"]["observation"]["text"]
        assert asked(socket, "state")["data"]["role"] == "Sauron"


class Client:
    """The part of OpenEnv's ``GenericEnvClient`` that the documentation uses."""

    def __init__(self, base_url):
        self._client = TestClient(app(), base_url=base_url)

    def sync(self):
        return self

    def __enter__(self):
        self._socket = self._client.websocket_connect("/ws").__enter__()
        return self

    def __exit__(self, *error):
        self._socket.__exit__(*error)

    def reset(self, **data):
        return types.SimpleNamespace(**asked(self._socket, "reset", **data)["data"])

    def step(self, action):
        return types.SimpleNamespace(**asked(self._socket, "step", **action)["data"])


def test_the_example_of_the_documentation_runs(monkeypatch, capsys):
    page = Path(__file__).parents[2] / "docs" / "language-models.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    (example,) = [block for block in blocks if "GenericEnvClient" in block]
    for name in ("openenv", "openenv.core", "openenv.core.generic_client"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["openenv.core.generic_client"].GenericEnvClient = Client
    exec(compile(example, page.name, "exec"), {})
    assert capsys.readouterr().out == "0\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seat", "gondor"], "there is no player 'gondor'"),
        (["--seat", "shadow", "--against", "nobody"], "unknown bot 'nobody'"),
        (["--seat", "shadow", "--game", "chess"], "chess"),
        (["--seat", "shadow", "--ruleset", "third"], "third"),
        (["--seat", "shadow", "--port", "65536"], "--port must be from 0 to 65535, not 65536"),
        (["--seat", "shadow", "--port", "-1"], "--port must be from 0 to 65535, not -1"),
    ],
)
def test_wrong_options_are_refused_in_a_line(arguments, words, capsys):
    assert openenv.main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wotr: ") and words in line
