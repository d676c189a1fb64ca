"""The identity of a bot or a game: its package and version, and the contents of the bot's files."""

from __future__ import annotations

import hashlib

from wotr_agents.registry import bot_plugins, is_built_in, parse_spec
from wotr_env.play.bots import BotError
from wotr_env.play.games import OWN_GAMES, game_plugins
from wotr_env.play.plugins import package_version

_THEN = ", then "
"""Separator between the old and the new identity of a bot."""


def identity(spec: str, game: str | None = None) -> str:
    """The identity of a bot: one line that changes with the version of its package and with each byte of its
    files.

    Args:
        spec: the spec of the bot, such as ``net:runs/mine``.
        game: the name of the game; None: any game.

    Returns:
        A text such as ``wotr-env 0.1.0; best.safetensors 1f0c...``, with 32 hex digits of SHA-256 for each
            file.

    Raises:
        BotError: an error of ``parse_spec``, or a file cannot be read.
    """
    kind, parameters = parse_spec(spec, game)
    found = [package_version() if is_built_in(spec) else bot_plugins().packages[kind.name]]
    for path in kind.files(parameters):
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise BotError(f"bot {spec}: {path}: {error.strerror}") from None
        found.append(f"{path.name} {digest[:32]}")
    return "; ".join(found)


def with_identity(known: str, now: str) -> str:
    """Appends the identity that a bot has now to those that it had before in a game, unless the last is the
    same."""
    if known.split(_THEN)[-1] == now:
        return known
    return f"{known}{_THEN}{now}" if known else now


def game_identity(name: str) -> str:
    """The package of a game, and its version."""
    return package_version() if name in OWN_GAMES else game_plugins().packages[name]


def foreign_game_identity(name: str) -> str:
    """The identity of another package's game; empty for a game of this package, where the version of the
    rules suffices."""
    return "" if name in OWN_GAMES else game_identity(name)
