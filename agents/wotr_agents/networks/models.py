"""Networks that play: from an observation to a score for every action and the chances of every end.

Both kinds have the same inputs and outputs. ``MlpNetwork`` is small and fast on a CPU: a sparse first layer,
then dense ones that the kind of decision switches. ``EntityNetwork`` knows that the map is a graph and that
an action points at a region, a card or another thing of the game, and scores it against that; it is larger
and meant for a GPU.

Either may get advice: what the scripted policy thinks of the legal actions, as further inputs and as a start
for their scores, which learning then corrects (as in residual policy learning, T. Silver et al., 2018).

Values are from -1 to 1, for the Free Peoples, whoever looks.
"""

from __future__ import annotations

import itertools
import math

import torch
from torch import nn
from torch.nn import functional

from wotr_agents.networks import sparse
from wotr_agents.networks.config import KINDS, NetworkConfig
from wotr_agents.networks.sparse import SparseLinear
from wotr_env.actions import NUM_ACTIONS, Block
from wotr_env.codes import Decision
from wotr_env.components import NEIGHBOURS, NUM_CARDS, NUM_REGIONS
from wotr_env.engine.layout import (
    CARD_FIELDS,
    CARD_WIDTH,
    CARDS_AT,
    GLOBAL_FIELDS,
    GLOBALS_AT,
    OBSERVATION_SIZE,
    REGION_FIELDS,
    REGION_WIDTH,
    At,
)
from wotr_env.kind import Field, GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING

END_VALUES: tuple[float, ...] = tuple(end.worth for end in WAR_OF_THE_RING.ends)
"""What each end is worth to the Free Peoples: a network's second output tells the ends apart."""
NUM_ENDS = len(END_VALUES)

_SCALES = {
    "regular": 0.5,
    "elite": 0.5,
    "leader": 0.5,
    "turn": 0.1,
    "turns_left": 1 / 127,
    "victory_points": 0.2,
    "dice": 0.5,
    "dice_used": 0.3,
    "pool": 0.2,
    "hunt_box": 0.5,
    "reinforcement_regular": 0.2,
    "reinforcement_elite": 0.2,
    "reinforcement_leader": 0.2,
    "casualty_regular": 0.3,
    "casualty_elite": 0.3,
    "casualty_leader": 0.3,
    "progress": 0.3,
    "mordor_step": 0.5,
    "corruption": 0.3,
    "deck_size": 0.05,
    "hand_size": 0.25,
    "face_down_size": 0.1,
    "hunt_successes": 0.5,
    "hunt_damage": 0.5,
    "hits": 0.3,
    "misses": 0.3,
    "combat": 0.5,
    "party_regular": 0.3,
    "party_elite": 0.3,
    "party_leader": 0.3,
    "chosen_regular": 0.3,
    "chosen_elite": 0.3,
    "chosen_leader": 0.3,
    "frame_numbers": 0.05,
    "options": 0.1,
}
"""What the numbers of a part of the observation are multiplied by, to be of the order of 1; others 1."""

ADVICE_SCALE = 1 / 64
_FIRST_TRUST = 0.04
"""At first an action that scores a point less than the best is about four times less likely."""
_ALMOST_ONE = 1.0 - 1e-6
_OTHERS = tuple(action for action in range(NUM_ACTIONS) if not Block.REGION <= action < Block.CHARACTER)
"""The actions that point neither at a region nor at a card."""


def input_scale(config: NetworkConfig) -> torch.Tensor:
    """What each input is multiplied by: ``float32[I]``, I = ``OBSERVATION_SIZE``, with advice more."""
    scale = observation_scale()
    return torch.cat([scale, torch.full((NUM_ACTIONS,), ADVICE_SCALE)]) if config.advice else scale


def observation_scale() -> torch.Tensor:
    """What each number of an observation is multiplied by: ``float32[OBSERVATION_SIZE]``."""
    regions = _field_scales(REGION_FIELDS).repeat(NUM_REGIONS)
    cards = _field_scales(CARD_FIELDS).repeat(NUM_CARDS)
    rest = [torch.full((math.prod(field.shape),), _SCALES.get(field.name, 1.0)) for field in GLOBAL_FIELDS]
    return torch.cat([regions, cards, *rest])


def _field_scales(fields: tuple[Field, ...]) -> torch.Tensor:
    return torch.cat([torch.full((field.shape[1],), _SCALES.get(field.name, 1.0)) for field in fields])


class PlayingNetwork(nn.Module):
    """A network from observations to the scores of actions and ends; see the module.

    Calling it with ``int8[B, I]`` gives ``float32[B, A]`` and ``float32[B, NUM_ENDS]``, both logits, those of
    the actions whether legal or not.

    Args:
        config: its size.
        end_values: what each end of the game is worth to team 0.
    """

    def __init__(self, config: NetworkConfig, end_values: tuple[float, ...] = END_VALUES) -> None:
        super().__init__()
        self.config = config
        self.end_values = end_values

    def decide(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What learning needs to know of decisions.

        Args:
            observations: ``int8[B, I]``.
            masks: ``bool[B, A]``, each row with a legal action.
            actions: ``int64[B]``, legal ones.

        Returns:
            The log-probabilities of the actions and the entropies of the policies, ``float32[B]``, and the
            scores of the ends, ``float32[B, NUM_ENDS]``.
        """
        scores, ends = self(observations)
        chances = legal_log_probabilities(scores, masks)
        entropy = -(chances.exp() * chances.masked_fill(~masks, 0.0)).sum(dim=1)
        return chances.gather(1, actions[:, None])[:, 0], entropy, ends

    def sample(
        self, observations: torch.Tensor, masks: torch.Tensor, luck: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draws actions by their probabilities.

        Args:
            observations: ``int8[B, I]``.
            masks: ``bool[B, A]``, each row with a legal action.
            luck: ``float32[B]``, from 0 up to 1, that the choices follow from.

        Returns:
            The actions ``int64[B]``, their log-probabilities ``float32[B]``, and the scores of the ends.
        """
        scores, ends = self(observations)
        chances = legal_log_probabilities(scores, masks)
        sums = chances.exp().cumsum(dim=1)
        above = (sums > (luck * _ALMOST_ONE * sums[:, -1])[:, None]) & masks
        actions = above.to(torch.int8).argmax(dim=1)
        return actions, chances.gather(1, actions[:, None])[:, 0], ends

    def foresee(self, observations: torch.Tensor) -> torch.Tensor:
        """The scores of the ends alone: ``float32[B, NUM_ENDS]``."""
        return self(observations)[1]


class MlpNetwork(PlayingNetwork):
    """A small network.

    The kind of decision switches units of the last hidden layer on and off by a gain, and has its own bias
    for every action, since the same action means different things in different decisions.

    Args:
        config: its size.
        scale: ``float32[I]``, what each input is multiplied by.
        actions: A, their number.
        contexts: the first input and the number of those that tell, one-hot, what is being asked.
        end_values: what each end of the game is worth to team 0.
    """

    def __init__(
        self,
        config: NetworkConfig,
        scale: torch.Tensor,
        actions: int = NUM_ACTIONS,
        contexts: tuple[int, int] = (At.DECISION, len(Decision)),
        end_values: tuple[float, ...] = END_VALUES,
    ) -> None:
        super().__init__(config, end_values)
        self._first, count = contexts
        self._behind = self._first + count
        self.first = SparseLinear(scale, config.width)
        self.norm = nn.LayerNorm(config.width)
        widths = [config.width, *[config.hidden] * config.layers]
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(widths))
        self.gain = nn.Embedding(count, config.hidden)
        self.habit = nn.Embedding(count, actions)
        self.policy = nn.Linear(config.hidden, actions)
        self.ends = nn.Linear(config.hidden, len(end_values))
        self.trust = _trust(count) if config.advice else None
        self._layer = sparse.PolicyLayer(self.policy, self.habit, self.trust)
        self._advice_at = OBSERVATION_SIZE if config.advice else len(scale)
        nn.init.ones_(self.gain.weight)
        nn.init.zeros_(self.habit.weight)
        for layer in (self.policy, self.ends):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores of the actions, legal or not, and of the ends.

        Args:
            observations: ``int8[B, I]``.

        Returns:
            ``float32[B, A]`` and ``float32[B, NUM_ENDS]``, both logits.
        """
        x, seen = self._look(observations)
        return self._layer.score(*seen), self.ends(x)

    def decide(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As ``PlayingNetwork.decide``; on a CPU it computes the scores of legal actions only."""
        if observations.device.type != "cpu":
            return super().decide(observations, masks, actions)
        x, seen = self._look(observations)
        return *self._layer.decide(*seen, masks, actions), self.ends(x)

    def sample(
        self, observations: torch.Tensor, masks: torch.Tensor, luck: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As ``PlayingNetwork.sample``; on a CPU it computes the scores of legal actions only."""
        if observations.device.type != "cpu":
            return super().sample(observations, masks, luck)
        x, seen = self._look(observations)
        return *self._layer.sample(*seen, masks, luck), self.ends(x)

    def foresee(self, observations: torch.Tensor) -> torch.Tensor:
        """As ``PlayingNetwork.foresee``."""
        return self.ends(self._hidden(observations))

    def _look(self, observations: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """The last hidden layer, and what ``PolicyLayer`` wants: the layer with gains, advice, contexts."""
        x = self._hidden(observations)
        contexts = observations[:, self._first : self._behind].argmax(dim=1)
        return x, (x * self.gain(contexts), observations[:, self._advice_at :], contexts)

    def _hidden(self, observations: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.norm(self.first(observations)))
        for layer in self.hidden:
            x = functional.relu(layer(x))
        return x


class EntityNetwork(PlayingNetwork):
    """A network of regions, cards and the rest; see the module.

    Args:
        config: its size.
        scale: ``float32[I]``, what each input is multiplied by.
    """

    def __init__(self, config: NetworkConfig, scale: torch.Tensor) -> None:
        super().__init__(config)
        width = config.width
        self.register_buffer("scale", scale, persistent=False)
        self.register_buffer("borders", _borders(), persistent=False)
        self.register_buffer("others", torch.tensor(_OTHERS), persistent=False)
        self.region_names = nn.Parameter(torch.randn(NUM_REGIONS, width) * 0.1)
        self.card_names = nn.Parameter(torch.randn(NUM_CARDS, width) * 0.1)
        self.other_names = nn.Parameter(torch.randn(len(_OTHERS), config.hidden) * 0.1)
        self.regions_in = nn.Linear(REGION_WIDTH, width)
        self.cards_in = nn.Linear(CARD_WIDTH, width)
        self.rest_in = nn.Linear(OBSERVATION_SIZE - GLOBALS_AT, width)
        self.rounds = nn.ModuleList(_Round(width) for _ in range(config.layers))
        self.region_key = nn.Linear(width, config.hidden)
        self.card_key = nn.Linear(width, config.hidden)
        self.queries = nn.Linear(width, 3 * config.hidden)
        self.habit = nn.Embedding(len(Decision), NUM_ACTIONS)
        self.ends = nn.Sequential(
            nn.Linear(width, config.hidden), nn.ReLU(), nn.Linear(config.hidden, NUM_ENDS)
        )
        self.trust = _trust(len(Decision)) if config.advice else None
        nn.init.zeros_(self.habit.weight)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """As ``MlpNetwork.forward``."""
        context = observations[:, At.DECISION : At.DECISION + len(Decision)].argmax(dim=1)
        x = observations.to(self.scale.dtype) * self.scale
        advice = observations[:, OBSERVATION_SIZE:]
        regions = self.regions_in(x[:, :CARDS_AT].unflatten(1, (NUM_REGIONS, REGION_WIDTH)))
        cards = self.cards_in(x[:, CARDS_AT:GLOBALS_AT].unflatten(1, (NUM_CARDS, CARD_WIDTH)))
        regions = functional.relu(regions + self.region_names)
        cards = functional.relu(cards + self.card_names)
        rest = functional.relu(self.rest_in(x[:, GLOBALS_AT:OBSERVATION_SIZE]))
        for each in self.rounds:
            regions, cards, rest = each(regions, cards, rest, self.borders)
        query = self.queries(rest).unflatten(1, (3, -1))
        size = math.sqrt(query.shape[2])
        region_scores = torch.einsum("bd,brd->br", query[:, 0], self.region_key(regions)) / size
        card_scores = torch.einsum("bd,bcd->bc", query[:, 1], self.card_key(cards)) / size
        other_scores = query[:, 2] @ self.other_names.T / size
        scores = torch.empty(len(x), NUM_ACTIONS, dtype=other_scores.dtype, device=x.device)
        scores[:, Block.REGION : Block.CARD] = region_scores
        scores[:, Block.CARD : Block.CHARACTER] = card_scores
        scores[:, self.others] = other_scores
        scores = scores + self.habit(context)
        if self.trust is not None:
            scores = scores + self.trust(context) * advice
        return scores.float(), self.ends(rest).float()


class _Round(nn.Module):
    """Every region hears its neighbours and the rest, every card the rest, and the rest hears all."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.near = nn.Linear(width, width, bias=False)
        self.region_rest = nn.Linear(width, width, bias=False)
        self.card = nn.Linear(width, width)
        self.card_rest = nn.Linear(width, width, bias=False)
        self.rest = nn.Linear(5 * width, width)
        self.region_norm, self.card_norm, self.rest_norm = (nn.LayerNorm(width) for _ in range(3))

    def forward(
        self, regions: torch.Tensor, cards: torch.Tensor, rest: torch.Tensor, borders: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        near = self.near(borders.to(regions.dtype) @ regions)
        heard = self.own(regions) + near + self.region_rest(rest)[:, None]
        regions = self.region_norm(regions + functional.relu(heard))
        cards = self.card_norm(cards + functional.relu(self.card(cards) + self.card_rest(rest)[:, None]))
        seen = [regions.mean(dim=1), regions.amax(dim=1), cards.mean(dim=1), cards.amax(dim=1), rest]
        rest = self.rest_norm(rest + functional.relu(self.rest(torch.cat(seen, dim=1))))
        return regions, cards, rest


def _trust(contexts: int) -> nn.Embedding:
    trust = nn.Embedding(contexts, 1)
    nn.init.constant_(trust.weight, _FIRST_TRUST)
    return trust


def _borders() -> torch.Tensor:
    """``float32[105, 105]``: in the row of a region an equal share for each neighbour."""
    borders = torch.zeros(NUM_REGIONS, NUM_REGIONS)
    for region, row in enumerate(NEIGHBOURS):
        near = [int(neighbour) for neighbour in row if neighbour >= 0]
        borders[region, near] = 1.0 / len(near)
    return borders


_CLASSES = dict(zip(KINDS, (MlpNetwork, EntityNetwork), strict=True))


def make_network(config: NetworkConfig, kind: GameKind = WAR_OF_THE_RING) -> PlayingNetwork:
    """A new network for a game, its weights from torch's global generator.

    Raises:
        ValueError: another game than War of the Ring has no network of that kind.
    """
    if kind is WAR_OF_THE_RING:
        return _CLASSES[config.kind](config, input_scale(config))
    if config.kind != "mlp" or config.advice:
        raise ValueError(f"only {WAR_OF_THE_RING.title} has entity networks and advice, not {kind.title}")
    contexts = kind.layout.decision.start, len(kind.layout.decision)
    end_values = tuple(end.worth for end in kind.ends)
    return MlpNetwork(config, torch.ones(kind.layout.size), kind.actions.size, contexts, end_values)


def legal_log_probabilities(scores: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the actions: ``float32[B, A]``, minus infinity for illegal ones.

    Args:
        scores: ``float32[B, A]``, logits.
        masks: ``bool[B, A]``, each row with a legal action.
    """
    return scores.masked_fill(~masks, -torch.inf).log_softmax(dim=1)


def values_of(end_scores: torch.Tensor) -> torch.Tensor:
    """Values for the Free Peoples, ``float32[B]``, from the scores of the ends, ``float32[B, NUM_ENDS]``."""
    return end_scores.softmax(dim=1) @ torch.tensor(END_VALUES, device=end_scores.device)
