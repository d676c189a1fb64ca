"""Bots: what they see, what they must do, and how they are found by name."""

import os

# Before torch is loaded: OpenMP threads that spin while they wait would keep the cores from other threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from agents.bot import Bot, BotError, BotView
from agents.registry import BotKind, bot_kinds, canonical_spec, make_bot, parse_spec

__all__ = ["Bot", "BotError", "BotKind", "BotView", "bot_kinds", "canonical_spec", "make_bot", "parse_spec"]
