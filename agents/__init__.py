"""Bots: what they see, what they must do, and how they are found by name."""

from agents.bot import Bot, BotError, BotView
from agents.registry import BotKind, bot_kinds, canonical_spec, make_bot, parse_spec

__all__ = ["Bot", "BotError", "BotKind", "BotView", "bot_kinds", "canonical_spec", "make_bot", "parse_spec"]
