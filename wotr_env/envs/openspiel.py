"""An adapter of every ``GameKind`` to OpenSpiel (extra ``openspiel``), with one game class and one state
class.

    import pyspiel
    import wotr_env.envs.openspiel  # registers every installed game

    game = pyspiel.load_game("wotr_duel")
    state = game.new_initial_state()

The players are the seats of the ruleset, and the actions have their usual ids. Chance is explicit. The first
chance nodes give the digits of the seed; the game then starts like ``GameKind.game(seed)``. Each action with
random effects (``GameKind.luck``), such as dice or drawn cards, is followed by one chance node. The outcomes
of a chance node are equally likely, and each resamples all future random outcomes. So the outcomes of a node
are a sample from the distribution of the rules, not the distribution itself, and ``apply_action`` is
deterministic.

States are copied and serialised as bytes. OpenSpiel serialises Python games with ``pickle``: do not load a
state that you do not trust.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel  # pyright: ignore[reportMissingImports]

from wotr_env.core.codes import GOING_ON
from wotr_env.core.errors import IllegalAction
from wotr_env.core.kind import GameKind
from wotr_env.core.luck import NO_SOURCE
from wotr_env.core.seat_notation import possible_world
from wotr_env.core.states import bytes_of, copy_states, state_hash
from wotr_env.envs.kind_game import RulesetLike, kind_of, rewards_of
from wotr_env.play.games import game_kinds

CHANCE_OUTCOMES = 256
"""Default number of outcomes of a chance node."""
MAX_CHANCE_OUTCOMES = 1 << 16
SEED_BITS = 32
"""Minimal number of bits of the seed that the first chance nodes determine."""
MAX_GAME_LENGTH = 1_000_000
"""Upper bound of decisions per game, for OpenSpiel; ``GameKind`` has none. The longest random games, those of
War of the Ring, take about 4,000 decisions."""
_PREFIX = "wotr_"
_STREAM = ("key", "counter")
"""The fields of a state from which ``core.chance`` draws."""
_REGISTERED: dict[str, GameKind] = {}
"""The registered games, by their short names."""


def register(game: str | GameKind) -> str:
    """Registers a game with OpenSpiel, once; importing this module registers every installed game.

    Args:
        game: name of the game, or its ``GameKind``.

    Returns:
        The short name for ``pyspiel.load_game``, such as ``wotr_duel``.

    Raises:
        ValueError: there is no such game, another game has its short name, or the game has no
            ``GameKind.luck``.
    """
    kind = kind_of(game)
    short_name = _PREFIX + kind.name.replace("-", "_")
    if _REGISTERED.get(short_name, kind) is not kind:
        raise ValueError(f"OpenSpiel already knows another game as {short_name}")
    if short_name not in _REGISTERED:
        if kind.luck is None:
            raise ValueError(f"{kind.title} cannot resample its random outcomes: it has no GameKind.luck")
        # A class, not a function: OpenSpiel drops its reference after Python has ended, which aborts the
        # process where it is the last one. Nothing frees a class before.
        of_kind = type(short_name, (KindSpielGame,), {"kind": kind, "short_name": short_name})
        pyspiel.register_game(_type_of(kind, short_name, None), of_kind)
        _REGISTERED[short_name] = kind
    return short_name


def load(
    game: str | GameKind, ruleset: RulesetLike | None = None, chance_outcomes: int = CHANCE_OUTCOMES
) -> KindSpielGame:
    """Loads a game for OpenSpiel, and registers the game if needed.

    Args:
        game: name of the game, or its ``GameKind``.
        ruleset: a ruleset of the game, its ``to_dict``, or a spec such as ``open``; None: the default
            ruleset.
        chance_outcomes: number of outcomes of each chance node, from 2 to 65,536.

    Raises:
        ValueError: there is no such game or ruleset, or a number is out of range.
    """
    kind, short_name = kind_of(game), register(game)
    spec = kind.spec_of(kind.read_ruleset(ruleset))
    return pyspiel.load_game(short_name, {"ruleset": escaped(spec), "chance_outcomes": chance_outcomes})


def escaped(spec: str) -> str:
    """A spec as a parameter of OpenSpiel, whose strings cannot contain ``=`` and ``,``.

    ``second:max_turns=40,players=4`` becomes ``second;max_turns:40;players:4``.
    """
    name, _, changes = spec.partition(":")
    return ";".join(filter(None, (name, changes.replace("=", ":").replace(",", ";"))))


def unescaped(text: str) -> str:
    """The inverse of ``escaped``; a spec in its usual form stays as it is."""
    if ";" not in text:
        return text
    name, _, changes = text.partition(";")
    return f"{name}:{changes.replace(':', '=').replace(';', ',')}"


class KindSpielGame(pyspiel.Game):
    """A game with a ruleset; ``register`` makes a subclass for each ``kind``.

    Attributes:
        ruleset: the ruleset.
        chance_outcomes: number of outcomes of each chance node.
        seed_nodes: number of chance nodes at the start; their outcomes are the digits of the seed, highest
            first.

    Args:
        params: ``ruleset``, a spec in the form of ``escaped`` (empty: the default), and ``chance_outcomes``.

    Raises:
        ValueError: there is no such ruleset, or the number of outcomes is out of range.
    """

    kind: GameKind
    short_name: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        kind, params = self.kind, dict(params or {})
        self.ruleset = kind.find_ruleset(unescaped(params.get("ruleset", "")))
        self.chance_outcomes = outcomes = params.get("chance_outcomes", CHANCE_OUTCOMES)
        if not 2 <= outcomes <= MAX_CHANCE_OUTCOMES:
            raise ValueError(f"chance_outcomes must be from 2 to {MAX_CHANCE_OUTCOMES:,}, not {outcomes!r}")
        self.seed_nodes = -(-SEED_BITS // (outcomes.bit_length() - 1))
        params["ruleset"] = escaped(kind.spec_of(self.ruleset))
        worths = _worths(kind, self.ruleset)
        info = pyspiel.GameInfo(
            num_distinct_actions=kind.actions.size,
            max_chance_outcomes=outcomes,
            num_players=len(self.ruleset.seats),
            min_utility=float(worths.min()),
            max_utility=float(worths.max()),
            utility_sum=_utility_sum(worths),
            max_game_length=MAX_GAME_LENGTH,
        )
        kind.kernels.prepare()
        super().__init__(_type_of(kind, self.short_name, self.ruleset), info, params)

    def new_initial_state(self) -> KindSpielState:
        """The state before the first chance node."""
        return KindSpielState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> KindObserver | None:
        """Returns an observer of the current observation; None for types of observations that ``GameKind``
        does not have.

        Args:
            iig_obs_type: a ``pyspiel.IIGObservationType``; only the default type has an observer: public and
                single-player information without perfect recall.
            params: must be empty.

        Raises:
            ValueError: parameters are given.
        """
        if params:
            raise ValueError(f"observers have no parameters, but got {', '.join(params)}")
        seen = iig_obs_type is None or (
            iig_obs_type.public_info
            and not iig_obs_type.perfect_recall
            and iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        )
        return KindObserver(self.kind) if seen else None

    def max_chance_nodes_in_history(self) -> int:
        """An upper bound: one node per decision, and the nodes of the seed."""
        return MAX_GAME_LENGTH + self.seed_nodes


class KindSpielState(pyspiel.State):
    """A position, or a chance node before a position.

    All attributes are immutable, so ``clone`` shares them.

    Args:
        game: the game.
    """

    def __init__(self, game: KindSpielGame) -> None:
        super().__init__(game)
        self._digits: tuple[int, ...] = ()
        """Digits of the seed, before the game has started."""
        self._position = self._mask = b""
        """The state and its legal actions (``bool[A]``), after the game has started."""
        self._pending: int | None = None
        """An action that waits for its chance node."""
        self._player: int = pyspiel.PlayerId.CHANCE

    @property
    def _game(self) -> Any:
        return self.get_game()

    @property
    def begun(self) -> bool:
        """Whether the seed is complete, so that there is a position."""
        return bool(self._position)

    def states(self) -> np.ndarray:
        """A copy of the position as ``kind.state[1]``; zeros before the game has started.

        At a chance node after an action, this is the position before the action.
        """
        states = np.zeros(1, dtype=self._game.kind.state)
        if self.begun:
            bytes_of(states)[0] = np.frombuffer(self._position, dtype=np.uint8)
        return states

    def current_player(self) -> int:
        """The deciding seat, ``CHANCE`` or ``TERMINAL``."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self._player == pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, _player: int) -> list[int]:
        """The ids of the legal actions of the deciding seat, ascending."""
        return np.flatnonzero(np.frombuffer(self._mask, dtype=np.bool_)).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their probabilities, which are all equal."""
        number = self._game.chance_outcomes
        return [(outcome, 1 / number) for outcome in range(number)]

    def _apply_action(self, action: int) -> None:
        """Plays a legal action or a chance outcome.

        Raises:
            IllegalAction: the action is illegal; the state is unchanged.
        """
        if self._player >= 0:
            self._decide(action)
            return
        if self.is_terminal() or not 0 <= action < self._game.chance_outcomes:
            raise IllegalAction(
                f"chance outcomes are from 0 to {self._game.chance_outcomes - 1}, not {action}"
            )
        if self._pending is None:
            self._spell(action)
        else:
            states = self.states()
            self._game.kind.chance.renew(states, self._renewal(action))
            self._go_on(*self._after(states, self._pending))

    def _spell(self, digit: int) -> None:
        """Adds a digit of the seed; the last one starts the game."""
        game, self._digits = self._game, (*self._digits, digit)
        if len(self._digits) < game.seed_nodes:
            return
        seed = 0
        for each in self._digits:
            seed = seed * game.chance_outcomes + each
        self._go_on(*game.kind.new_states([seed], game.ruleset))

    def _decide(self, action: int) -> None:
        """Plays a legal action without random effects. An action with random effects waits for a chance
        node."""
        actions = self._game.kind.actions
        if not 0 <= action < actions.size or not self._mask[action]:
            legal = ", ".join(actions.names[each] for each in self._legal_actions(self._player))
            raise IllegalAction(f"action {action} is illegal; legal: {legal}")
        before = self.states()
        after, masks = self._after(before, action)
        if _chance_decided(self._game.kind, before, after):
            self._pending, self._player = action, pyspiel.PlayerId.CHANCE
        else:
            self._go_on(after, masks)

    def _after(self, states: np.ndarray, action: int) -> tuple[np.ndarray, np.ndarray]:
        """The state and the mask after an action; does not change ``states``."""
        after, masks = copy_states(states), np.frombuffer(self._mask, dtype=np.bool_)[None].copy()
        self._game.kind.kernels.step(after, masks, np.array([action], dtype=np.int64))
        return after, masks

    def _renewal(self, outcome: int) -> np.ndarray:
        """The seed of a chance outcome (``uint64[1]``), derived from the position and the action."""
        told = self._position + b"".join(each.to_bytes(4, "little") for each in (self._pending or 0, outcome))
        return np.frombuffer(hashlib.blake2b(told, digest_size=8).digest(), dtype=np.uint64)

    def _go_on(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Continues with the next decision, or ends the game."""
        self._position, self._mask, self._pending = states.tobytes(), masks.tobytes(), None
        over = int(states["winner"][0]) != GOING_ON
        self._player = pyspiel.PlayerId.TERMINAL if over else int(states["seat"][0])

    def _action_to_string(self, player: int, action: int) -> str:
        """The name of an action with its meaning: ``face:army: use an Army die``.

        If the action is illegal for this player, the result is only its name.
        """
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}" if self.begun else f"seed digit {action}"
        kind = self._game.kind
        name = kind.actions.names[action]
        if player != self._player or not self._mask[action]:
            return name
        return f"{name}: {kind.words.action(self.states()[0], action)}"

    def returns(self) -> list[float]:
        """The returns of the seats; zeros before the end."""
        if not self.is_terminal():
            return [0.0] * len(self._game.ruleset.seats)
        return rewards_of(self._game.kind, self.states(), self._game.ruleset)[0].tolist()

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> KindSpielState:
        """A sampled state that a player cannot distinguish from this one.

        The history stays the same, so a replay of its chance outcomes may not lead to the sampled state.

        Args:
            player: the seat.
            rng: a function that returns uniform numbers from 0 (inclusive) to 1 (exclusive).

        Raises:
            ValueError: there is no such seat, or the state is a chance node.
        """
        game = self._game
        if not 0 <= player < len(game.ruleset.seats):
            raise ValueError(f"there is no player {player}")
        if self.is_chance_node():
            raise ValueError("a chance node cannot be resampled: no player decides there")
        other, states = self.clone(), possible_world(game.kind, self.states(), player, int(rng() * 2**53))
        other._go_on(states, game.kind.masks(states))
        return other

    def __str__(self) -> str:
        """The question, the position as text if the game supports it, and a hash of the state."""
        if not self.begun:
            return f"seed digits: {' '.join(map(str, self._digits))}".strip()
        kind, states = self._game.kind, self.states()
        lines = [kind.words.decision(states[0])]
        if self._pending is not None:
            lines = [f"chance of {kind.actions.names[self._pending]}"]
        if kind.positions is not None:
            lines.append(kind.positions.write(states[0], None))
        return "\n".join([*lines, state_hash(states)])


class KindObserver:
    """An OpenSpiel observer of the current state, without memory.

    Attributes:
        tensor: ``float32[D]``, the unscaled numbers of ``GameKind.layout``.
        dict: views of the parts of ``tensor`` by name, if the layout stores fields consecutively; otherwise
            only ``observation``.

    Args:
        kind: the game.
    """

    def __init__(self, kind: GameKind) -> None:
        self._kind = kind
        self.tensor = np.zeros(kind.layout.size, dtype=np.float32)
        self.dict = {"observation": self.tensor}
        if kind.layout.split is None:
            self.dict = kind.layout.named(self.tensor)

    def _seen(self, state: KindSpielState, player: int) -> np.ndarray:
        """The observation of a player, ``int8[D]``; zeros before the game has started."""
        if not state.begun:
            return np.zeros(len(self.tensor), dtype=np.int8)
        return self._kind.kernels.observe(state.states(), np.array([player], dtype=np.int64))[0]

    def set_from(self, state: KindSpielState, player: int) -> None:
        """Writes the observation of a player into ``tensor`` and ``dict``."""
        self.tensor[:] = self._seen(state, player)

    def string_from(self, state: KindSpielState, player: int) -> str:
        """The observation as text: one line per part with nonzero numbers, with their indices."""
        lines = []
        for name, part in self._kind.layout.named(self._seen(state, player)).items():
            values = part.reshape(-1)
            if places := np.flatnonzero(values).tolist():
                told = ", ".join(f"{place}={values[place]}" for place in places)
                lines.append(f"{name}: {values[0] if values.size == 1 else told}")
        return "\n".join([f"player {player}", *lines])


def _chance_decided(kind: GameKind, before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a step had random effects."""
    for name in _STREAM:
        if name in (kind.state.names or ()) and before[name].tobytes() != after[name].tobytes():
            return True
    return bool((kind.chance.stages(before, after) != NO_SOURCE).any())


def _worths(kind: GameKind, ruleset: Any) -> np.ndarray:
    """The utilities of all possible ends for each seat, floats ``[E, S]``."""
    ends = {end.name for end in kind.ends_of(ruleset)}
    comes = [end.name in ends for end in kind.ends]
    return kind.worths[comes][:, [seat.team for seat in ruleset.seats]]


def _utility_sum(worths: np.ndarray) -> float | None:
    """The sum of utilities over all seats, if it is the same for all ends; otherwise None."""
    sums = set(worths.sum(axis=1).tolist())
    return sums.pop() if len(sums) == 1 else None


def _type_of(kind: GameKind, short_name: str, ruleset: Any) -> Any:
    """The game type for OpenSpiel: before loading (ruleset None), or with a ruleset."""
    played = ruleset or kind.find_ruleset()
    utilities = pyspiel.GameType.Utility
    utility_sum = _utility_sum(_worths(kind, played))
    utility = utilities.GENERAL_SUM if utility_sum is None else utilities.CONSTANT_SUM
    players = [len(each.seats) for each in ([ruleset] if ruleset else kind.rulesets.values())]
    if ruleset is None and kind.compiled is not None:
        players.append(kind.compiled.seats)
    return pyspiel.GameType(
        short_name=short_name,
        long_name=kind.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utilities.ZERO_SUM if utility_sum == 0 else utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"ruleset": "", "chance_outcomes": CHANCE_OUTCOMES},
    )


for _kind in game_kinds().values():
    if _kind.luck is not None:
        register(_kind)
