"""Hostile files at every door: one line of refusal, in bounded time and memory, and nothing lost."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import shutil
import sqlite3
import struct
from pathlib import Path
from typing import Any

from tests.tools.faults.commands import Command, expect_plain, expect_refusal
from tests.tools.faults.files import COMMAND, REFUSED, UNHARMED, a_record, played
from tests.tools.faults.hostile_files import (
    EXECUTED,
    STRANGE,
    make_hostile,
    strange_tensors,
)
from tests.tools.faults.runs import trained
from tests.tools.faults.table import Fault, expect
from wotr_agents.networks.files import ZOO
from wotr_env import GameRecord
from wotr_env.core.values import MOST_BYTES
from wotr_experiments.arena.store import GAMES
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.training.run_folder import digest_of

_MEMORY = 4096
"""MiB that a command may map beyond what is loaded; threads of torch map some hundred each."""
_SECONDS = 90.0
"""That it may take, on a machine that has much else to do."""


def _stands(folder: Path, what: str, *arguments: str) -> str:
    """A command that reads a hostile file comes to its end; what it is told of it is in the message."""
    ended = Command(folder / "said", *arguments, memory=_MEMORY).ended(_SECONDS)
    executed = list(folder.rglob(EXECUTED))
    expect(not executed, f"{what}: code in the file was run")
    with _told(what):
        if ended.code == 0:
            expect_plain(ended)
            return UNHARMED
        expect_refusal(ended)
    return REFUSED


@contextlib.contextmanager
def _told(what: str) -> Any:
    """Says what the file was."""
    try:
        yield
    except AssertionError as error:
        raise type(error)(f"{what}: {error}") from None


def _save(path: Path) -> str:
    game = GameRecord.from_json(a_record()).replay(40)
    SavedGame(0, ["", "random"], 1, "scripted", False, game, [("plain", "A text")]).write(path)
    return path.read_text()


def hostile_record(chance: random.Random, folder: Path) -> str:
    """``wotr replay``."""
    what = make_hostile(folder / "file", a_record(), chance)
    page = ("--html", str(folder / "page.html")) if chance.random() < 0.3 else ()
    return _stands(folder, what, "replay", str(folder / "file"), *page)


def hostile_save(chance: random.Random, folder: Path) -> str:
    """``wotr play --load``, and that it is as it was."""
    whole = _save(folder / "whole")
    what = make_hostile(folder / "file", whole, chance)
    before = (folder / "file").read_bytes() if what == "strange values" else b""
    word = _stands(folder, what, "play", "--load", str(folder / "file"), "--save", str(folder / "new"))
    expect(not before or (folder / "file").read_bytes() == before, "the file was changed")
    return word


def hostile_script(chance: random.Random, folder: Path) -> str:
    """``wotr play --script``."""
    what = make_hostile(folder / "file", json.dumps(["help", "1", "hint"]), chance)
    new = "--as", "shadow", "--against", "random", "--seed", "1", "--save", str(folder / "new")
    return _stands(folder, what, "play", *new, "--script", str(folder / "file"))


def hostile_measurements(chance: random.Random, folder: Path) -> str:
    """``wotr bench --from``."""
    report = {"format": 1, "machine": {}, "measurements": [{"name": "x", "runs": [1.0]}], "skipped": {}}
    what = make_hostile(folder / "file", json.dumps(report), chance)
    return _stands(folder, what, "bench", "--from", str(folder / "file"))


def hostile_run(chance: random.Random, folder: Path) -> str:
    """``wotr train --resume`` and ``--report``, with one file of the run."""
    done = Path(trained().folder.name)
    shutil.copytree(done / "run", folder / "run")
    files = [path for path in (folder / "run").rglob("*.json*") if path.is_file()]
    path = chance.choice(sorted(files))
    first, *rest = path.read_text().split("\n")
    has_digest = rest[:1] == [digest_of(first.encode())]
    whole = first if path.suffix == ".jsonl" or has_digest else path.read_text()
    path.unlink()
    what = f"{path.name}, {make_hostile(path, whole, chance)}"
    if has_digest and path.is_file() and path.stat().st_size < MOST_BYTES:
        document = path.read_bytes()
        path.write_bytes(b"%s\n%s\n" % (document, digest_of(document).encode()))
    how = "--report" if path.suffix == ".jsonl" or chance.random() < 0.3 else "--resume"
    return _stands(folder, what, "train", str(folder / "run"), how, "--device", "cpu")


@functools.cache
def _network() -> tuple[dict[str, Any], bytes]:
    """The header and the numbers of a small network."""
    data = min(ZOO.glob("*.safetensors"), key=lambda file: file.stat().st_size).read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def hostile_network(chance: random.Random, folder: Path) -> str:
    """``wotr check-bot net:FILE``: strange headers, sizes and numbers."""
    header, numbers = _network()
    path = folder / "file.safetensors"
    match chance.randrange(4):
        case 0:
            path.write_bytes(strange_tensors(header, chance))
            what = "tensors that cannot be"
        case 1:
            told = dict(header["__metadata__"])
            config = json.loads(told["network"])
            config[chance.choice(sorted(config))] = chance.choice((4096, 0, -1, 1.5, 10**30, True, "4", None))
            told["network"] = json.dumps(config)
            written = json.dumps({**header, "__metadata__": told}).encode()
            path.write_bytes(struct.pack("<Q", len(written)) + written + numbers)
            what = "another size of network"
        case 2:
            told = {**header["__metadata__"]}
            name = chance.choice(sorted(told))
            told[name] = chance.choice([each for each in STRANGE if len(each) < 2_000_000])
            written = json.dumps({**header, "__metadata__": told}).encode()
            path.write_bytes(struct.pack("<Q", len(written)) + written + numbers)
            what = f"a strange {name}"
        case _:
            what = make_hostile(path, json.dumps(header), chance)
    return _stands(folder, what, "check-bot", f"net:{path}", "--games", "1", "--decisions", "2")


_STORE_TRICKS = (
    "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
    "ALTER TABLE games RENAME TO g; CREATE VIEW games AS SELECT * FROM g",
    "ALTER TABLE played RENAME TO p; CREATE VIEW played AS SELECT * FROM p UNION ALL SELECT * FROM p",
    "ALTER TABLE games RENAME TO g; CREATE VIEW games AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
    "SELECT x + 1 FROM n) SELECT g.* FROM g, n",
    "ALTER TABLE played RENAME TO p; CREATE VIEW played AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
    "SELECT x + 1 FROM n) SELECT p.* FROM p, n",
    "CREATE VIEW v AS SELECT * FROM v",
    "UPDATE games SET record = hex(zeroblob(200000000))",
    "UPDATE games SET message = X'ff'",
    "UPDATE games SET seed = 'x'",
    "UPDATE games SET pairing = 1e300 WHERE number = 0",
    "UPDATE games SET digest = NULL",
    "UPDATE played SET value = printf('%.*c', 100000, '[')",
    "UPDATE played SET value = '1e400' WHERE key = 'games'",
    "UPDATE played SET value = 'NaN' WHERE key = 'time_limit'",
    "UPDATE played SET value = '\"no game\"' WHERE key = 'game'",
    "UPDATE played SET value = '[]' WHERE key = 'ruleset'",
    "UPDATE played SET value = '{\"max_turns\": 1e9}' WHERE key = 'ruleset'",
    "UPDATE played SET value = X'00' WHERE key = 'bots'",
    "DELETE FROM played",
    "DROP TABLE games",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE games (x)'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'games'",
    "PRAGMA user_version = -1; PRAGMA application_id = -1",
)
"""What somebody may do to a store, each in one go."""


def hostile_store(chance: random.Random, folder: Path) -> str:
    """``wotr tournament --out`` and ``wotr replay`` of a store that a stranger has prepared."""
    shutil.copytree(played().folder.name, folder / "out")
    path = folder / "out" / GAMES
    if chance.random() < 0.3:
        path.unlink()
        what = make_hostile(path, a_record(), chance)
    else:
        what = chance.choice(_STORE_TRICKS)
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(what)
    if chance.random() < 0.5:
        return _stands(folder, what, "replay", str(path))
    return _stands(folder, what, *COMMAND, "--out", str(folder / "out"), "--workers", "1")


_SPECS = (
    *("", ":", "first:", "first:max_turns", "first:max_turns=", "first:max_turns=1e400", "third"),
    *("first:max_turns=-1", "first:max_turns=99999999999999999999", "first:max_turns=1,max_turns=2"),
    *("first:max_turns=\u0663", "first:players=5", "first:mordor_idle=\x1b[2J", "\ud800", "first:a=b=c"),
    *('{"edition": "first"}', "[" * 100_000, "first:" + "x=y," * 10_000, "@/dev/zero", "first:max_turns=0x1"),
)


def strange_ruleset(chance: random.Random, folder: Path) -> str:
    """``--ruleset``."""
    spec = chance.choice(_SPECS)
    games = "--games", "2", "--max-turns", "1", "--workers", "1", "--replays", "none"
    return _stands(folder, repr(spec[:40]), "tournament", "random", "random", *games, "--ruleset", spec)


_EXPECTED = "one line and exit code 2, or no harm"
DOORS = (
    Fault("a hostile record", _EXPECTED, 60, hostile_record),
    Fault("a hostile saved game", _EXPECTED, 60, hostile_save),
    Fault("a hostile script of lines to type", _EXPECTED, 20, hostile_script),
    Fault("a hostile output of bench", _EXPECTED, 40, hostile_measurements),
    Fault("a hostile file of a training", _EXPECTED, 40, hostile_run),
    Fault("a hostile network", _EXPECTED, 40, hostile_network),
    Fault("a hostile store of a tournament", _EXPECTED, 40, hostile_store),
    Fault("a strange ruleset", _EXPECTED, 20, strange_ruleset),
)
