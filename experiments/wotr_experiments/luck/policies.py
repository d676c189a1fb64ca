"""Bots that draw their choices by known probabilities, so that their draws are luck as well."""

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
    """A bot that draws its choices.

    Args:
        bot: a network bot.
        temperature: above 0.
        kind: the game.
    """

    def __init__(self, bot: NetBot, temperature: float, kind: GameKind) -> None:
        self._bot, self._temperature, self._kind = bot, temperature, kind

    def draw(self, states: np.ndarray, masks: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Other choices of the same bot.

        Args:
            states: ``kind.state[N]``, which wait for a decision.
            masks: their legal actions, ``bool[N, A]``.
            words: ``uint64[N, K]``, random.

        Returns:
            ``int64[N, K]``: K actions of each, drawn by the bot's probabilities.
        """
        logits = self._bot.log_probabilities(view_of(states, masks, self._kind)).astype(np.float64)
        weights = np.exp((logits - logits.max(axis=1, keepdims=True)) / self._temperature)
        reached = weights.cumsum(axis=1)
        marks = (words >> _DROPPED_BITS) * _UNIT * reached[:, -1:]
        return (reached[:, None, :] <= marks[:, :, None]).sum(axis=2)


@functools.lru_cache(maxsize=8)
def mixed_policy(spec: str, known: str, kind: GameKind) -> MixedPolicy | None:
    """The bot of a spec, if it draws its choices by probabilities that can be asked for again.

    Args:
        spec: of a player in a record.
        known: what the record says the bot was (``GameRecord.identities``).
        kind: the game.

    Returns:
        None for other bots, and for one whose network is not what it was.
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
