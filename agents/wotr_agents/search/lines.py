"""Lines: sequences of actions of one seat, such as all actions of one action die, proposed by a network.

A line ends when there is new information: chance decides, another seat decides, or the next line begins
(``GameKind.openings``), such as at the choice of the next action die. Until then the seat knows the effects
of its actions, so it can choose a line as a whole.

The lines of a position are sampled without replacement by their probabilities under the network: a beam
search with Gumbel-perturbed log-probabilities (W. Kool, H. van Hoof and M. Welling, "Stochastic Beams and
Where to Find Them", 2019). The line of the most likely choices is always included.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotView, view_of

_LONGEST = 48
"""Maximal number of choices of a line."""

Policy = Callable[[BotView], np.ndarray]
"""Log-probabilities of the actions, ``float32[B, A]``, minus infinity for illegal ones."""


@dataclasses.dataclass(frozen=True)
class Line:
    """The next choices of a seat."""

    actions: tuple[int, ...]
    """The actions at choices of more than one action."""
    seen: tuple[bytes, ...]
    """The observation before each action: ``int8[D]`` as bytes."""
    log_probability: float
    """Log-probability of this line, or of any line to the same position, as the first sample."""


@dataclasses.dataclass
class _Branch:
    """An unfinished line."""

    actions: tuple[int, ...] = ()
    seen: tuple[bytes, ...] = ()
    log_probability: float = 0.0
    perturbed: float = 0.0
    greedy: bool = True
    """Whether every choice was the most likely one."""
    open: bool = True


@dataclasses.dataclass(frozen=True)
class _Child:
    """A branch with a further action; action -1 means that the branch has ended."""

    parent: int
    action: int
    log_probability: float
    perturbed: float
    greedy: bool


def draw_lines(
    kind: GameKind,
    policy: Policy,
    state: np.ndarray,
    count: int,
    generator: np.random.Generator,
    temperature: float = 1.0,
) -> list[Line]:
    """Samples lines of the deciding seat, the line of the most likely choices first.

    A line is the sequence of the seat's choices until new information appears or another seat decides.

    Args:
        kind: the game.
        policy: the policy of the lines.
        state: ``kind.state[1]``, a sampled world with a pending choice of several actions.
        count: maximal number of lines; lines to the same position count once.
        generator: source of randomness.
        temperature: temperature of the policy's logits.

    Returns:
        At least one line.
    """
    seat, counter = int(state["seat"][0]), int(state["counter"][0])
    states = state.copy()
    masks = kind.masks(states)
    branches = [_Branch()]
    for _ in range(_LONGEST):
        going = [place for place, branch in enumerate(branches) if branch.open]
        if not going:
            break
        view = view_of(np.ascontiguousarray(states[going]), np.ascontiguousarray(masks[going]), kind)
        likely = _tempered(policy(view), temperature)
        chosen = _chosen(_children(branches, going, likely, generator), count)
        seen = dict(zip(going, view.observations, strict=True))
        branches = [_grown(branches[child.parent], child, seen.get(child.parent)) for child in chosen]
        parents = [child.parent for child in chosen]
        states, masks = states[parents], masks[parents]
        grown = np.array([child.action >= 0 for child in chosen])
        actions = np.array([max(child.action, 0) for child in chosen])
        _step_to_choice(kind, states, masks, grown, actions, seat, counter)
        kept = _merge(branches, states)
        branches, states, masks = [branches[place] for place in kept], states[kept], masks[kept]
        for branch, reached in zip(branches, states, strict=True):
            branch.open = branch.open and not _ended(kind, reached, seat, counter)
    return [Line(branch.actions, branch.seen, branch.log_probability) for branch in branches]


def _tempered(likely: np.ndarray, temperature: float) -> np.ndarray:
    """Log-probabilities ``float64[B, A]`` with their logits divided by a temperature."""
    logits = likely.astype(np.float64) / temperature
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def _children(
    branches: Sequence[_Branch], going: Sequence[int], likely: np.ndarray, generator: np.random.Generator
) -> list[_Child]:
    """The children of all branches. The highest perturbed score among the children of a branch equals the
    score of the branch."""
    found = [
        _Child(place, -1, branch.log_probability, branch.perturbed, branch.greedy)
        for place, branch in enumerate(branches)
        if not branch.open
    ]
    for place, row in zip(going, likely, strict=True):
        branch = branches[place]
        actions = np.flatnonzero(np.isfinite(row))
        sums = branch.log_probability + row[actions]
        perturbed = _below(branch.perturbed, sums + generator.gumbel(size=len(actions)))
        best = int(row[actions].argmax())
        found += [
            _Child(place, int(action), float(total), float(score), branch.greedy and number == best)
            for number, (action, total, score) in enumerate(zip(actions, sums, perturbed, strict=True))
        ]
    return found


def _below(maximum: float, scores: np.ndarray) -> np.ndarray:
    """Gumbel scores conditioned on their maximum being ``maximum``."""
    gaps = scores - scores.max()
    with np.errstate(divide="ignore"):
        beyond = maximum - scores + np.log1p(-np.exp(gaps))
    return maximum - np.maximum(beyond, 0.0) - np.log1p(np.exp(-np.abs(beyond)))


def _chosen(children: Sequence[_Child], count: int) -> list[_Child]:
    """The child whose choices were all the most likely ones, followed by the children with the highest
    scores."""
    return sorted(children, key=lambda child: (not child.greedy, -child.perturbed))[:count]


def _grown(branch: _Branch, child: _Child, seen: np.ndarray | None) -> _Branch:
    if child.action < 0 or seen is None:
        return branch
    return _Branch(
        actions=(*branch.actions, child.action),
        seen=(*branch.seen, seen.tobytes()),
        log_probability=child.log_probability,
        perturbed=child.perturbed,
        greedy=child.greedy,
    )


def _step_to_choice(
    kind: GameKind,
    states: np.ndarray,
    masks: np.ndarray,
    stepped: np.ndarray,
    actions: np.ndarray,
    seat: int,
    counter: int,
) -> None:
    """Takes actions in the games that are ``stepped``, and then all forced actions (those without an
    alternative)."""
    while stepped.any():
        rows = np.flatnonzero(stepped)
        some, legal = states[rows], masks[rows]
        kind.kernels.step(some, legal, actions[rows])
        states[rows], masks[rows] = some, legal
        single = legal.sum(axis=1) == 1
        stepped = np.zeros_like(stepped)
        stepped[rows] = [
            one and not _ended(kind, each, seat, counter) for one, each in zip(single, some, strict=True)
        ]
        actions = masks.argmax(axis=1)


def _ended(kind: GameKind, state: np.record, seat: int, counter: int) -> bool:
    return bool(
        state["winner"] != GOING_ON
        or state["seat"] != seat
        or state["counter"] != counter
        or kind.opens(state)
    )


def _merge(branches: Sequence[_Branch], states: np.ndarray) -> list[int]:
    """The places of the first branch that leads to each position; the probabilities of later branches are
    added to it."""
    first: dict[bytes, int] = {}
    for place, (branch, state) in enumerate(zip(branches, states, strict=True)):
        kept = branches[first.setdefault(state.tobytes(), place)]
        if kept is not branch:
            kept.log_probability = float(np.logaddexp(kept.log_probability, branch.log_probability))
    return list(first.values())
