"""Bots: their interface, and functions that make them from names."""

import os

# Before torch is loaded: OpenMP threads that spin while they wait would keep the cores from other threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from wotr_agents.registry import BotKind, bot_kinds, canonical_spec, make_bot, parse_spec
from wotr_env.play.bots import Bot, BotError, BotView

__all__ = ["Bot", "BotError", "BotKind", "BotView", "bot_kinds", "canonical_spec", "make_bot", "parse_spec"]
