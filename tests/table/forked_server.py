"""A server of the web table for processes that are forked with everything loaded."""

from __future__ import annotations

from pathlib import Path

from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.table.server import Settings
from wotr_experiments.table.service import run

game_kind(DEFAULT_GAME).kernels.prepare()


def serve(folder, listening):
    """Serves a folder without processes for bots."""
    run(Settings(Path(folder), workers=0), listening, lambda _: None)
