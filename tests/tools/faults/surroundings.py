"""Machines, settings, packages and outputs that are not as one would wish them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.tools.faults.commands import Command, expect_plain, expect_refusal
from tests.tools.faults.files import a_record, damage_file
from tests.tools.faults.runs import TRAINING
from tests.tools.faults.table import Fault, expect
from wotr_env import Game, GameRecord, Ruleset
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.training.run_folder import LAST

_CONTROL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
_REFUSED = "refused"

# --- The cache of compiled code. ---

_LIMITED = "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)); "
_PROGRAM = "import runpy; runpy.run_module('tests.tools.faults.tiny', run_name='__main__')"
_COMPILED, _LOADED = 1, 0


def _tiny(environment: Mapping[str, str | None], expected: int, lines: int, before: str = "") -> str:
    """Runs a program with one kernel, which shall work, and say so many lines; returns those."""
    changed = {**os.environ, **environment}
    ran = subprocess.run(
        [sys.executable, "-c", before + _PROGRAM],
        env={name: value for name, value in changed.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
    )
    expect(ran.returncode == expected, f"exit code {ran.returncode}: {ran.stderr[-300:]}")
    said = ran.stderr.splitlines()
    expect(len(said) == lines, f"{len(said)} lines: {ran.stderr[-300:]}")
    return ran.stderr


def no_home(_chance: random.Random, _folder: Path) -> str:
    """Nobody's process, as in a container."""
    _tiny({"HOME": "", "XDG_CACHE_HOME": None, "NUMBA_CACHE_DIR": None}, _COMPILED, 1)
    return "compiled, one line"


def no_cache(chance: random.Random, folder: Path) -> str:
    """A cache folder that cannot be, or cannot be written to."""
    (folder / "file").touch()
    where = chance.choice(
        (folder / "file", folder / "file" / "below", Path("/proc/nowhere"), Path("/dev/null"))
    )
    _tiny({"NUMBA_CACHE_DIR": str(where)}, _COMPILED, 1)
    return "compiled, one line"


def _kept(folder: Path) -> Path:
    """The folder of code that was kept."""
    _tiny({"NUMBA_CACHE_DIR": str(folder)}, _COMPILED, 0)
    (found,) = folder.glob("kernels-*")
    return found


def cache_of_others(chance: random.Random, folder: Path) -> str:
    """A cache that another user owns, or may write to."""
    kept = _kept(folder)
    what = chance.choice((kept, kept / "machine_code"))
    if os.getuid() == 0 and chance.random() < 0.5:
        os.chown(what, 65534, 65534)
    else:
        what.chmod(0o777)
    _tiny({"NUMBA_CACHE_DIR": str(folder)}, _COMPILED, 1)
    return "not used, one line"


def full_cache(_chance: random.Random, folder: Path) -> str:
    """No room for what is compiled."""
    before = _LIMITED + "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    _tiny({"NUMBA_CACHE_DIR": str(folder)}, _COMPILED, 1, before)
    left = [path.name for path in folder.rglob("unfinished-*")]
    expect(not left, f"left behind: {left}")
    return "compiled, one line"


def damaged_cache(chance: random.Random, folder: Path) -> str:
    """Kept code that was damaged is compiled anew, and then there again."""
    path = _kept(folder) / "machine_code"
    whole = path.read_bytes()
    while path.read_bytes() == whole:
        damage_file(path, chance)
    _tiny({"NUMBA_CACHE_DIR": str(folder)}, _COMPILED, 1)
    _tiny({"NUMBA_CACHE_DIR": str(folder)}, _LOADED, 0)
    return "compiled anew, one line"


# --- Training. ---


def loss_not_finite(chance: random.Random, folder: Path) -> str:
    """Weights of losses that lead to infinity; what was trained before is kept."""
    name = chance.choice(("--value-coefficient", "--entropy-coefficient"))
    settings = (*TRAINING, name, chance.choice(("1e30", "1e38")), "--max-gradient-norm", "1e30")
    ended = Command(folder / "said", "train", str(folder / "run"), *settings).ended()
    expect_refusal(ended)
    expect("finite" in ended.message, ended.message)
    expect((folder / "run" / LAST).exists(), "the network before is lost")
    return _REFUSED


_ABSURD = (
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "99999999999999999999",
    "",
    "x",
    "0x10",
    "1e-400",
    "\u0663",
)
_SETTINGS = (
    *("--width", "--hidden", "--layers", "--games", "--steps", "--workers", "--epochs", "--minibatch-size"),
    *("--clip-range", "--gae-lambda", "--kl-coefficient", "--policy-share", "--ema-decay", "--seed"),
    *("--opponents-share", "--past-share", "--evaluate-every", "--evaluate-games", "--checkpoint-every"),
    *("--network", "--side", "--opponent", "--anchor", "--start", "--game", "--ruleset", "--device"),
)


def absurd_settings(chance: random.Random, folder: Path) -> str:
    """Refused before anything is made, or trained with all the same."""
    name, value = chance.choice(_SETTINGS), chance.choice(_ABSURD)
    ended = Command(folder / "said", "train", str(folder / "run"), *TRAINING, name, value).ended()
    if ended.code == 0:
        return "trained"
    try:
        expect_refusal(ended)
    except AssertionError as error:
        raise type(error)(f"{name} {value!r}: {error}") from None
    return _REFUSED


# --- Other packages. ---

_MODULES = (
    "raise RuntimeError('broken\\n\\x1b[2J')",
    "import sys; sys.exit(3)",
    "raise KeyboardInterrupt",
    "import no_such_module",
    "this is no Python",
    "HOSTILE = None",
    "HOSTILE = object()",
    "class HOSTILE: name = 7",
    "from wotr_agents.registry import RANDOM as HOSTILE",
    "raise MemoryError",
    "def __getattr__(name): raise ValueError(name)",
    "import wotr_agents; wotr_agents.BotKind('x\\x1b[2J', 'y', dict, object); HOSTILE = 1",
)


def broken_plugin(chance: random.Random, folder: Path) -> str:
    """A package whose bot cannot be loaded; the others play."""
    package = folder / "hostile-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    name = chance.choice(("hostile", "random", "a b", "x" * 300))
    (package / "entry_points.txt").write_text(f"[wotr.bots]\n{name} = hostile_module:HOSTILE\n")
    module = chance.choice(_MODULES)
    (folder / "hostile_module.py").write_text(module)
    play = "--games", "2", "--max-turns", "1", "--workers", "1", "--replays", "none"
    others = Command(folder / "others", "tournament", "random", "scripted", *play, path=folder).ended()
    expect(others.code == 0, f"{module}: the others do not play: {others.message}")
    expect_plain(others)
    listed = Command(folder / "listed", "bots", path=folder).ended()
    expect(listed.code == 0, f"{module}: the others are not listed: {listed.message}")
    expect_plain(listed)
    if name != "random":
        asked = Command(folder / "asked", "check-bot", name, path=folder).ended()
        try:
            expect_refusal(asked)
        except AssertionError as error:
            raise type(error)(f"{module}: {error}") from None
    return "left out"


# --- What is printed and written. ---


def control_sequences(chance: random.Random, folder: Path) -> str:
    """Names and texts of others that a terminal could obey are shown without."""
    match chance.randrange(4):
        case 0:
            game = Game(seed=1, ruleset=Ruleset(max_turns=1))
            GameRecord.from_game(game, (f"a{_CONTROL}", "b")).save(folder / "game.jsonl")
            command = "replay", str(folder / "game.jsonl")
        case 1:
            told = [(f"{_CONTROL}", f"hello{_CONTROL}")]
            game = Game(seed=1)
            SavedGame(0, ["", "random"], 1, "scripted", False, game, told).write(folder / "save")
            command = "play", "--load", str(folder / "save"), "--save", str(folder / "new")
        case 2:
            command = "tournament", f"random{_CONTROL}", "scripted"
        case _:
            (folder / f"a{_CONTROL}").write_text(a_record())
            command = "replay", str(folder / f"a{_CONTROL}")
    ended = Command(folder / "said", *command, typed=f"{_CONTROL}\nhelp\n".encode()).ended()
    expect(ended.code in (0, 2), f"exit code {ended.code}: {ended.message}")
    expect_plain(ended)
    return "shown plainly"


def strange_output(chance: random.Random, folder: Path) -> str:
    """An output that is a folder, a device, a pipe, or below a file: what was there is still there."""
    (folder / "file").write_text("mine")
    (folder / "folder").mkdir()
    (folder / "folder" / "mine").touch()
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "game.jsonl").write_text(a_record())
    names = "file/below", "folder", "pipe", "loop", "none/below/none"
    target = chance.choice([*(str(folder / name) for name in names), "/dev/full", "/proc/none", "x" * 300])
    games = "random", "random", "--games", "2", "--max-turns", "1", "--workers", "1", "--replays", "none"
    play = "play", "--as", "shadow", "--against", "random", "--seed", "1"
    command = chance.choice(
        (
            ("replay", str(folder / "game.jsonl"), "--html", target),
            ("tournament", *games, "--out", str(folder / chance.choice(("file", "pipe", "loop")))),
            (*play, "--save", target),
            (*play, "--out", target, "--save", str(folder / "new")),
            ("train", str(folder / "file"), *TRAINING),
        )
    )
    ended = Command(folder / "said", *command, typed=b"save\nquit\n").ended()
    try:
        if ended.code != 0:
            expect_refusal(ended)
    except AssertionError as error:
        raise type(error)(f"{command[0]} to {Path(target).name}: {error}") from None
    expect((folder / "file").read_text() == "mine", "a file was changed")
    expect((folder / "folder" / "mine").exists(), "a folder was changed")
    return "said" if ended.code == 0 else _REFUSED


def full_output(chance: random.Random, folder: Path) -> str:
    """Standard output takes nothing more."""
    (folder / "game.jsonl").write_text(a_record())
    command = chance.choice(
        (("bots",), ("replay", str(folder / "game.jsonl")), ("rules", "--json"), ("bots", "--json"))
    )
    expect_refusal(Command(folder / "said", *command, out=Path("/dev/full")).ended())
    return _REFUSED


_WORKS = "works, and says one line"
SURROUNDINGS = (
    Fault("no home for compiled code", _WORKS, 3, no_home),
    Fault("no folder for compiled code", _WORKS, 5, no_cache),
    Fault("compiled code in the hands of others", _WORKS, 5, cache_of_others),
    Fault("no room for compiled code", _WORKS, 3, full_cache),
    Fault("damaged compiled code", _WORKS, 5, damaged_cache),
    Fault("a loss that is not finite", "one line and exit code 2", 4, loss_not_finite),
    Fault("absurd settings of a training", "one line and exit code 2, or trained", 40, absurd_settings),
    Fault("a broken package of a bot", "left out; the others play", 12, broken_plugin),
    Fault("control sequences in names and texts", "shown without", 20, control_sequences),
    Fault("an output that is no place for a file", "one line and exit code 2", 40, strange_output),
    Fault("an output that takes no more", "one line and exit code 2", 8, full_output),
)
