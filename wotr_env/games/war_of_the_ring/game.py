"""War of the Ring as a ``GameKind``, and its class ``Game`` with further methods."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wotr_env.core import game as any_game
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import GivenChance, Step, Words
from wotr_env.core.kind import ActionSpace, Compiled, End, GameKind
from wotr_env.core.observation_layout import Layout
from wotr_env.core.seat_notation import KindPositions
from wotr_env.core.seats import check_seat, check_viewer
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS, Block, code_name
from wotr_env.games.war_of_the_ring.choice_tree import choice_tree
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Side, Winner
from wotr_env.games.war_of_the_ring.columns import COLUMNS, SHOWN
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.observation_encoding import encode
from wotr_env.games.war_of_the_ring.engine.observation_layout import At
from wotr_env.games.war_of_the_ring.environments import ENVIRONMENTS
from wotr_env.games.war_of_the_ring.events import Event, Trace, learners, shared_trace_of, trace_of
from wotr_env.games.war_of_the_ring.given_chance import (
    check_tape,
    explain_misfit,
    left,
    next_request,
    used,
    with_tape,
)
from wotr_env.games.war_of_the_ring.kernels import RULES
from wotr_env.games.war_of_the_ring.luck import LUCK
from wotr_env.games.war_of_the_ring.observation import ENTITIES, LAYOUT, as_dict, observe
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.result import Result
from wotr_env.games.war_of_the_ring.rules.chance import seed_chance
from wotr_env.games.war_of_the_ring.rules.flow import apply, run
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE, deciding_side
from wotr_env.games.war_of_the_ring.ruleset import EDITIONS, FIRST_EDITION, Ruleset, RulesetLike
from wotr_env.games.war_of_the_ring.seating import TEAMS
from wotr_env.games.war_of_the_ring.state import NUM_SEATS, STATE
from wotr_env.games.war_of_the_ring.vector import VectorGame
from wotr_env.games.war_of_the_ring.winners import winning_seats
from wotr_env.games.war_of_the_ring.words.board import board
from wotr_env.games.war_of_the_ring.words.choices import PIECES
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_env.games.war_of_the_ring.words.positions import describe, hand_text, victory_points
from wotr_env.games.war_of_the_ring.words.proper_names import PROPER_NAMES

if TYPE_CHECKING:
    from wotr_env.cuda.machines import Machine
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame
    from wotr_env.games.war_of_the_ring.render.view import View

RULES_VERSION = 4
"""Must change whenever the same seed and actions lead to a different game; records of other versions are
rejected."""
_NAME = "war-of-the-ring"


class Game(any_game.Game):
    """A single game of War of the Ring: its legal actions, and steps.

    Args:
        seed: the seed of all random outcomes of the game, 0 <= seed < 2**63.
        ruleset: the edition and options: a ``Ruleset``, its ``to_dict``, or a spec such as
            ``second:null_events=false``.

    Raises:
        ValueError: the seed is not an integer or is out of range, or the ruleset is unknown.
    """

    __slots__ = ()

    def __init__(self, seed: int = 0, ruleset: RulesetLike = FIRST_EDITION) -> None:
        super().__init__(WAR_OF_THE_RING, seed, ruleset)

    @classmethod
    def from_state(cls, state: np.ndarray | np.record, ruleset: RulesetLike | None = None) -> Self:
        """A game that starts from a position, which may be set up by hand.

        Args:
            state: one record of dtype ``STATE``; copied. If no decision is pending, it is run to the next
                decision.
            ruleset: replaces the options inside the state; by default they are kept.

        Raises:
            TypeError: the state is not a record of ``STATE``.
            ValueError: the position breaks an invariant of the game; the message names it.
            StateError: the rules cannot continue from the position; the message names a field.
        """
        if getattr(state, "dtype", None) != STATE or np.size(state) != 1:
            raise TypeError("a state is one record of dtype STATE, such as game.state")
        states = np.empty(1, dtype=STATE)
        states[0] = np.asarray(state).reshape(1)[0]
        return cls.begun(WAR_OF_THE_RING, states, ruleset)

    @staticmethod
    def from_position(text: str, seed: int | None = None, ruleset: RulesetLike | None = None) -> Game:
        """A game that starts from a position written as one line of text (``position``).

        Args:
            text: the position, such as ``war-of-the-ring:4-9c1f:all:...``.
            seed: seed of future dice, and of the information hidden in a seat's position, 0 <= seed < 2**63.
                By default, both come from the text.
            ruleset: replaces the options of the text; by default they are kept.

        Raises:
            ValueError: the text is not a position of this game, is damaged, or the position breaks an
                invariant.
            StateError: the rules cannot continue from the position.
        """
        return POSITIONS.read(text, seed, ruleset)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The game saved by ``to_bytes``.

        Raises:
            TypeError: the data are not bytes.
            ValueError: the data are damaged or were written by another version of this package.
        """
        return cls.of_bytes(WAR_OF_THE_RING, data)

    @property
    def ruleset(self) -> Ruleset:
        """The rules of this game."""
        return self._ruleset

    @property
    def result(self) -> Result | None:
        """The result; None while the game is not over."""
        return Result.of(self._states[0])

    @property
    def side(self) -> Side:
        """The side of the deciding seat; the value has no meaning when the game is over."""
        return Side(SEAT_SIDE[self.seat])

    @property
    def decision(self) -> Decision:
        """The kind of the pending decision; ``Decision.NONE`` when the game is over."""
        return Decision.NONE if self.over else Decision(int(self._states[0]["decision"]))

    def trace(self, action: int | str) -> Trace:
        """Plays a legal action on a copy, move by move; the game is unchanged.

        Raises:
            IllegalAction, ValueError: for the same reasons as in ``step``.
        """
        action = self._check_action(action)
        try:
            return trace_of(self._states[0], action)
        except ValueError:
            self._explain_tape(self._states[0], action)
            raise

    def events(self, seat: int | str | None = None) -> list[Event]:
        """The events of the last step from the view of a seat (``events``); None: all events.

        Empty before the first step, and in a loaded game.

        Raises:
            ValueError: there is no such seat.
        """
        seat = None if seat is None else check_seat(seat, self._ruleset.seats)
        if self._before is None:
            return []
        return trace_of(self._before[0], self._actions[-1]).events(seat)

    def render(self, seat: int | str | None = PUBLIC) -> View:
        """Returns a view of the position: notebooks draw the view, ``print`` shows it in words, and ``save``
        writes it to a file.

        Args:
            seat: the viewer, a seat by its number or name; ``PUBLIC`` or ``public``: public information; None
                or ``all``: everything, including all hands.

        Raises:
            ValueError: there is no such seat.
        """
        from wotr_env.games.war_of_the_ring.render.view import (
            View,  # pictures are not needed by those who never look
        )

        return View(self._states[0], check_viewer(seat, self._ruleset.seats))

    def _repr_html_(self) -> str:
        return self.render().html

    def __repr__(self) -> str:
        state = self._states[0]
        if self.over:
            return f"<Game over in turn {int(state['turn'])}: {Winner(int(state['winner'])).name}>"
        return f"<Game turn {int(state['turn'])}: {self.side.name}, {self.decision.name}>"


class _Kernels:
    """The compiled rules, an implementation of ``Kernels``."""

    def prepare(self) -> None:
        RULES.prepare()

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: Ruleset) -> None:
        kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)

    step = staticmethod(kernel.step)
    refresh = staticmethod(kernel.refresh)
    observe = staticmethod(observe)
    sample_worlds = staticmethod(kernel.sample_worlds)

    def note(self, states: np.ndarray, end_records: np.ndarray, rows: np.ndarray) -> None:
        turns = end_records["mordor_turn"]
        entered = rows[(states["mordor_step"][rows] > 0) & (turns[rows] == 0)]
        turns[entered] = states["turn"][entered]

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        for name in ("winner", "reason", "turn", "corruption", "mordor_step"):
            end_records[name] = states[name]
        points = np.array([victory_points(state) for state in states], dtype=np.int8).reshape(-1, len(Side))
        end_records["free_peoples_points"] = points[:, Side.FREE_PEOPLES]
        end_records["shadow_points"] = points[:, Side.SHADOW]

    def check(self, states: np.ndarray) -> None:
        kernel.check(states)
        check_batch(states)


def _winners(states: np.ndarray) -> np.ndarray:
    """The seats that win, alone or together (R13.8), in games with the same number of players."""
    seats = int(states["options"][0, Option.PLAYERS]) if states.size else 0
    return winning_seats(states)[:, :seats]


def _events(state: np.record, action: int, seat: int | None) -> Step:
    trace = shared_trace_of(state, action)
    return Step([event.to_dict() for event in trace.events(seat)], tell(trace, seat))


def _worth(end: Reason) -> float:
    """The value of an end for the Free Peoples."""
    good = end in (Reason.RING_DESTROYED, Reason.FREE_PEOPLES_MILITARY)
    bad = end in (Reason.CORRUPTION, Reason.SHADOW_MILITARY)
    return float(good) - float(bad)


def _blocks() -> dict[str, range]:
    """The blocks of the actions by name."""
    firsts = [*Block, NUM_ACTIONS]
    return {block.name.lower(): range(block, after) for block, after in itertools.pairwise(firsts)}


def _device_games(number: int, seed: int, ruleset: Any, machine: Machine) -> DeviceGame:
    from wotr_env.games.war_of_the_ring.device.game import DeviceGame  # not before somebody wants a GPU

    return DeviceGame(number, machine, seed, ruleset)


def _device_machine(number: int | None) -> Machine:
    from wotr_env.games.war_of_the_ring.device.driver import gpu
    from wotr_env.games.war_of_the_ring.device.emulation import EmulatedMachine

    return EmulatedMachine() if number is None else gpu(number)


POSITIONS = KindPositions(_NAME, RULES_VERSION, STATE, lambda: WAR_OF_THE_RING, Game, chance=True)
"""The text form of positions."""

WAR_OF_THE_RING = GameKind(
    name=_NAME,
    title="War of the Ring",
    rules_version=RULES_VERSION,
    teams=TEAMS,
    ends=tuple(
        End(end.name.lower(), _worth(end), end == Reason.TURN_LIMIT) for end in Reason if end != Reason.NONE
    ),
    state=STATE,
    columns=COLUMNS,
    shown=SHOWN,
    ruleset=Ruleset,
    rulesets={name: make() for name, make in EDITIONS.items()},
    endless=True,
    environments=ENVIRONMENTS,
    result=Result,
    actions=ActionSpace(ACTION_NAMES, _blocks()),
    layout=Layout(LAYOUT, range(At.DECISION, At.DECISION + len(Decision)), as_dict, True, ENTITIES),
    kernels=_Kernels(),
    compiled=Compiled(RULES, apply, run, seed_chance, deciding_side, encode, NUM_SEATS),
    game=Game,
    games=lambda number, seed, ruleset, threads=1, auto_reset=True: VectorGame(
        number, seed, threads, ruleset, auto_reset
    ),
    start_functions=((kernel, "new_games"), (kernel, "episode_seeds")),
    device_games=_device_games,
    device_machine=_device_machine,
    words=Words(describe, decision_text, say, hand=hand_text, board=board, pieces=PIECES),
    events=_events,
    winners=_winners,
    picture=picture,
    decision=lambda state: code_name(Decision(int(state["decision"]))),
    openings=frozenset({code_name(Decision.ACTION_DIE)}),
    choice_tree=choice_tree,
    learners=lambda state, action: learners(shared_trace_of(state, action)),
    luck=LUCK,
    given_chance=GivenChance(next_request, check_tape, with_tape, used, left, explain_misfit),
    positions=POSITIONS.contract(),
    proper_names=PROPER_NAMES,
)
