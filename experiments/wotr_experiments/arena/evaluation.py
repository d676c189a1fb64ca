"""Counts results of a bot in one team against another bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_agents import Bot
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_KIND
from wotr_experiments.arena.play import play_batch
from wotr_experiments.arena.watchdog import PendingCall
from wotr_experiments.isolation.bots import Isolation

LONGEST = 60
"""Turn limit, because untrained networks may play endlessly."""


def count_results(
    bot: Bot,
    opponent: Bot,
    team: int,
    seeds: np.ndarray,
    kind: GameKind = DEFAULT_KIND,
    ruleset: Any = None,
    call_timeout: Callable[[int], float] | None = None,
) -> tuple[int, int, int]:
    """Plays games of at most ``LONGEST`` turns (fewer if the ruleset has a lower limit), with a bot in all
    seats of a team.

    Args:
        bot: the bot whose results are counted.
        opponent: the bot in all other seats.
        team: the team of the bot.
        seeds: ``uint64[B]``, one seed for each game.
        kind: the game.
        ruleset: the ruleset; None: the default of the game.
        call_timeout: the limit in seconds for an answer, for a number of games; 0: no limit. By default
            that of ``Isolation``. A bot that does not answer in this time forfeits, as in a tournament.

    Returns:
        The numbers of games won, drawn and lost.
    """
    rules = ruleset or kind.find_ruleset()
    if kind.endless and not 0 < kind.turn_limit(rules) < LONGEST:
        rules = kind.limited(rules, LONGEST)
    opposing = np.array([seat.team != team for seat in rules.seats], dtype=np.int64)
    seated = np.tile(opposing, (len(seeds), 1))
    pending_call = PendingCall(call_timeout or Isolation().call_timeout)
    played = play_batch(kind, (bot, opponent), seated, seeds, rules, pending_call=pending_call)
    winners = played.end_records["winner"].astype(np.int64)
    for game, forfeit in played.forfeits.items():
        winners[game], _ = kind.forfeit_result(forfeit.seat, rules)
    won, drawn = int((winners == team).sum()), int((winners == kind.draw).sum())
    return won, drawn, len(seeds) - won - drawn
