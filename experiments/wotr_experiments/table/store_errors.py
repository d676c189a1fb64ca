"""Errors of the store as messages for clients, and the digests of tokens."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import sqlite3
from collections.abc import Iterator

from wotr_env.core.errors import RecordError
from wotr_experiments.errors import one_line
from wotr_experiments.table.messages import Refused
from wotr_experiments.table.store import DAMAGED

_LOG = logging.getLogger(__name__)


@contextlib.contextmanager
def undamaged(name: str) -> Iterator[None]:
    """A context that raises Refused if a stored table is damaged, or cannot be read now."""
    try:
        yield
    except RecordError as error:
        raise Refused("table", str(error)) from None
    except sqlite3.OperationalError as error:  # such as of a full or busy disk
        _LOG.warning("table %s cannot be read now: %s", name, one_line(error))
        raise Refused("server", "this table cannot be read now; the server's log says why") from None
    except (sqlite3.Error, *DAMAGED) as error:
        _LOG.warning("table %s cannot be read: %s", name, one_line(error))
        raise Refused("table", "this table cannot be read; the server's log says why") from None


@contextlib.contextmanager
def stored() -> Iterator[None]:
    """A context that converts SQLite errors to messages for clients."""
    try:
        yield
    except sqlite3.Error as error:
        raise Refused("storage", f"it could not be stored and was not done: {error}") from None


def digest_of(token: str) -> bytes:
    """The digest of a token; tokens are random, so it does not reveal them."""
    return hashlib.sha256(token.encode()).digest()
