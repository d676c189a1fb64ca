"""Reads exports of ``wotr export`` in Parquet: tables, records, observations and masks.

records("games/")                       the same ``GameRecord``s, byte for byte
table("games/", "decisions", "train")   a pyarrow Table: ``.to_pandas()``
observations("games/", "train")         whole observations, some thousand at once
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import operator
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.values import read_text
from wotr_env.play.games import game_kind
from wotr_env.play.plugins import how_to_install
from wotr_env.play.replaying import Replay
from wotr_experiments.data.card import CARD, FORMAT
from wotr_experiments.data.columns import decisions_columns
from wotr_experiments.data.write import Format, arrow_schema
from wotr_experiments.errors import CommandError

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

ROWS = 4096
"""Default number of observations per chunk: 20 MiB in War of the Ring."""


_GAMES = 256
"""Number of rows of games that are read at once."""


class Observed(NamedTuple):
    """Consecutive decisions of the table of decisions."""

    games: np.ndarray
    """``int64[N]``: the numbers of the games"""
    steps: np.ndarray
    """``int32[N]``: the numbers of earlier decisions in the game"""
    observations: np.ndarray
    """``int8[N, D]``: the observations of the deciding seats"""


def card(folder: str | Path) -> dict[str, Any]:
    """The card of an export (``card.json``).

    Raises:
        CommandError: the folder is not a complete export, or was written by another version of this package.
    """
    path = Path(folder) / CARD
    if not path.is_file():
        raise CommandError(f"{folder} has no {CARD}: it is not an export, or the export was stopped")
    found = None
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(read_text(path))
    if not isinstance(found, dict) or not isinstance(found.get("parts"), dict):
        raise CommandError(f"{path} is damaged: it is not the card of an export")
    if found.get("format") != FORMAT:
        raise CommandError(
            f"{folder} is an export of format {found.get('format')}; this package reads {FORMAT}"
        )
    return found


def parts(folder: str | Path, part: str | None = None) -> list[str]:
    """The parts of an export, or the requested part.

    Raises:
        CommandError: there is no such part; or an error of ``card``.
    """
    found = list(card(folder)["parts"])
    if part is not None and part not in found:
        raise CommandError(f"{folder} has no part {part!r}; it has {', '.join(found)}")
    return found if part is None else [part]


def table(
    folder: str | Path, name: str, part: str | None = None, columns: Sequence[str] | None = None
) -> pyarrow.Table:
    """A table of one part, or of all parts, concatenated.

    Args:
        folder: the folder of the export.
        name: ``games``, ``turns`` or ``decisions``.
        part: the name of the part, such as ``train``.
        columns: the columns to read; by default all.

    Raises:
        CommandError: the table is missing or damaged; or an error of ``card``.
    """
    _check_pyarrow(folder)
    import pyarrow as pa

    some = None if columns is None else list(columns)
    found = []
    for each in parts(folder, part):
        with _opened(folder, name, each) as file:
            found.append(file.read(columns=some))
    return pa.concat_tables(found).unify_dictionaries()


def records(folder: str | Path, part: str | None = None) -> list[GameRecord]:
    """The records of the games, in order.

    Raises:
        CommandError: an error of ``table``.
        RecordError: a record is damaged, or of another version of the rules.
    """
    found = [(row["game"], record) for row, record in games(folder, part)]
    return [record for _, record in sorted(found, key=operator.itemgetter(0))]


def games(
    folder: str | Path, part: str | None = None, columns: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Any], GameRecord]]:
    """The stored games: each with its number, further columns of its row, and its record.

    Raises:
        CommandError, RecordError: errors of ``records``.
    """
    for each in parts(folder, part):
        source = _path(folder, "games", each)
        with _opened(folder, "games", each) as file:
            stored = [name for name in _RECORD if name in file.schema_arrow.names or name not in _LATER]
            for batch in file.iter_batches(batch_size=_GAMES, columns=[*stored, *columns]):
                for row in batch.to_pylist():
                    yield row, GameRecord.from_json(_line(row), f"{source}, game {row['game']}")


_RECORD = (
    "game",
    "kind",
    "format",
    "rules",
    "ruleset",
    "seed",
    "players",
    "identities",
    "actions",
    "result",
    "hash",
    "position",
    "tapes",
    "ended",
)
_LATER = ("tapes", "ended")
"""Columns that older tables lack."""


def _line(row: dict[str, Any]) -> str:
    """A record as a line of JSON; ``position``, ``tapes`` and ``ended`` are left out if they are empty."""
    fields = {
        "format": row["format"],
        "game": row["kind"],
        "rules": row["rules"],
        "ruleset": json.loads(row["ruleset"]),
        "seed": row["seed"],
        "players": row["players"],
        "identities": row["identities"],
        "actions": row["actions"],
        "result": None if row["result"] is None else json.loads(row["result"]),
        "hash": row["hash"],
    }
    if row["position"]:
        fields["position"] = row["position"]
    fields |= {name: json.loads(row[name]) for name in _LATER if row.get(name)}
    return json.dumps(fields)


def observations(
    folder: str | Path, part: str | None = None, rows: int = ROWS, replayed: bool = False
) -> Iterator[Observed]:
    """The complete observations of the decisions, in the order of the table.

    Args:
        folder: the folder of the export.
        part: the name of the part, such as ``train``; by default all parts, one after another.
        rows: maximal number of rows per chunk.
        replayed: whether to compute the observations by replaying the records, game by game; then the export
            need not contain them.

    Raises:
        CommandError: the observations are not stored; or an error of ``table``.
        RecordError: a record is damaged, or does not replay.
    """
    if rows < 1:
        raise CommandError(f"a chunk must have at least 1 row, not {rows}")
    kind = game_kind(card(folder)["kind"])
    for each in parts(folder, part):
        yield from _replayed(folder, each, rows) if replayed else _stored(folder, each, kind, rows)


_STORED = ("game", "step", "observation_places", "observation_values")


def _stored(folder: str | Path, part: str, kind: GameKind, rows: int) -> Iterator[Observed]:
    from wotr_experiments.data.changes import restored  # loads numba

    with _opened(folder, "decisions", part) as file:
        path, width = _path(folder, "decisions", part), _width(file, kind)
        if not {*_STORED} <= {*file.schema_arrow.names}:
            raise CommandError(
                f"{folder} has no observations; export with --observations, or replay the games"
            )
        wanted = arrow_schema([each for each in decisions_columns(kind, True) if each.name in _STORED], {})
        if not width or any(file.schema_arrow.field(each.name).type != each.type for each in wanted):
            raise CommandError(f"{path} is damaged, or of another version of {kind.title}")
        current = np.zeros(width, dtype=np.int8)
        for batch in file.iter_batches(batch_size=rows, columns=list(_STORED)):
            numbers, steps, places, values = (batch.column(name) for name in _STORED)
            lengths = np.diff(places.offsets.to_numpy()).astype(np.int64)
            flat = places.flatten().to_numpy(), values.flatten().to_numpy()
            fits = np.array_equal(lengths, np.diff(values.offsets.to_numpy()))
            total = int(lengths.sum())
            if not fits or total != flat[0].size or total != flat[1].size or (flat[0] >= width).any():
                raise CommandError(f"{path} is damaged: the observations are inconsistent")
            ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
            steps = steps.to_numpy()
            whole = restored(ends, *flat, steps == 0, current)
            yield Observed(numbers.to_numpy(), steps, whole)


def _width(file: pyarrow.parquet.ParquetFile, kind: GameKind) -> int:
    """The size of an observation in a file; 0 if it differs from the present size."""
    written = (file.schema_arrow.metadata or {}).get(b"observation_size", b"")
    return kind.layout.size if written == str(kind.layout.size).encode() else 0


def _replayed(folder: str | Path, part: str, rows: int) -> Iterator[Observed]:
    for row, record in games(folder, part):
        replay = Replay([record])
        seen = []
        for number in range(len(record.actions)):
            seen.append(record.kind.kernels.observe(replay.states, replay.states["seat"].copy())[0])
            replay.step(number)
        replay.check()
        for first in range(0, len(seen), rows):
            some = np.array(seen[first : first + rows])
            numbers = np.full(len(some), row["game"], dtype=np.int64)
            yield Observed(numbers, np.arange(first, first + len(some), dtype=np.int32), some)


def masks(legal: pyarrow.ChunkedArray, actions: int) -> np.ndarray:
    """The legal actions of decisions as masks, ``bool[N, actions]``, from the column ``legal``.

    Raises:
        CommandError: an action is not below ``actions``.
    """
    whole = legal.combine_chunks()
    found = np.zeros((len(whole), actions), dtype=np.bool_)
    lengths, ids = np.diff(whole.offsets.to_numpy()), whole.flatten().to_numpy()
    if ids.size and not 0 <= ids.min() <= ids.max() < actions:
        raise CommandError(
            f"ids of legal actions must be from 0 to {actions - 1}, not {ids.min()} to {ids.max()}"
        )
    found[np.repeat(np.arange(len(whole)), lengths), ids] = True
    return found


def _path(folder: str | Path, name: str, part: str) -> Path:
    return Path(folder) / part / f"{name}.{Format.PARQUET.value}"


def _check_pyarrow(folder: str | Path) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise CommandError(f"{folder} is an export; to read it, install pyarrow: {how_to_install('data')}")


@contextlib.contextmanager
def _opened(folder: str | Path, name: str, part: str) -> Iterator[pyarrow.parquet.ParquetFile]:
    """A context with a table's file; errors, also while reading, become CommandErrors."""
    _check_pyarrow(folder)
    import pyarrow as pa
    import pyarrow.parquet

    path = _path(folder, name, part)
    if not path.is_file():
        raise CommandError(f"{folder} has no table {name} as Parquet in its part {part}")
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise CommandError(f"{path} is damaged: {error}") from None
