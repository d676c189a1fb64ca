"""Advice for networks: the scripted policy's scores of the legal actions, appended to the observation."""

from __future__ import annotations

import numpy as np

from wotr_agents.policies import Policy, policy_of
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states


def size_with_advice(kind: GameKind) -> int:
    """The size of an observation with advice."""
    return kind.layout.size + kind.actions.size


def advice_policy(kind: GameKind) -> Policy:
    """The scripted policy of a game; its scores are the advice.

    Raises:
        ValueError: there is no such policy.
    """
    policy = policy_of(kind.name)
    if policy is None or policy.score is None:
        raise ValueError(f"{kind.title} has no scripted policy that gives advice")
    return policy


def write_scores(scores: np.ndarray, masks: np.ndarray, inputs: np.ndarray) -> None:
    """Appends scores of the legal actions to observations.

    Args:
        scores: ``float64[B, A]``: the scores of the scripted policy.
        masks: ``bool[B, A]``: the legal actions.
        inputs: ``int8[B, D + A]``; the A columns after the observation are written: 0 for the best action and
            for illegal actions, and a negative number for others: about -16 for every doubling of the
            distance to the best score, down to -127.
    """
    from wotr_agents.networks import sparse_kernels  # loads numba

    sparse_kernels.write_advice(scores, masks, inputs[:, inputs.shape[1] - masks.shape[1] :])


def write_advice(states: np.ndarray, masks: np.ndarray, inputs: np.ndarray, kind: GameKind) -> None:
    """Appends the scores of the scripted policy to observations.

    Args:
        states: ``kind.state[B]``; the other seats' hidden cards are not read.
        masks: as for ``write_scores``.
        inputs: as for ``write_scores``.
        kind: the game.
    """
    if not states.flags.writeable:  # those of a batch; compiled code takes arrays that it may write
        states = copy_states(states)
    scores = np.empty(masks.shape)
    score = advice_policy(kind).score
    assert score is not None
    score(states, masks, scores)
    write_scores(scores, masks, inputs)


def with_advice(
    observations: np.ndarray, states: np.ndarray, masks: np.ndarray, kind: GameKind
) -> np.ndarray:
    """Returns observations with advice: ``int8[B, D + A]``. The arguments are those of ``write_advice``."""
    inputs = np.empty((len(observations), size_with_advice(kind)), dtype=np.int8)
    inputs[:, : kind.layout.size] = observations
    write_advice(states, masks, inputs, kind)
    return inputs
