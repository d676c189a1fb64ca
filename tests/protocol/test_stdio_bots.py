"""Bots that are programs: what they are told, what they may say, and what becomes of those that fail."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.random_play import positions, refreshed
from tests.toy_games import HUNT
from tests.waiting import PATIENCE, eventually
from wotr_agents import BotError, canonical_spec, make_bot, parse_spec
from wotr_agents.random import RandomBot, RandomParameters
from wotr_agents.registry import starts_program
from wotr_agents.stdio import program
from wotr_agents.stdio.messages import PARTS, decisions_of, read_ready
from wotr_env import Game
from wotr_env.core.codes import MAX_SEED
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotView, choose, view_of
from wotr_env.play.games import game_kind
from wotr_env.play.history import BatchHistory, EndedGame
from wotr_experiments.arena.play import ForfeitKind, by_team, first_view, play_batch
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.isolation.bots import Bots, Isolate, IsolatedBot, Isolation

NAUGHTY = Path(__file__).parents[1] / "naughty_program.py"
EXAMPLES = Path(__file__).parents[2] / "docs" / "protocol"
RULES = WAR_OF_THE_RING.limited(WAR_OF_THE_RING.find_ruleset(), 1)

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")


def spec_of(deed, path="", more=""):
    return f"stdio:{sys.executable} {NAUGHTY} {deed} {path}{more}"


def below(parent=None):
    """The processes below this one."""
    found, own = set(), parent or os.getpid()
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{number}/stat") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == own:
                found |= {int(number), *below(int(number))}
    return found


@pytest.fixture(scope="module", autouse=True)
def begun():
    """The nursery, which stays for all tests."""
    with contextlib.closing(IsolatedBot("random", 1, WAR_OF_THE_RING.name)) as bot:
        bot.make()


@pytest.fixture(autouse=True)
def nothing_stays(begun):
    before = below()
    yield
    eventually(lambda: not below() - before, "the end of the programs")


@pytest.fixture
def make():
    """Programs below this process."""
    made = []

    def make(deed, path="", more=""):
        made.append(make_bot(spec_of(deed, path, more), 1))
        return made[-1]

    yield make
    for bot in made:
        bot.close()


def a_view(games=1):
    states, masks = WAR_OF_THE_RING.new_states(np.arange(games), RULES)
    return view_of(states, masks)


# --- Specs. ---


@pytest.mark.parametrize(
    ("spec", "command"),
    [
        ("stdio:python3 bot.py", "python3 bot.py"),
        ("stdio:./bot --depth=3,start=20", "./bot --depth=3"),
        ('stdio:sh -c "echo 1,2",start=20', 'sh -c "echo 1,2"'),
        ('stdio:"a,b ""c""",start=20', 'a,b "c"'),
        ("stdio:command=bot x=1", "bot x=1"),
    ],
)
def test_a_command_is_a_parameter_like_others(spec, command):
    parameters = parse_spec(spec)[1]
    assert parameters.command == command
    assert parse_spec(canonical_spec(spec))[1] == parameters


def test_a_command_is_shown_as_it_was_written():
    written = ("stdio:python3 bot.py", "stdio:bot,batch=7", "stdio:command=bot x=1", "stdio:command=bot=1")
    shown = Tournament(written, 2).names
    assert shown == ["stdio:python3 bot.py", "stdio:bot,batch=7", "stdio:bot x=1", "stdio:command=bot=1"]
    assert Tournament((*written[:1], "net:zoo/laptop"), 2).names[1] == "net:path=zoo/laptop"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("stdio", "parameter command is missing"),
        ("stdio:", "parameter command is missing"),
        ('stdio:"bot', "a double quote is not closed"),
        ("stdio:it's", "cannot be split"),
        ("stdio:bot,foo=1", "unknown parameter 'foo'"),
        ("stdio:bot,start=0", "start must be above 0 and at most 300, not 0"),
        ("stdio:bot,batch=0", "batch must be at least 1"),
    ],
)
def test_wrong_specs_are_told(spec, words):
    with pytest.raises(BotError, match=words):
        parse_spec(spec)


# --- Handshakes. ---


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("version", "speaks version 2 of the protocol; this package speaks 1"),
        ("no_version", "speaks version None"),
        ("type", "answered with type 'actions' instead of ready"),
        ("wants", "wants \\['dice'\\], but the parts are observation, named, text, position"),
        ("wants_text", "wants 'text'"),
        ("batch_word", "neither true nor false"),
        ("refuses", "reports an error: 'no licence.x1b\\[2J'"),
    ],
)
def test_a_handshake_that_does_not_fit_is_told(deed, words):
    with pytest.raises(BotError, match=words):
        make_bot(spec_of(deed), 1)


def test_a_program_that_says_nothing_is_not_waited_for():
    with pytest.raises(BotError, match="did not answer in time"):
        make_bot(spec_of("silent", more=",start=0.3"), 1)


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(BotError, match="cannot be started: No such file"):
        make_bot("stdio:/nowhere/bot", 1)


# --- Answers. ---


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("garbage", "wrote a line that is not a JSON object: 'Loading model...\N{REPLACEMENT CHARACTER}"),
        ("list", "wrote a line that is not a JSON object"),
        ("deep", "wrote a line that is not a JSON object"),
        ("endless", "wrote more than 1,048,576 bytes in one line"),
        ("exit", "ended with exit code 7, having printed: I leave\N{REPLACEMENT CHARACTER}"),
        ("kill", "was ended by SIGKILL"),
        ("shut", "closed its stdin or stdout"),
        ("other_id", "answered question 2 instead of 1"),
        ("few", "answered with 0 actions instead of 1"),
        ("error", "reports an error: 'out of ideas'"),
        ("unknown", "'fly-to-mordor', which is no action of the game; legal: "),
        ("number", "3, which is no action of the game"),
    ],
)
def test_a_program_that_fails_is_told_and_started_anew(make, tmp_path, monkeypatch, deed, words):
    if deed != "shut":  # which goes on until the time is over
        monkeypatch.setattr(program, "_MOST_DYING", PATIENCE)
    bot = make(deed, tmp_path / "done")
    with pytest.raises(Exception, match=".") as caught:
        bot.act(a_view())
    assert words in str(caught.value) and "\x1b" not in str(caught.value)
    choose(bot, a_view(3), "it")


def test_much_on_stderr_harms_nobody(make):
    choose(make("talk"), a_view(2), "it")


def test_one_line_holds_as_many_decisions_as_the_program_takes(make, tmp_path):
    view = a_view(5)
    choose(make("keep", tmp_path / "one"), view, "it")
    lines = [json.loads(line) for line in (tmp_path / "one").read_text().splitlines()]
    assert [len(each["decisions"]) for each in lines] == [1] * 5
    assert [each["seconds"] for each in lines] == [None] * 5
    bot = make("keep", tmp_path / "many", ",batch=3")
    bot.ready = type(bot.ready)(batch=True)
    choose(bot, BotView(view.masks, view.seats, view._observations, view._worlds, seconds=10.0), "it")
    lines = [json.loads(line) for line in (tmp_path / "many").read_text().splitlines()]
    assert [len(each["decisions"]) for each in lines] == [3, 2]
    assert [each["seconds"] for each in lines] == [6.0, 4.0]


def test_the_same_seed_and_views_are_the_same_bytes(make, tmp_path):
    for name in ("one", "two"):
        bot = make("keep", tmp_path / name)
        for _ in range(3):
            choose(bot, a_view(4), "it")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# --- What is told. ---


@pytest.mark.parametrize("edition", ["first", "second"])
def test_what_is_told_is_the_same_for_all_that_the_seat_cannot_tell_apart(edition):
    states = positions(edition)[::18].copy()
    states, masks = refreshed(states)
    keep = masks.any(axis=1)
    states, masks = states[keep], masks[keep]
    told = decisions_of(view_of(states, masks), WAR_OF_THE_RING, frozenset(PARTS))
    for seed in (1, 2):
        worlds = states.copy()
        seeds = np.random.default_rng(seed).integers(0, MAX_SEED, worlds.size)
        WAR_OF_THE_RING.kernels.sample_worlds(worlds, worlds["seat"].astype(np.int64), seeds)
        assert (worlds != states).any()
        assert decisions_of(view_of(worlds, masks), WAR_OF_THE_RING, frozenset(PARTS)) == told


@pytest.mark.parametrize("name", ["duel", "two-towers"])
def test_position_and_hash_belong_together_in_other_games(name):
    kind = game_kind(name)
    games = kind.games(8, 3, kind.find_ruleset())
    view = view_of(games.states.copy(), games.masks.copy(), kind)
    ready = {"type": "ready", "version": 1, "wants": ["position"]}
    assert read_ready(ready, kind).wants == {"position"}
    for each, state in zip(decisions_of(view, kind, frozenset({"position"})), games.states, strict=True):
        assert each["position"] == kind.positions.write(state, each["seat"])
        assert kind.positions.read(each["position"], None, None).hash() == each["hash"]


def test_position_hash_and_observation_belong_together():
    states, masks = refreshed(positions("first")[::40].copy())
    keep = masks.any(axis=1)
    states, masks = states[keep], masks[keep]
    for state, each in zip(
        states, decisions_of(view_of(states, masks), WAR_OF_THE_RING, frozenset(PARTS)), strict=True
    ):
        game, seat = Game.from_position(each["position"]), each["seat"]
        assert each["position"] == Game.from_state(state).position(seat)
        assert game.hash() == each["hash"]
        assert game.observe(seat).tolist() == each["observation"]
        assert [game.name_of(action) for action in game.legal()] == each["legal"]
        assert len(each["words"]) == len(each["legal"])
        assert each["named"]["corruption"] is not None
        assert game.describe() == each["text"]


def test_other_games_are_told_too():
    view = first_view(HUNT, HUNT.find_ruleset())
    (told,) = decisions_of(view, HUNT, frozenset({"observation", "named", "text"}))
    assert list(told["named"]) == [field.name for field in HUNT.layout.fields]
    assert told["observation"] == view.observations[0].tolist() and told["text"]
    assert set(told["legal"]) <= set(HUNT.actions.names)


# --- In the arena. ---


def isolated(deed, path="", more=""):
    return contextlib.closing(IsolatedBot(spec_of(deed, path, more), 1, WAR_OF_THE_RING.name))


def played(bot, games=2, seed=0, **options):
    random = RandomBot(RandomParameters(), 1)
    seeds = np.arange(games, dtype=np.uint64) + np.uint64(seed)
    swapped = np.zeros(games, dtype=np.bool_)
    return play_batch(WAR_OF_THE_RING, [bot, random], by_team(RULES, swapped), seeds, RULES, **options)


def test_programs_are_always_kept_apart():
    assert starts_program("stdio:x") and not starts_program("random")
    for which in Isolate:
        assert Isolation(which).isolates("stdio:x")
    with Bots(Isolation(Isolate.NONE)) as bots:
        (bot,) = bots.seat([spec_of("many")], [1])
        assert isinstance(bot, IsolatedBot)


@pytest.mark.parametrize(
    ("deed", "kind", "words"),
    [
        # The bot's own process knows the exit code if the program has ended within its _MOST_DYING.
        (
            "exit",
            ForfeitKind.CRASH,
            "(ended with exit code 7|closed its stdin or stdout), having printed: I leave",
        ),
        ("garbage", ForfeitKind.CRASH, "wrote a line that is not a JSON object"),
        ("unknown", ForfeitKind.ILLEGAL, "answered with 'fly-to-mordor', which is no action of the game"),
        ("illegal", ForfeitKind.ILLEGAL, r"illegal action 321 \(count:12\)"),
    ],
)
def test_who_fails_forfeits_with_words(deed, kind, words):
    with isolated(deed) as bot:
        forfeit = played(bot, 1).forfeits[0]
    assert forfeit.kind == kind and re.search(words, forfeit.message)


@pytest.mark.parametrize(("deed", "kind"), [("kill", ForfeitKind.CRASH), ("hang", ForfeitKind.TIME_OUT)])
def test_one_game_is_lost_and_the_next_is_played_on(tmp_path, deed, kind):
    """The time is short only for the program that hangs, and only as long as it does."""
    minutes = 300.0
    with isolated(deed, tmp_path / "done") as bot:
        first = played(bot, 1, time_limit=(0.5 if deed == "hang" else minutes, minutes))
        assert first.forfeits[0].kind == kind
        assert played(bot, 2, seed=1, time_limit=minutes).forfeits == {}


def test_the_time_limit_is_told_and_no_other(tmp_path):
    for limit, told in ((0.5, {0.5}), (0.0, {None})):
        path = tmp_path / f"{limit}"
        with isolated("keep", path) as bot:
            played(bot, 1, time_limit=limit)
        assert {json.loads(line)["seconds"] for line in path.read_text().splitlines()} == told


def test_it_is_told_which_games_it_plays_and_what_happens_in_them(tmp_path):
    with isolated("remember", tmp_path / "told") as bot:
        batch = played(bot, 3)
    messages = [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]
    assert [each["type"] for each in messages[:5]] == ["hello", *["new_game"] * 3, "decide"]
    begun = [each for each in messages if each["type"] == "new_game"]
    kind = WAR_OF_THE_RING.name
    assert begun == [
        {"type": "new_game", "game": f"{2 * game}", "kind": kind, "seat": 0} for game in range(3)
    ]
    seen: dict[str, list] = {f"{2 * game}": [] for game in range(3)}
    for message in messages:
        for decision in message.get("decisions", ()):
            seen[decision["game"]].append(decision)
    for decisions in seen.values():
        history: list = []
        for number, decision in enumerate(decisions):
            history += decision["events"]
            assert decision["number"] == number and decision["history"] == history
        assert len(history) > 20
    ended = {each["game"]: each["winner"] for each in messages if each["type"] == "end_game"}
    last = [decisions[-1] for message in messages if (decisions := message.get("decisions"))][-1]["game"]
    assert {*ended, last} == set(seen) and last not in ended
    winners = [WAR_OF_THE_RING.winner_name(int(winner)) for winner in batch.end_records["winner"]]
    assert ended == {game: winners[int(game) // 2] for game in ended}


def test_a_program_that_is_started_anew_meets_its_games_again(tmp_path):
    view = a_view(2)
    courses = BatchHistory(WAR_OF_THE_RING, np.zeros(2, dtype=WAR_OF_THE_RING.state), 2)
    view.past = courses.past(np.arange(2), view.seats, (EndedGame(9, 1),))
    bot = make_bot(spec_of("remember", tmp_path / "told"), 1)
    with contextlib.closing(bot):
        choose(bot, view, "it")
        choose(bot, view, "it")
        bot.close()
        choose(bot, view, "it")
    types = [json.loads(line)["type"] for line in (tmp_path / "told").read_text().splitlines()]
    met = ["hello", "new_game", "new_game", *["decide"] * 2]
    assert types == [*met, "decide", "decide", "end", *met, "end"]


def test_a_failure_in_many_games_costs_none(tmp_path):
    with isolated("kill", tmp_path / "done") as bot:
        assert played(bot, 4).forfeits == {}


def test_what_a_program_has_started_ends_with_it():
    before = below()
    with isolated("child") as bot:
        bot.answer(first_view(WAR_OF_THE_RING, RULES), 5.0)
        assert len(below() - before) >= 4  # a keeper, a bot, a program and its child


@pytest.mark.parametrize(
    "command",
    [f"{sys.executable} {EXAMPLES / 'plain_bot.py'}", f"node {EXAMPLES / 'weighing_bot.js'}"],
)
def test_examples_play(command):
    if shutil.which(command.split()[0]) is None:
        pytest.skip("its interpreter is not here")
    with contextlib.closing(IsolatedBot(f"stdio:{command}", 1, WAR_OF_THE_RING.name)) as bot:
        assert played(bot, 4).forfeits == {}


def test_the_example_is_short_and_needs_nothing_of_ours():
    text = (EXAMPLES / "plain_bot.py").read_text()
    assert len(text.splitlines()) <= 40 and "wotr_" not in text


def test_no_file_of_somebody_else_starts_a_program():
    from wotr_experiments.table import bot_process
    from wotr_experiments.training.config import TrainConfig

    with pytest.raises(ValueError, match="may not start a program"):
        TrainConfig(opponents=("stdio:true",))
    with pytest.raises(BotError, match="a table starts no programs"):
        bot_process.preload_bot(WAR_OF_THE_RING.name, "stdio:true")
