"""Compiled delta encoding of rows of numbers: changes from row to row, and back.

Rows of different length are stored one after another in flat arrays: all games of a step, then all games of
the next step. ``gathered`` sorts them by game.
"""

from __future__ import annotations

import numba
import numpy as np

_BLOCK = 64
"""Number of entries compared at once."""

_compile = numba.njit(nogil=True, cache=True, error_model="numpy")


@_compile
def _write_changes(
    now: np.ndarray,
    kept: np.ndarray,
    first: int,
    places: np.ndarray,
    values: np.ndarray,
    used: int,
    counts: np.ndarray,
) -> tuple[int, int]:
    """Writes the changes in the rows from ``first`` on, while there is room, and updates ``kept``.

    Returns the first row that was not written, and the number of places in use.
    """
    width = now.shape[1]
    whole = width - width % _BLOCK
    for row in range(first, now.shape[0]):
        if places.size - used < width:
            return row, used
        here, before = now[row], kept[row]
        start = used
        for block in range(0, whole, _BLOCK):
            new, old = here[block : block + _BLOCK], before[block : block + _BLOCK]
            differs = np.int8(0)
            for place in range(_BLOCK):
                differs |= new[place] ^ old[place]
            if differs != 0:
                for place in range(_BLOCK):
                    if new[place] != old[place]:
                        places[used] = block + place
                        values[used] = old[place] = new[place]
                        used += 1
        for place in range(whole, width):
            if here[place] != before[place]:
                places[used] = place
                values[used] = before[place] = here[place]
                used += 1
        counts[row] = used - start
    return now.shape[0], used


@_compile
def _write_set(
    masks: np.ndarray, first: int, out: np.ndarray, used: int, counts: np.ndarray
) -> tuple[int, int]:
    """As ``_write_changes``, for the places that are set in masks."""
    for row in range(first, masks.shape[0]):
        if out.size - used < masks.shape[1]:
            return row, used
        start = used
        for place in range(masks.shape[1]):
            if masks[row, place]:
                out[used] = place
                used += 1
        counts[row] = used - start
    return masks.shape[0], used


@_compile
def _gather(starts: np.ndarray, counts: np.ndarray, flat: np.ndarray, out: np.ndarray) -> None:
    used = 0
    for row in range(starts.size):
        for number in range(starts[row], starts[row] + counts[row]):
            out[used] = flat[number]
            used += 1


@_compile
def _write_rows(
    ends: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    fresh: np.ndarray,
    current: np.ndarray,
    out: np.ndarray,
) -> None:
    """The inverse of ``_write_changes``, for the rows of games one after another."""
    for row in range(ends.size - 1):
        if fresh[row]:
            current[:] = 0
        for number in range(ends[row], ends[row + 1]):
            current[places[number]] = values[number]
        out[row] = current


class Changes:
    """Stores the changes in rows of N games from step to step.

    Args:
        games: N, the number of games.
        width: size of a row, ``int8``.
        total: number of rows of all steps.
        narrow: the dtype of places.
    """

    def __init__(self, games: int, width: int, total: int, narrow: str) -> None:
        self._kept = np.zeros((games, width), dtype=np.int8)
        self._places = np.empty(max(2 * width, 24 * total), dtype=narrow)
        self._values = np.empty(self._places.size, dtype=np.int8)
        self._used = 0
        self._rows = _Rows(total)

    def note(self, now: np.ndarray, rows: np.ndarray) -> None:
        """Adds the present rows of the first R games, ``int8[R, width]``; ``rows`` are their row numbers in
        the table."""
        counts, start, row = np.empty(len(now), dtype=np.int64), self._used, 0
        while True:
            row, self._used = _write_changes(
                now, self._kept, row, self._places, self._values, self._used, counts
            )
            if row == len(now):
                break
            self._places, self._values = _doubled(self._places), _doubled(self._values)
        self._rows.note(rows, start, counts)

    def gathered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The end of each row, after a first 0 (``int64[total + 1]``), and the places and values of all
        rows."""
        return (
            self._rows.ends(),
            self._rows.gathered(self._places[: self._used]),
            self._rows.gathered(self._values[: self._used]),
        )


class SetPlaces:
    """Stores the places that are set in masks, step by step.

    Args:
        width: size of a mask.
        total: number of rows of all steps.
    """

    def __init__(self, width: int, total: int) -> None:
        self._out = np.empty(max(2 * width, 16 * total), dtype=np.int16)
        self._used = 0
        self._rows = _Rows(total)

    def note(self, masks: np.ndarray, rows: np.ndarray) -> None:
        """Adds the masks of the first R games, ``bool[R, width]``; ``rows`` are their row numbers in the
        table."""
        counts, start, row = np.empty(len(masks), dtype=np.int64), self._used, 0
        while True:
            row, self._used = _write_set(masks, row, self._out, self._used, counts)
            if row == len(masks):
                break
            self._out = _doubled(self._out)
        self._rows.note(rows, start, counts)

    @property
    def counts(self) -> np.ndarray:
        """The number of places in each row: ``int64[total]``."""
        return self._rows.counts

    def gathered(self) -> tuple[np.ndarray, np.ndarray]:
        """The end of each row, after a first 0, and the places of all rows."""
        return self._rows.ends(), self._rows.gathered(self._out[: self._used])


class _Rows:
    """The locations of rows of different length in a flat array."""

    def __init__(self, total: int) -> None:
        self._starts = np.zeros(total, dtype=np.int64)
        self.counts = np.zeros(total, dtype=np.int64)

    def note(self, rows: np.ndarray, start: int, counts: np.ndarray) -> None:
        """Stores that these rows are one after another from ``start`` on."""
        self._starts[rows] = start + np.cumsum(counts) - counts
        self.counts[rows] = counts

    def ends(self) -> np.ndarray:
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    def gathered(self, flat: np.ndarray) -> np.ndarray:
        """The rows in the order of their numbers."""
        out = np.empty(int(self.counts.sum()), dtype=flat.dtype)
        _gather(self._starts, self.counts, flat, out)
        return out


def _doubled(values: np.ndarray) -> np.ndarray:
    return np.concatenate([values, np.empty_like(values)])


def restored(
    ends: np.ndarray, places: np.ndarray, values: np.ndarray, fresh: np.ndarray, current: np.ndarray
) -> np.ndarray:
    """Restores whole rows from their changes: ``int8[rows, width]``.

    Args:
        ends: ``int64[rows + 1]``: the end of each row in the flat arrays, after the start of the first row.
        places, values: the changes.
        fresh: ``bool[rows]``: whether a row is the first of a game, which is relative to zeros.
        current: ``int8[width]``: the row before the first row; on return, the last row.
    """
    out = np.empty((len(fresh), len(current)), dtype=np.int8)
    _write_rows(ends, places, values, fresh, current, out)
    return out
