"""Bots: their interface, and how to make them by name."""

import os

# Before torch is loaded: OpenMP threads that spin while they wait would keep the cores from other threads.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from wotr_agents.registry import BotKind, bot_kinds, canonical_spec, make_bot, parse_spec
from wotr_env import moved
from wotr_env.play.bots import Bot, BotError, BotView

__all__ = ["Bot", "BotError", "BotKind", "BotView", "bot_kinds", "canonical_spec", "make_bot", "parse_spec"]

moved.know(
    {
        "wotr_agents.queller": "wotr_agents.games.war_of_the_ring.queller",
        "wotr_agents.scripted": "wotr_agents.games.war_of_the_ring.scripted",
        "wotr_agents.duel": "wotr_agents.games.duel",
        "wotr_agents.two_towers": "wotr_agents.games.two_towers",
    }
)
