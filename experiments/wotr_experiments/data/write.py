"""Writes tables as Parquet, CSV or JSON lines, batch by batch."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wotr_env.play.plugins import how_to_install
from wotr_experiments.data.columns import NAME, Column
from wotr_experiments.data.values import Coded, Known, Lists, Table, Values
from wotr_experiments.errors import CommandError

if TYPE_CHECKING:
    import pyarrow

LEVEL = 6
"""The compression level of Zstandard in Parquet."""
_PAGE = 2**23
"""Size of a page in bytes. Each page is compressed separately, so repetitions are found only inside a
page."""


class Format(StrEnum):
    """The formats of tables."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


class Writer(Protocol):
    """A file that grows by batches of rows."""

    def write(self, table: Table) -> None:
        """Adds rows; in Parquet they become a row group."""
        ...

    def close(self) -> None:
        """Ends the file."""
        ...


def check_format(form: Format) -> None:
    """Raises CommandError if a package that a format needs is not installed."""
    if form == Format.PARQUET and importlib.util.find_spec("pyarrow") is None:
        raise CommandError(
            f"Parquet needs pyarrow; install it with: {how_to_install('data')}, or give --format csv"
        )


def open_writer(path: Path, form: Format, columns: Sequence[Column], about: Mapping[str, str]) -> Writer:
    """Opens a new file for a table.

    Args:
        path: the path of the new file.
        form: the format.
        columns: the columns of the table.
        about: notes to store in the file, if its format supports this.

    Raises:
        OSError: the file cannot be written.
    """
    match form:
        case Format.PARQUET:
            return _Parquet(path, columns, about)
        case Format.CSV:
            return _Csv(path, columns)
        case Format.JSONL:
            return _JsonLines(path, columns)


class _Parquet:
    def __init__(self, path: Path, columns: Sequence[Column], about: Mapping[str, str]) -> None:
        import pyarrow.parquet

        self._columns = columns
        self._schema = arrow_schema(columns, about)
        shared: Any = [each.name for each in columns if each.type in (NAME, "bool", "text")]
        plain: Any = [each.name for each in columns if not each.item]
        self._writer = pyarrow.parquet.ParquetWriter(
            path,
            self._schema,
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=shared,
            data_page_size=_PAGE,
            write_statistics=plain,
        )

    def write(self, table: Table) -> None:
        import pyarrow as pa

        arrays = [
            _arrow(table[each.name], field.type)
            for each, field in zip(self._columns, self._schema, strict=True)
        ]
        batch = pa.Table.from_arrays(arrays, schema=self._schema)
        self._writer.write_table(batch, row_group_size=max(1, batch.num_rows))

    def close(self) -> None:
        self._writer.close()


def arrow_schema(columns: Sequence[Column], about: Mapping[str, str]) -> pyarrow.Schema:
    """The schema of a table, with the meanings and units of its columns."""
    import pyarrow as pa

    fields = [
        pa.field(
            each.name,
            _arrow_type(each),
            nullable=each.nullable,
            metadata={"meaning": each.meaning, **({"unit": each.unit} if each.unit else {})},
        )
        for each in columns
    ]
    return pa.schema(fields, metadata=dict(about))


def _arrow_type(column: Column) -> pyarrow.DataType:
    import pyarrow as pa

    if column.item:
        return pa.list_(pa.field("item", _plain_type(column.item), nullable=False))
    if column.type == NAME:
        return pa.dictionary(pa.int32(), pa.string())
    return _plain_type(column.type)


def _plain_type(name: str) -> pyarrow.DataType:
    import pyarrow as pa

    return {"text": pa.string(), "bool": pa.bool_(), "float32": pa.float32()}.get(name) or getattr(pa, name)()


def _arrow(values: Values, kind: pyarrow.DataType) -> pyarrow.Array:
    import pyarrow as pa

    match values:
        case Coded(codes, words):
            valid = codes >= 0
            indices = pa.array(codes.astype(np.int32), mask=None if valid.all() else ~valid)
            return pa.DictionaryArray.from_arrays(indices, pa.array(list(words), pa.string()))
        case Lists(ends, items):
            flat = pa.array(items, kind.value_type)  # type: ignore[attr-defined]
            return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), flat, type=kind)
        case Known(numbers, valid):
            return pa.array(numbers, kind, mask=~valid)
        case _:
            return pa.array(values, kind)


class _Csv:
    """Writes CSV. Items of lists are separated by spaces, booleans are 1 and 0, and unknown values are
    empty."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._file = path.open("x", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow([each.name for each in columns])

    def write(self, table: Table) -> None:
        columns = [_cells(table[each.name]) for each in self._columns]
        self._writer.writerows(zip(*columns, strict=True))

    def close(self) -> None:
        self._file.close()


def _cells(values: Values) -> Iterator[Any]:
    for value in plain(values):
        if isinstance(value, list):
            yield " ".join(map(str, value))
        else:
            yield int(value) if isinstance(value, bool) else value


class _JsonLines:
    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._names = [each.name for each in columns]
        self._file = path.open("x", encoding="utf-8")

    def write(self, table: Table) -> None:
        columns = [plain(table[name]) for name in self._names]
        for row in zip(*columns, strict=True):
            line = dict(zip(self._names, row, strict=True))
            self._file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def close(self) -> None:
        self._file.close()


def plain(values: Values) -> Iterator[Any]:
    """The values of a column as Python objects; None for unknown values."""
    match values:
        case Coded(codes, words):
            return (None if code < 0 else words[code] for code in codes.tolist())
        case Lists(ends, items):
            return (items[a:b].tolist() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        case Known(numbers, valid):
            pairs = zip(numbers.tolist(), valid.tolist(), strict=True)
            return (number if known else None for number, known in pairs)
        case np.ndarray():
            return iter(values.tolist())
        case _:
            return iter(values)
