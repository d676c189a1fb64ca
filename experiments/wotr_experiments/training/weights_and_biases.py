"""Sends the metrics of a training run to Weights & Biases, if requested (extra ``wandb``)."""

from __future__ import annotations

import contextlib
import importlib
import json
import secrets
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wotr_env.core.values import read_text
from wotr_env.play.plugins import how_to_install
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import write_json
from wotr_experiments.training.run_folder import numbers_of

IDS = "wandb.json"
"""The file in the folder of a run with its id in each project, so that a resumed run continues there."""


def check_wandb() -> None:
    """Raises CommandError if the extra ``wandb`` is not installed."""
    _wandb()


@contextlib.contextmanager
def board(project: str, folder: Path, config: Mapping[str, Any]) -> Iterator[Board | None]:
    """A context with an object that shows lines of metrics in a project of Weights & Biases, under the name
    of the run's folder; None without a project.

    Args:
        project: the name of the project; empty: none.
        folder: the folder of the run.
        config: the configuration of the run, which the project shows.

    Raises:
        CommandError: the package is not installed, or the service cannot be used, such as without a key.
        OSError: the folder cannot be written.
    """
    if not project:
        yield None
        return
    found = Board(project, folder, config)
    try:
        yield found
    except BaseException:
        found.close(1)
        raise
    found.close(0)


class Board:
    """A run of a project, new or continued; arguments and errors are those of ``board``."""

    def __init__(self, project: str, folder: Path, config: Mapping[str, Any]) -> None:
        wandb = _wandb()
        number = _id_of(project, folder / IDS)
        try:
            self._run: Any = wandb.init(
                project=project,
                id=number,
                name=folder.resolve().name,
                dir=str(folder.resolve()),
                config=dict(config),
                allow_val_change=True,
                resume="allow",
                settings={"console": "off"},  # what is on the screen is no part of the run
            )
            self._run.define_metric("*", step_metric="decisions")  # a run that was killed goes back some
        except Exception as error:
            raise CommandError(
                f"Weights & Biases: {one_line(error)}; leave out --wandb, or set WANDB_MODE=offline"
            ) from None

    def log(self, line: Mapping[str, Any]) -> None:
        """Shows a line of metrics. An error of the service ends the display, not the training."""
        if self._run is None:
            return
        try:
            self._run.log({"decisions": line["decisions"], **dict(numbers_of(line))})
        except Exception as error:
            _tell(error)
            self._run = None

    def close(self, code: int) -> None:
        """Ends the session, with an exit code."""
        if self._run is None:
            return
        try:
            self._run.finish(exit_code=code)
        except Exception as error:
            _tell(error)


def _tell(error: Exception) -> None:
    words = f"wotr: Weights & Biases: {one_line(error)}; metrics are written only to the folder from now on"
    print(words, file=sys.stderr)


def _wandb() -> Any:
    """The module ``wandb``; a folder with this name, which the package may leave behind, does not count."""
    try:
        found = importlib.import_module("wandb")
    except ImportError:
        found = None
    if not hasattr(found, "init"):
        raise CommandError(f"wandb is not installed; install it with: {how_to_install('wandb')}")
    return found


def _id_of(project: str, path: Path) -> str:
    """The id of a run in a project; a random id is stored the first time."""
    try:
        known = dict(json.loads(read_text(path))) if path.exists() else {}
    except (ValueError, TypeError, RecursionError) as error:
        raise CommandError(f"{path} is damaged: {error}") from None
    if not isinstance(known.setdefault(project, secrets.token_hex(8)), str):
        raise CommandError(f"{path} is damaged: the id of {project} is not a text")
    write_json(path, known)
    return known[project]
