"""The configurations of training runs; separate from training, so that the command line starts without
torch."""

from __future__ import annotations

import dataclasses
import itertools
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.ranges import check_above, check_at_least, check_within
from wotr_agents.registry import parse_spec, starts_program
from wotr_env.core.codes import PUBLIC
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.core.seats import VIEWS, Team, check_team
from wotr_env.core.spelling import canonical_name, did_you_mean, known_names
from wotr_env.play.games import DEFAULT_GAME, game_kind

ANCHORS = ("random", "scripted")
"""The default anchors; an anchor is used only if it plays the game."""


START_FROM_BOT, START_ANEW = "bot", "none"
"""Special values of ``start`` for best responses: the bot's own network, or a new one."""
TRAIN_MAY_CHANGE = (
    "decisions",
    "workers",
    "evaluate_every",
    "evaluate_games",
    "checkpoint_every",
    "past_every",
)
"""Options of a training run that may change on resume."""
EXPLOIT_MAY_CHANGE = ("at", "workers")
"""Options of best responses that may change on resume; ``at`` may only be extended."""
_TEAMS_OF_CRITIC = 2
"""The winning chance of one team is the other's chance of losing."""
_STEEPEST = 1.0
"""Maximal learning rate; nothing was ever learned with this one."""
_MOST_DECISIONS = 2**24
"""Maximal number of decisions between two updates; their observations alone need 80 GB."""


@dataclasses.dataclass(frozen=True)
class PpoConfig:
    """The settings of PPO.

    Raises:
        ValueError: a number is out of range.
    """

    PANELS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Optimiser": (
            "epochs",
            "minibatch_size",
            "learning_rate",
            "clip_range",
            "gae_lambda",
            "value_lambda",
            "entropy_coefficient",
            "kl_coefficient",
            "values_first",
            "policy_share",
            "value_share",
            "value_coefficient",
            "critic",
            "critic_lambda",
            "critic_coefficient",
            "foresees",
            "foresight_coefficient",
            "max_gradient_norm",
            "ema_decay",
        )
    }
    """Fields by headings of the help, for ``wotr_experiments.cli.config_options``."""
    decisions: int = 200_000_000
    """Length of the run: total number of decisions over all games, such as 2e8."""
    games: int = 1024
    """Number of games played at the same time."""
    steps: int = 64
    """Decisions per game between two updates."""
    workers: int = 2
    """Number of threads, over all processes. Each plays some of the games and computes their gradients. A
    different number gives different games."""
    epochs: int = 1
    """Number of passes over the decisions of an update."""
    minibatch_size: int = 8192
    """Decisions per minibatch."""
    learning_rate: float = 6e-4
    """Learning rate at the start. It falls linearly to a tenth at the end."""
    clip_range: float = 0.15
    """PPO clip range: the ratio of an action's new to its old probability is clipped to 1 plus or minus this
    value."""
    gae_lambda: float = 0.95
    """Lambda of the lambda-returns."""
    value_lambda: float | None = None
    """Lambda of the lambda-returns that are the targets of the values. By default --gae-lambda."""
    entropy_coefficient: float = 0.02
    """Weight of the entropy bonus at the start. It falls to a tenth at the end."""
    kl_coefficient: float = 0.1
    """Weight of the KL penalty towards the policy that played the games."""
    values_first: int = 0
    """Number of decisions at the start from which only the values are trained, so that untrained values do
    not mislead the policy."""
    policy_share: float = 0.75
    """Share of the decisions from which the policy learns: those with the largest absolute advantages."""
    value_share: float = 0.75
    """Share of the decisions from which the values learn, drawn at random."""
    value_coefficient: float = 1.0
    """Weight of the value loss; the policy loss has weight 1."""
    critic: bool = False
    """Learn from a critic: a layer that predicts the winning chance after each legal action from the
    information of all seats. The advantage of an action is its return minus the mean winning chance under
    the policy."""
    critic_lambda: float = 0.95
    """Lambda of the targets of the critic (Expected SARSA)."""
    critic_coefficient: float = 1.0
    """Weight of the loss of the critic; the policy loss has weight 1."""
    foresees: tuple[str, ...] = ()
    """A part of the observation, such as corruption, that the network also learns to predict (an auxiliary
    task): its value at the last decision of the team in the game."""
    foresight_coefficient: float = 0.5
    """Weight of the loss of --foresee; the policy loss has weight 1."""
    max_gradient_norm: float = 1.0
    """Maximal norm of a gradient; longer gradients are scaled down."""
    ema_decay: float = 0.998
    """Decay of the exponential moving average of the weights, per step of the optimiser."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "foresees", tuple(self.foresees))
        check_at_least(1, self, "decisions", "games", "steps", "workers", "epochs", "minibatch_size")
        if self.games % self.workers:
            raise ValueError(f"{self.games} games cannot be shared evenly by {self.workers} workers")
        check_within(0, 1, self, "gae_lambda", "critic_lambda", "policy_share", "value_share", "ema_decay")
        if self.value_lambda is not None:
            check_within(0, 1, self, "value_lambda")
        check_above(0, self, "learning_rate", "clip_range", "value_coefficient", "max_gradient_norm")
        check_at_least(
            0,
            self,
            "entropy_coefficient",
            "kl_coefficient",
            "values_first",
            "critic_coefficient",
            "foresight_coefficient",
        )
        check_within(0, _STEEPEST, self, "learning_rate")
        if self.games * self.steps > _MOST_DECISIONS:
            raise ValueError(
                f"{self.games} games of {self.steps} steps are more than {_MOST_DECISIONS} decisions at once"
            )


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """The settings of a training run.

    Raises:
        ValueError: a number is out of range or a name is unknown.
    """

    PANELS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Network": ("start", "start_temperature"),
        "Opponents": (
            "opponents",
            "opponents_share",
            "past_share",
            "past_every",
            "expert",
            "expert_decisions",
            "expert_follow",
        ),
        "Evaluation": ("anchors", "evaluate_every", "evaluate_games"),
    }
    """Like ``PpoConfig.PANELS``."""
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    ppo: PpoConfig = dataclasses.field(default_factory=PpoConfig)
    seed: int = 1
    side: str = "both"
    """Teams that learn: ``both`` (all teams), or the name of one, such as ``free-peoples`` or ``shadow``."""
    opponents: tuple[str, ...] = ()
    """Spec of a bot that plays one team in a share of the games; the team alternates."""
    opponents_share: float = 0.3
    """Share of the games against the bots of --opponent. If one side learns alone, all games are against
    them."""
    past_share: float = 0.15
    """Share of the games against past versions of the network."""
    expert: str = ""
    """Spec of a bot that the network imitates at first. For expert iteration, its parameter ``net=self`` is
    the network of the last checkpoint."""
    expert_decisions: int = 0
    """Number of decisions during which the network imitates the expert."""
    expert_follow: float = 0.5
    """Share of these decisions in which the expert's action is played."""
    start: str = ""
    """Network to start from, instead of a new one. By default its size is kept; a larger size enlarges it."""
    start_temperature: float = 1.0
    """Temperature by which the logits of the first network are divided. A value below 1 makes its policy more
    decisive."""
    anchors: tuple[str, ...] = ()
    """Spec of a bot to play evaluations against. Elo is relative to the last anchor. By default random, then
    scripted if it plays the game."""
    evaluate_every: int = 200
    """Number of updates between evaluations."""
    evaluate_games: int = 100
    """Games per evaluation against each anchor on each side."""
    checkpoint_every: int = 50
    """Number of updates between checkpoints."""
    past_every: int = 200
    """Number of updates between past versions that are kept as opponents."""
    game: str = DEFAULT_GAME
    """Name of the game."""
    ruleset: str = ""
    """Ruleset: an edition and the options that differ from it, such as second. By default the game's first
    edition."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "side", _side_named(self.side, self.kind.teams_of(self.rules)))
        if self.side != "both" and not self.opponents:
            raise ValueError("one side alone needs an opponent: give --opponent")
        check_within(0, 1, self, "opponents_share", "past_share", "expert_follow")
        check_above(0, self, "start_temperature")
        if self.opponents and self.opponents_share + self.past_share > 1:
            raise ValueError("opponents_share and past_share must sum to at most 1")
        for spec in filter(starts_program, (*self.opponents, *self.anchors, self.expert)):
            raise ValueError(
                f"a training run may not start a program, because its folder may come from others: {spec}"
            )
        if not self.anchors:
            anchors = tuple(name for name in ANCHORS if parse_spec(name)[0].plays(self.game))
            object.__setattr__(self, "anchors", anchors)
        parts = [field.name for field in self.kind.layout.fields]
        for part in self.ppo.foresees:
            if part not in parts:
                known = ", ".join(sorted(set(parts)))
                similar = did_you_mean(part, parts)
                raise ValueError(f"the observation has no part {part}{similar}; known: {known}")
        if bool(self.expert) != (self.expert_decisions > 0):
            raise ValueError("give both an expert and expert_decisions, or neither")
        if self.ppo.critic and self.expert:
            raise ValueError("a critic does not learn from the actions of an expert: leave out one of them")
        if self.ppo.critic and len(self.kind.teams_of(self.rules)) > _TEAMS_OF_CRITIC:
            raise ValueError("a critic needs a game of two teams")
        check_at_least(1, self, "evaluate_every", "evaluate_games", "checkpoint_every", "past_every")

    @property
    def kind(self) -> GameKind:
        """The game."""
        return game_kind(self.game)

    @property
    def rules(self) -> Any:
        """The ruleset."""
        return self.kind.find_ruleset(self.ruleset)

    @property
    def teams(self) -> tuple[int, ...]:
        """The teams that learn."""
        names = self._team_names
        return tuple(range(len(names))) if self.side == "both" else (names.index(self.side),)

    @property
    def _team_names(self) -> list[str]:
        return [canonical_name(team.name) for team in self.kind.teams_of(self.rules)]

    def to_dict(self) -> dict[str, Any]:
        """The configuration for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> TrainConfig:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: a setting is missing, unknown or out of range.
        """
        try:
            values = dict(found)
            values["network"] = NetworkConfig(**values["network"])
            values["ppo"] = PpoConfig(**values["ppo"])
            for name in ("opponents", "anchors"):
                values[name] = tuple(values[name])
            return cls(**values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"it is not the configuration of a training run: {reason(error)}") from None


def short_training(decisions: int, seed: int) -> TrainConfig:
    """A run of about a minute: a small network with the scripted policy's advice."""
    return TrainConfig(
        network=NetworkConfig(width=128, hidden=128, advice=True),
        ppo=PpoConfig(decisions=decisions, games=512, minibatch_size=4096),
        seed=seed,
        opponents=("scripted", "random"),
        evaluate_games=20,
    )


@dataclasses.dataclass(frozen=True)
class ExploitConfig:
    """The settings of best responses to a fixed bot, which are trained one side at a time.

    Raises:
        ValueError: a number is out of range or a name is unknown.
    """

    PANELS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Network": ("start", "start_temperature"),
        "Optimiser": (
            "epochs",
            "minibatch_size",
            "learning_rate",
            "gae_lambda",
            "entropy_coefficient",
            "values_first",
            "ema_decay",
        ),
        "Evaluation": ("at", "evaluate_games"),
    }
    """Like ``PpoConfig.PANELS``."""
    side: str = "both"
    """Teams whose responses are trained, one after the other: ``both`` (all teams), or the name of one, such
    as ``free-peoples`` or ``shadow``."""
    at: str = "3e6,10e6,30e6"
    """Numbers of decisions after which a response is evaluated, separated by commas, including the bot's
    decisions. Training ends at the last number."""
    evaluate_games: int = 400
    """Games per evaluation, with seeds that are not used in training."""
    start: str = START_FROM_BOT
    """Network to start from: a network, bot (the network of the bot, or a new one if it has none), or none (a
    new one)."""
    start_temperature: float = 0.25
    """Temperature by which the logits of this network are divided. A value below 1 makes its policy more
    decisive."""
    network: NetworkConfig = dataclasses.field(default_factory=lambda: NetworkConfig(hidden=256, advice=True))
    games: int = 256
    """Number of games played at the same time."""
    steps: int = 256
    """Decisions per game between two updates."""
    workers: int = 2
    """Number of threads that play, learn and evaluate. A different number gives different games."""
    epochs: int = 1
    """Number of passes over the decisions of an update."""
    minibatch_size: int = 4096
    """Decisions per minibatch."""
    learning_rate: float = 6e-4
    """Learning rate at the start. It falls linearly to a tenth at the end."""
    gae_lambda: float = 0.99
    """Lambda of the lambda-returns: 1 uses only the result of the game, 0 only the next value."""
    entropy_coefficient: float = 0.005
    """Weight of the entropy bonus at the start. It falls to a tenth at the end."""
    values_first: int = 800_000
    """Number of decisions at the start from which only the values are trained, so that values that do not yet
    fit the opponent do not mislead the policy."""
    ema_decay: float = 0.99
    """Decay of the exponential moving average of the weights, per step of the optimiser. The averaged weights
    are evaluated."""
    seed: int = 1
    game: str = DEFAULT_GAME
    """Name of the game."""
    ruleset: str = ""
    """Ruleset: an edition and the options that differ from it, such as second. By default the game's first
    edition."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", ",".join(map(str, _milestones(self.at))))
        kind = game_kind(self.game)
        side = _side_named(self.side, kind.teams_of(kind.find_ruleset(self.ruleset)))
        object.__setattr__(self, "side", side)
        check_at_least(1, self, "evaluate_games")
        self.training("random")
        if self.values_first >= self.milestones[-1]:
            raise ValueError(
                f"values_first is {self.values_first:,}, but training ends after {self.milestones[-1]:,} "
                "decisions (at), so the policy would never be trained: give a smaller --values-first"
            )

    @property
    def milestones(self) -> tuple[int, ...]:
        """The numbers of decisions in ``at``, ascending."""
        return tuple(map(int, self.at.split(",")))

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the sides whose responses are trained, in order."""
        kind = game_kind(self.game)
        teams = kind.teams_of(kind.find_ruleset(self.ruleset))
        names = tuple(canonical_name(team.name) for team in teams)
        return names if self.side == "both" else (self.side,)

    def training(
        self, bot: str, side: str = "", start: str = "", network: NetworkConfig | None = None
    ) -> TrainConfig:
        """The configuration of the run that trains one response.

        Args:
            bot: the spec of the bot.
            side: the side of the response; by default the first one.
            start: the network to start from; by default none.
            network: the size of the network; by default that of the configuration.
        """
        return TrainConfig(
            network=network or self.network,
            ppo=PpoConfig(
                decisions=self.milestones[-1],
                games=self.games,
                steps=self.steps,
                workers=self.workers,
                epochs=self.epochs,
                minibatch_size=self.minibatch_size,
                learning_rate=self.learning_rate,
                gae_lambda=self.gae_lambda,
                entropy_coefficient=self.entropy_coefficient,
                values_first=self.values_first,
                ema_decay=self.ema_decay,
            ),
            seed=self.seed,
            side=side or (self.side if self.side != "both" else self.sides[0]),
            opponents=(bot,),
            opponents_share=1.0,
            past_share=0.0,
            start=start,
            start_temperature=self.start_temperature,
            anchors=(bot,),
            evaluate_every=50,
            checkpoint_every=10,
            past_every=_MOST_DECISIONS,
            game=self.game,
            ruleset=self.ruleset,
        )

    def to_dict(self) -> dict[str, Any]:
        """The configuration for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> ExploitConfig:
        """The inverse of ``to_dict``; also reads files of version 0.1, where ``games`` was called ``batch``.

        Raises:
            ValueError: a setting is missing, unknown or out of range.
        """
        try:
            found = {**found, "network": NetworkConfig(**found["network"])}
            if "batch" in found:
                found["evaluate_games"], found["games"] = found["games"], found.pop("batch")
            return cls(**found)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"it is not the configuration of best responses: {reason(error)}") from None


def _side_named(side: str, teams: Sequence[Team]) -> str:
    """``both``, or the name of a team in its printed form."""
    if VIEWS.get(canonical_name(side), PUBLIC) is None:
        return "both"
    try:
        return canonical_name(teams[check_team(side, teams)].name)
    except ValueError:
        known = known_names(team.name for team in teams)
        raise ValueError(f"side must be both, {known}, not {side!r}") from None


def _milestones(text: str) -> tuple[int, ...]:
    """Parses numbers separated by commas, such as 3e6,10e6; raises ValueError if they are invalid or not
    ascending."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(math.isfinite(each) and each == int(each) and each >= 1 for each in numbers):
        raise ValueError(f"at must be numbers of decisions such as 3e6,10e6,30e6, not {text!r}")
    if any(later <= before for before, later in itertools.pairwise(numbers)):
        raise ValueError(f"at must be ascending numbers of decisions, not {text!r}")
    return tuple(map(int, numbers))


def options_text(changes: Iterable[tuple[str, Any]]) -> str:
    """Options with values as on the command line, such as ``--advice --width 512``."""
    words = []
    for name, value in changes:
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{option.removeprefix('--')}")
        else:
            words += [option, str(value)]
    return shlex.join(words)


def changes_of(config: Any, default: Any, called: str = "") -> list[tuple[str, Any]]:
    """The options in which a configuration differs from another, with their values.

    Args:
        config: a configuration.
        default: a configuration of the same class.
        called: the name of the field that holds both configurations, if they are nested.
    """
    found = []
    for field in dataclasses.fields(config):
        value, usual = getattr(config, field.name), getattr(default, field.name)
        if dataclasses.is_dataclass(value):
            found += changes_of(value, usual, field.name)
        elif value != usual:
            found.append((called if field.name == "kind" else field.name, value))
    return found
