"""What a bot is beyond its spec: the package and the files that it plays by; and a game."""

from __future__ import annotations

import hashlib

from wotr_agents.registry import bot_plugins, is_built_in, parse_spec
from wotr_env.play.bots import BotError
from wotr_env.play.games import OWN_GAMES, game_plugins
from wotr_env.play.plugins import package_version


def identity(spec: str, game: str | None = None) -> str:
    """One line that changes with the version of a bot's package and with each byte of its files.

    Args:
        spec: such as ``net:runs/mine``.
        game: the name of the game that it shall play; None: any.

    Returns:
        Such as ``wotr-env 0.1.0; best.safetensors 1f0c...``, with 32 hex digits of SHA-256 for each file.

    Raises:
        BotError: as ``parse_spec``, or a file cannot be read.
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


def game_identity(name: str) -> str:
    """The package that a game comes from, and its version; a game has no files."""
    return package_version() if name in OWN_GAMES else game_plugins().packages[name]


def foreign_game_identity(name: str) -> str:
    """The same of another package's game; empty for ours, whose version of the rules tells enough."""
    return "" if name in OWN_GAMES else game_identity(name)
