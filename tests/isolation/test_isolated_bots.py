"""Bots in processes of their own: what they hold, what they can do, and what stays of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.toy_games import HUNT
from tests.waiting import PATIENCE, eventually
from wotr_agents import BotError, make_bot
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.play import ForfeitKind, by_team, first_view, play_batch
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation import bots as isolated
from wotr_experiments.isolation import nursery, process
from wotr_experiments.isolation.bots import (
    BotRaisedError,
    Bots,
    IsolatedBot,
    Isolation,
    check_made,
    explanation,
    meaning_of_values,
)
from wotr_experiments.isolation.process import BotProcess, BotProcessError, LateError
from wotr_experiments.isolation.protocol import COUNT, HEADER, VALUE, Kind

GAME = HUNT.name
RULES = HUNT.find_ruleset()

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")

PLAIN = Path(__file__).parents[2] / "docs" / "protocol" / "plain_bot.py"


@pytest.fixture(scope="module", autouse=True)
def nothing_stays(hostile):
    """No process and no zombie but the nursery; what other files have left may end meanwhile."""
    begin_nursery()
    before = len(below())
    yield
    eventually(lambda: len(below()) <= before, "the end of all processes of the module")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """How a process ended is waited for, however long it takes to end."""
    monkeypatch.setattr(process, "_MOST_DYING", PATIENCE)


def begin_nursery():
    with contextlib.closing(IsolatedBot("random", 1, GAME)) as bot:
        bot.make()


def below(parent=None):
    """The processes below this one."""
    found, own = set(), parent or os.getpid()
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{number}/stat") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == own:
                found |= {int(number), *below(int(number))}
    return found


@pytest.fixture
def make():
    """Bots that end with the test, and nothing of them stays."""
    made, before = [], below()

    def make(deed, **options):
        spec = ",".join([f"hostile:{deed}", *(f"{key}={value}" for key, value in options.items())])
        made.append(IsolatedBot(spec, 1, GAME))
        return made[-1]

    yield make
    for bot in made:
        bot.close()
    eventually(lambda: not below() - before, "the end of the processes of the bots")


@pytest.fixture(scope="module")
def harmless():
    """A bot whose deed is changed from test to test, so that it needs one process."""
    bot = IsolatedBot("hostile:nothing", 1, GAME)
    yield bot
    bot.close()


def asked(bot, seconds=0.0):
    view = first_view(HUNT, RULES)
    actions = bot.answer(view, seconds)
    assert view.masks[0, actions[0]]
    return bot


def with_deed(bot, deed, seed=1, **options):
    """The same process with a new bot."""
    bot.spec = ",".join([f"hostile:{deed}", *(f"{key}={value}" for key, value in options.items())])
    bot.begin(seed)
    return bot


def numbers(bot):
    """Of its process and of the keeper of that."""
    bot._process._listen(PATIENCE, 1)
    return list(map(int, bot._process._said.split()))


def nursery_number():
    found = nursery._SHARED._nursery
    assert found is not None
    return found._process.pid


def alive(number):
    with contextlib.suppress(OSError), open(f"/proc/{number}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
    return False


# --- What harms nobody. ---


def test_it_holds_its_pipe_and_no_state(harmless, tmp_path):
    with open(tmp_path / "kept", "w") as file:
        os.set_inheritable(file.fileno(), True)
        harmless.close()
        asked(with_deed(harmless, "look", path=tmp_path / "found"))
    # stdin, stdout, stderr, the socket
    assert (tmp_path / "found").read_text() == "4 True [] []"


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("leave", "SystemExit: no more"),
        ("interrupt", "KeyboardInterrupt: "),
        ("generator_exit", "GeneratorExit: odd"),
        ("memory", "MemoryError: "),
        ("unheard_of", "AttributeError: 'Inquirer' object has no attribute"),
    ],
)
def test_whatever_it_raises_is_told_and_its_process_goes_on(harmless, deed, words):
    asked(with_deed(harmless, "nothing"))
    before = numbers(harmless)
    with pytest.raises(BotRaisedError) as caught:
        asked(with_deed(harmless, deed))
    assert str(caught.value).startswith(words.strip())
    asked(with_deed(harmless, "nothing"))
    assert numbers(harmless) == before


def test_what_it_prints_goes_nowhere_and_is_known(harmless, capfd):
    before = harmless.printed
    asked(with_deed(harmless, "talk"))
    harmless.close()
    assert harmless.printed - before == 300_000 + len("to stdout\n") + 1 + len("the last words\n")
    assert capfd.readouterr() == ("", "")


def test_what_it_writes_into_the_arrays_reaches_nobody(harmless):
    view = first_view(HUNT, RULES)
    masks, seen = view.masks.copy(), view.observations.copy()
    harmless.tampered = False
    with_deed(harmless, "tamper").answer(view, 0.0)
    assert harmless.tampered
    assert np.array_equal(view.masks, masks) and np.array_equal(view.observations, seen)
    harmless.tampered = False
    asked(with_deed(harmless, "nothing"))
    assert not harmless.tampered


def test_what_comes_from_one_nursery_is_not_alike(make, tmp_path):
    for place in "ab":
        asked(make("dice", path=tmp_path / place))
    assert not {*(tmp_path / "a").read_text().split()} & {*(tmp_path / "b").read_text().split()}


def test_it_may_change_its_folder(harmless):
    before = os.getcwd()
    asked(asked(with_deed(harmless, "move")))
    assert os.getcwd() == before


# --- What loses its process, and nothing else. ---


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("exit", r"its process ended with exit code 7, having printed: I leave.\[2J"),
        ("kill", "its process was ended by SIGKILL"),
        ("shut", "its process ended with exit code 0"),
        ("nonsense", "its process has sent an unexpected message"),
    ],
)
def test_a_process_that_ends_is_replaced(make, deed, words):
    bot = make(deed)
    with pytest.raises(BotProcessError, match=f"^{words}$") as caught:
        asked(bot)
    assert "\x1b" not in str(caught.value)


def test_a_hang_is_ended_by_the_clock_of_the_arena(make):
    bot = make("hang")
    bot.make()
    hanging = numbers(bot)
    with pytest.raises(LateError):
        asked(bot, seconds=0.2)
    eventually(lambda: not any(map(alive, hanging)), "the end of the bot and its keeper")


def test_a_nursery_that_a_bot_has_ended_is_replaced():
    with contextlib.closing(IsolatedBot("hostile:nothing", 1, GAME)) as bot:
        asked(bot)
        before = nursery_number()
        os.kill(before, signal.SIGKILL)
        eventually(lambda: not alive(before), "the end of the nursery")
        bot.close()
        asked(bot)


def test_children_in_sessions_of_their_own_end_with_it(make, tmp_path):
    bot = make("children", path=tmp_path / "child")
    asked(bot)
    child = int((tmp_path / "child").read_text())
    assert alive(child)
    bot.close()
    assert not alive(child)


def test_a_second_answer_is_noticed(make):
    bot = make("twice")
    with pytest.raises(BotProcessError, match="has sent an unexpected message"):
        for _ in range(3):
            asked(bot)


def test_a_bot_that_cannot_be_made_is_told_in_a_line():
    words = "^bot hostile: parameter deed is missing; give hostile:deed=VALUE$"
    with Bots() as bots, pytest.raises(BotError, match=words):
        check_made("hostile", bots.seat(["hostile"], [0], GAME)[0])


def test_everything_ends_with_the_arena_that_is_killed(tmp_path):
    told, hangs = tmp_path / "numbers", tmp_path / "hangs"
    if (arena := os.fork()) == 0:
        try:
            bot = IsolatedBot(f"hostile:tell_and_hang,path={hangs}", 1, GAME)
            bot.make()
            told.write_text(" ".join(map(str, [*numbers(bot), nursery_number()])))
            asked(bot)
        finally:
            os._exit(1)
    eventually(lambda: hangs.exists() or not alive(arena), "a bot that hangs")
    assert alive(arena)
    os.kill(arena, signal.SIGKILL)
    os.waitpid(arena, 0)
    found = list(map(int, told.read_text().split()))
    eventually(lambda: not any(map(alive, found)), "the end of all that the arena has started")


# --- What is said on the socket. ---


@pytest.fixture
def speaking(monkeypatch):
    """Processes that say the bytes of an expression as soon as they are asked."""
    monkeypatch.setattr(process, "_PATIENCE", 0.3)
    made, started = [], []

    def speaking(words):
        program = f"import socket, sys, time; s = socket.socket(fileno=int(sys.argv[1])); {words}"

        def launch(data, _control, output, _memory):
            command = [sys.executable, "-S", "-c", program, str(data)]
            started.append(subprocess.Popen(command, pass_fds=(data,), stdout=output, stderr=output))

        made.append(BotProcess(0, launch))
        made[-1].ask(Kind.ASK)
        return made[-1]

    yield speaking
    for each in made:
        each.end()
    for each in started:
        each.kill()
        each.wait()


def frame(kind, number=1, length=0):
    return HEADER.pack(kind, number, length)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (frame(77), "has sent an unexpected message"),
        (frame(Kind.MADE), "has sent an unexpected message"),
        (frame(Kind.ANSWER, number=2), "has sent an unexpected message"),
        (frame(Kind.ANSWER, length=10), "has sent an unexpected message"),
        (frame(Kind.ANSWER, length=2**63), "has sent an unexpected message"),
        (frame(Kind.ANSWER)[:5], "has sent an incomplete message"),
        (frame(Kind.ANSWER, length=9) + b"1234", "has sent an incomplete message"),
    ],
)
def test_frames_that_do_not_fit_are_refused(speaking, said, why):
    bot = speaking(f"s.sendall({said!r}); time.sleep(60)")
    with pytest.raises(BotProcessError, match=why):
        bot.receive({Kind.ANSWER: 9})


def test_a_message_without_an_end_is_half_a_message(speaking):
    head = frame(Kind.ANSWER, length=9_000)
    bot = speaking(f"s.sendall({head!r}); [(s.send(b'x'), time.sleep(0.02)) for _ in range(9000)]")
    with pytest.raises(BotProcessError, match="has sent an incomplete message"):
        bot.receive({Kind.ANSWER: 9_000})


def test_a_process_that_takes_nothing_is_given_up(speaking):
    bot = speaking("time.sleep(60)")
    with pytest.raises(BotProcessError, match="takes nothing"):
        bot.give(Kind.GIVEN, bytes(10_000_000))


def test_endless_printing_is_read_and_its_end_kept(speaking):
    bot = speaking("[print('y' * 10_000) for _ in range(300)]; print('the end', flush=True); s.close()")
    with pytest.raises(BotProcessError, match="ended"):
        bot.receive({Kind.ANSWER: 9})
    bot.end()
    assert bot.printed == 300 * 10_001 + len("the end\n")
    assert bot.last_output().endswith("y the end")


# --- In games. ---


def batch(bots, games=8, **options):
    seats = by_team(RULES, np.arange(games) % 2 == 1)
    return play_batch(HUNT, bots, seats, np.arange(games, dtype=np.uint64), RULES, **options)


def test_the_same_games_isolated_or_not():
    seeds = [5, 6]
    specs = ["random", "oracle"]
    here = batch([make_bot(spec, seed, GAME) for spec, seed in zip(specs, seeds, strict=True)])
    with Bots(Isolation("all")) as bots:
        apart = batch(bots.seat(specs, seeds, GAME))
        again = batch(bots.seat(specs, seeds, GAME))
    for other in (apart, again):
        assert other.states.tobytes() == here.states.tobytes()
        assert np.array_equal(other.history, here.history)
        assert not other.forfeits


def test_a_bot_that_loses_its_process_three_times_is_out():
    with Bots() as bots:
        played = batch(bots.seat(["random", "hostile:kill,seat=1"], [1, 2], GAME))
    kinds = [forfeit.kind for _, forfeit in sorted(played.forfeits.items())]
    assert kinds.count(ForfeitKind.DIED) == 3
    assert kinds.count(ForfeitKind.DISQUALIFIED) == len(kinds) - 3 > 0
    for game, forfeit in played.forfeits.items():
        assert played.seated[game, forfeit.seat] == 1


def test_memory_below_what_python_needs_is_refused():
    with pytest.raises(CommandError, match="at least 512 MiB, not 100"):
        Isolation(memory=100)


def test_who_hangs_when_asked_for_nothing_is_late_in_its_game(monkeypatch):
    monkeypatch.setattr(isolated, "MOST_WARMING", 0.2)
    with contextlib.closing(IsolatedBot("hostile:hang", 1, GAME)) as bot:
        bot.warm = lambda: first_view(HUNT, RULES)
        for _ in range(2):
            with pytest.raises(LateError):
                asked(bot, seconds=0.1)


# --- What bots tell of their choices. ---


def test_a_bot_explains_itself_from_its_own_process_as_here():
    view = first_view(WAR_OF_THE_RING, WAR_OF_THE_RING.find_ruleset())
    here = explanation(make_bot("scripted", 1), view, "scripted")
    assert here and here[0]
    with Bots(Isolation("all")) as bots:
        (apart,) = bots.seat(["scripted"], [1])
        check_made("scripted", apart)
        assert explanation(apart, view, "scripted") == here
        assert meaning_of_values(apart, "scripted") == "score by rules of thumb"
        spec = f"stdio:{sys.executable} {PLAIN}"
        (silent,) = bots.seat([spec], [1])
        check_made(spec, silent)
        assert explanation(silent, view, spec) is None


def told(*rows):
    return bytearray(
        b"".join(COUNT.pack(len(row)) + b"".join(VALUE.pack(*each) for each in row) for row in rows)
    )


LEGAL = np.array([[True, False, True], [False, True, False]])


def test_values_are_read_as_they_were_sent():
    assert isolated._values(told([(2, 0.5), (0, -1.0)], []), LEGAL) == [[(2, 0.5), (0, -1.0)], []]


@pytest.mark.parametrize(
    "body",
    [
        told([(2, 0.5)]),
        told([(2, 0.5)], [], []),
        told([(1, 0.5)], []),
        told([(3, 0.5)], []),
        told([(-1, 0.5)], []),
        told([(2, float("nan"))], []),
        told([(2, 0.5)], [])[:-1],
        bytearray(COUNT.pack(2**32 - 1)) + bytes(60),
        bytearray(),
    ],
)
def test_values_that_do_not_fit_are_refused(body):
    with pytest.raises(BotProcessError, match="has sent an unexpected message"):
        isolated._values(body, LEGAL)
