"""Plugins of other packages (entry points): finds the usable ones, and the reasons why others cannot be
used."""

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
    """Registered objects by name; the objects of this package come first."""

    kinds: Mapping[str, Kind]
    broken: Mapping[str, str]
    """The reasons why entry points were ignored, by the name of the entry point."""
    packages: Mapping[str, str]
    """The name and version of the package of each object from another package, by the name of the object."""


def find_plugins(
    group: str, built_in: Mapping[str, Kind], check: Callable[[Any], str | None]
) -> Plugins[Kind]:
    """Loads the entry points of a group. An object is known by its ``name``, which should also be the name of
    its entry point. An entry point that cannot be used is ignored, with a warning in the log.

    Args:
        group: the group of the entry points.
        built_in: the objects of this package, by name; plugins cannot use these names.
        check: returns an error message if an object is not valid.
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
            if entry.name != found.name:
                broken[entry.name] = f"entry point {entry.name} of {group} has the name {found.name}"
        else:
            broken[entry.name] = f"entry point {entry.name} of {group} {why}"
            _LOG.warning("%s; it is ignored", broken[entry.name])
    return Plugins(kinds, broken, packages)


def version_of(name: str = "wotr-env") -> str:
    """The version of an installed package, by default of this package; ``unknown`` if the package is not
    installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def package_version() -> str:
    """The name and version of this package; without a version if the package is not installed."""
    version = version_of()
    return "wotr-env of no version" if version == "unknown" else f"wotr-env {version}"


def how_to_install(extra: str) -> str:
    """The command that installs an extra of this package, which is not on a package index."""
    return f"pip install '.[{extra}]' in a clone of wotr-env"


def _package(entry: importlib.metadata.EntryPoint) -> str:
    return "no package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
