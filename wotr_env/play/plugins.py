"""What other packages add through entry points: those that can be used, and why others cannot."""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

_LOG = logging.getLogger(__name__)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Kind = TypeVar("Kind", bound=_Named)


class Plugins(NamedTuple, Generic[Kind]):
    """The kinds of something, those of this package first."""

    kinds: Mapping[str, Kind]
    broken: Mapping[str, str]
    """By the name of an entry point that was left out, why."""
    packages: Mapping[str, str]
    """Name and version of the package, by the name of each kind that comes from another."""


def find_plugins(
    group: str, built_in: Mapping[str, Kind], check: Callable[[Any], str | None]
) -> Plugins[Kind]:
    """Loads the entry points of a group; one that cannot be used is left out, with a warning in the log.

    Args:
        group: of the entry points.
        built_in: what is there without them, by name; none takes the name of one of these.
        check: says what an entry point must be, if it is not.
    """
    kinds, broken, packages = dict(built_in), {}, {}
    for entry in sorted(importlib.metadata.entry_points(group=group), key=lambda entry: entry.name):
        try:
            found = entry.load()
        except (Exception, SystemExit) as error:
            words = " ".join(str(error).split())
            why = f"cannot be loaded: {type(error).__name__}: {words}"
        else:
            why = check(found)
            if why is None and kinds.get(found.name, found) is not found:
                why = f"has the name {found.name}, which is taken"
        if why is None:
            kinds[found.name] = found
            packages[found.name] = _package(entry)
        else:
            broken[entry.name] = f"entry point {entry.name} of {group} {why}"
            _LOG.warning("%s; it is ignored", broken[entry.name])
    return Plugins(kinds, broken, packages)


def version_of(name: str = "wotr-env") -> str:
    """The version of a package that is installed, by default of this one; ``unknown`` if it is not."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def package_version(name: str = "wotr-env") -> str:
    """The name of a package and its version, as far as it is installed; by default of this one."""
    version = version_of(name)
    return f"{name} of no version" if version == "unknown" else f"{name} {version}"


def how_to_install(extra: str) -> str:
    """The command that installs an extra of this package, which is no project of a package index."""
    return f"pip install '.[{extra}]' in a clone of wotr-env"


def _package(entry: importlib.metadata.EntryPoint) -> str:
    return "no package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
