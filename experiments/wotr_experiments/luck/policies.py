"""Bots that sample their choices by known probabilities, so that their choices are a source of luck."""

from __future__ import annotations

import functools

import numpy as np

from wotr_agents.identity import identity
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.registry import is_built_in, parse_spec
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError, view_of

_UNIT = 2.0**-53
_DROPPED_BITS = np.uint64(11)


class MixedPolicy:
    """A bot that samples its choices.

    Args:
        bot: a network bot.
        temperature: the temperature, above 0.
        kind: the game.
    """

    def __init__(self, bot: NetBot, temperature: float, kind: GameKind) -> None:
        self._bot, self._temperature, self._kind = bot, temperature, kind

    def draw(self, states: np.ndarray, masks: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Samples other choices of the same bot.

        Args:
            states: ``kind.state[N]``, with pending decisions.
            masks: ``bool[N, A]``: the legal actions.
            words: ``uint64[N, K]``: random numbers.

        Returns:
            ``int64[N, K]``: K actions for each state, sampled with the bot's probabilities.
        """
        logits = self._bot.log_probabilities(view_of(states, masks, self._kind)).astype(np.float64)
        weights = np.exp((logits - logits.max(axis=1, keepdims=True)) / self._temperature)
        reached = weights.cumsum(axis=1)
        marks = (words >> _DROPPED_BITS) * _UNIT * reached[:, -1:]
        return (reached[:, None, :] <= marks[:, :, None]).sum(axis=2)


@functools.lru_cache(maxsize=8)
def mixed_policy(spec: str, known: str, kind: GameKind) -> MixedPolicy | None:
    """Makes the bot of a spec, if this bot samples its choices from probabilities that can be computed again.

    Args:
        spec: the spec of a player in a record.
        known: the identity of the bot in the record (``GameRecord.identities``).
        kind: the game.

    Returns:
        None for other bots, and for a bot whose network has changed.
    """
    try:
        if not spec or not is_built_in(spec):
            return None
        _, parameters = parse_spec(spec, kind.name)
        if not isinstance(parameters, NetParameters) or not parameters.temperature:
            return None
        if not known or identity(spec, kind.name) != known:
            return None
        return MixedPolicy(NetBot(parameters, 0), parameters.temperature, kind)
    except BotError:
        return None
