"""``wotr check-bot --protocol``: checks whether a program follows the protocol of ``stdio:COMMAND``, for its
author.

The program receives all messages of a host with game histories. It runs as a child of this process, without
limits.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

import numpy as np

from wotr_agents.registry import parse_spec
from wotr_agents.stdio.bot import StdioParameters
from wotr_agents.stdio.messages import (
    Ready,
    WrongMessageError,
    decide,
    decisions_of,
    end_game,
    hello,
    name_of,
    new_game,
    read_action,
    read_actions,
    read_ready,
)
from wotr_agents.stdio.program import Program, ProgramError
from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError, NoActionError, view_of
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.check_bot import Check
from wotr_experiments.arena.schedule import find_game, find_ruleset
from wotr_experiments.errors import CommandError, one_line

_GAMES = 16
"""Number of random games from which the decisions are taken."""
_STEPS = 3_000
_OF_A_KIND = 3
"""Number of decisions of each kind that are sent."""
_ANSWER = 30.0
"""Time limit for an answer, in seconds."""
_LEAVING = 5.0
"""Time limit for the exit of the program, in seconds."""
_SILENT = 0.3
"""Seconds in which the program must send nothing."""


class _FailedError(Exception):
    """A check has failed, and later checks are impossible."""


def check_protocol(
    spec: str, seed: int | None = None, game: str = DEFAULT_GAME, ruleset: str | None = None
) -> list[Check]:
    """Checks a program by exchanging messages with it.

    Args:
        spec: spec of the bot, ``stdio:COMMAND``.
        seed: seed of the games and of the program; None: random.
        game: the name of the game.
        ruleset: spec of the ruleset.

    Raises:
        BotError: the spec is wrong.
        CommandError: the spec is for another bot, or the game or ruleset is unknown.
    """
    kind = find_game(game)
    parameters = parse_spec(spec, game)[1]
    if not isinstance(parameters, StdioParameters):
        raise CommandError(f"--protocol is for stdio:COMMAND, not for {spec}")
    seed = secrets.randbelow(2**32) if seed is None else seed % 2**32
    states, masks = _some_of_each_kind(kind, find_ruleset(kind, ruleset), seed)
    trial = _Trial(kind, parameters, seed, states, masks)
    try:
        trial.run()
    except _FailedError:
        pass
    finally:
        trial.end()
    return trial.checks


def _some_of_each_kind(kind: GameKind, rules: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """States and masks from random games, with some decisions of each kind that occurs."""
    rng = np.random.default_rng(seed)
    states, masks = kind.new_states(rng.integers(0, 2**62, _GAMES), rules)
    found: dict[int, int] = {}
    kept_states, kept_masks = [], []
    for _ in range(_STEPS):
        playing = np.flatnonzero(states["winner"] == GOING_ON)
        if not playing.size:
            break
        observed = kind.kernels.observe(states, states["seat"].copy())
        asked = observed[:, kind.layout.decision.start : kind.layout.decision.stop].argmax(axis=1)
        for row in playing.tolist():
            what = int(asked[row])
            if found.get(what, 0) < _OF_A_KIND:
                found[what] = found.get(what, 0) + 1
                kept_states.append(states[row : row + 1].copy())
                kept_masks.append(masks[row : row + 1].copy())
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        kind.kernels.step(states, masks, actions)
    return np.concatenate(kept_states), np.concatenate(kept_masks)


class _Trial:
    """A conversation with a program, and the results of the checks."""

    def __init__(
        self, kind: GameKind, parameters: StdioParameters, seed: int, states: np.ndarray, masks: np.ndarray
    ) -> None:
        self.kind, self.parameters, self.seed = kind, parameters, seed
        self.states, self.masks = states, masks
        self.checks: list[Check] = []
        self._ids = {name: action for action, name in enumerate(kind.actions.names)}
        self._programs: list[Program] = []
        self._asked = 0
        self._seats: list[int] = []

    def run(self) -> None:
        """Runs all checks in order; raises _FailedError if the conversation cannot continue."""
        program, ready = self._start("handshake", {})
        decisions = decisions_of(view_of(self.states, self.masks, self.kind), self.kind, ready.wants)
        made: dict[int, int] = {}  # each seat has its own game
        for each in decisions:
            seat = each["seat"]
            each |= {"game": name_of(seat), "number": made.get(seat, 0)}
            made[seat] = each["number"] + 1
        self._seats = sorted(made)
        self._begin_games(program)
        self._check("new_game needs no answer", program.is_silent(_SILENT), "it is a notification")
        answers = self._one_by_one(program, decisions)
        self._in_one_line(program, ready, decisions)
        self._unknown(program, decisions)
        program.say(end_game(self._seats[0], 0, self.kind))
        self._check("end_game needs no answer", program.is_silent(_SILENT), "it is a notification")
        code = program.leave({"type": "end"}, _LEAVING)
        self._check("end", code == 0, _ending(code))
        self._again(decisions, answers)

    def _begin_games(self, program: Program) -> None:
        for seat in self._seats:
            program.say(new_game(seat, seat, self.kind))

    def end(self) -> None:
        """Stops all programs."""
        for program in self._programs:
            program.end()

    def _start(self, name: str, more: dict[str, Any]) -> tuple[Program, Ready]:
        begun = time.monotonic()
        try:
            program = Program(self.parameters.command)
            self._programs.append(program)
            message = hello(self.kind, self.seed) | more
            answer = program.ask(message, begun + self.parameters.start)
            ready = read_ready(answer, self.kind)
        except (ProgramError, WrongMessageError) as error:
            raise self._failed(name, error) from None
        wants = ", ".join(sorted(ready.wants)) or "only the names of legal actions"
        many = "takes many decisions per line" if ready.batch else "takes one decision per line"
        took = time.monotonic() - begun
        words = f"{ready.name or 'it has no name'}: {many}, wants {wants}; after {took:.2f} s"
        self._check(name, True, one_line(words))
        return program, ready

    def _one_by_one(self, program: Program, decisions: list[dict[str, Any]]) -> list[int]:
        begun, found = time.monotonic(), []
        for decision in decisions:
            found += self._ask("legal actions", program, [decision])
        each = 1000 * (time.monotonic() - begun) / len(decisions)
        kinds = len({decision["decision"] for decision in decisions})
        words = f"{len(decisions)} decisions of {kinds} kinds, {each:.2f} ms each"
        self._check("legal actions", True, words)
        return found

    def _in_one_line(self, program: Program, ready: Ready, decisions: list[dict[str, Any]]) -> None:
        if not ready.batch:
            self._check("many per line", True, "skipped, because it takes one decision per line")
            return
        self._ask("many per line", program, decisions)
        self._check("many per line", True, f"{len(decisions)} decisions per line")

    def _unknown(self, program: Program, decisions: list[dict[str, Any]]) -> None:
        """Checks that the program ignores unknown messages and fields, which later versions may send."""
        program.say({"type": "x-later", "anything": [1, {"deep": None}]})
        self._check("unknown message is ignored", program.is_silent(_SILENT), "it needs no answer")
        self._ask("unknown fields are ignored", program, [decisions[0] | {"x-later": {"deep": [None]}}])
        self._check("unknown fields are ignored", True, "same answer as without them")

    def _again(self, decisions: list[dict[str, Any]], answers: list[int]) -> None:
        """Checks a new program with the same seed, and its exit when stdin is closed."""
        program, _ = self._start("handshake with an unknown field", {"x-later": 1})
        self._begin_games(program)
        again = self._one_by_one_silently(program, decisions)
        unlike = sum(one != other for one, other in zip(answers, again, strict=True))
        words = f"{unlike} of {len(answers)} actions differ in a second run with the same seed"
        self._check("deterministic", not unlike, words)
        code = program.leave(None, _LEAVING)
        self._check("ends when stdin is closed", code is not None, _ending(code))

    def _one_by_one_silently(self, program: Program, decisions: list[dict[str, Any]]) -> list[int]:
        self._asked = 0
        return [
            action for decision in decisions for action in self._ask("deterministic", program, [decision])
        ]

    def _ask(self, name: str, program: Program, decisions: list[dict[str, Any]]) -> list[int]:
        self._asked += 1
        message = decide(self._asked, _ANSWER, decisions)
        try:
            answer = program.ask(message, time.monotonic() + _ANSWER)
            found = read_actions(answer, self._asked, len(decisions))
            actions = [
                read_action(each, decision, self._ids)
                for each, decision in zip(found, decisions, strict=True)
            ]
        except (ProgramError, WrongMessageError, NoActionError) as error:
            raise self._failed(name, error) from None
        for action, decision in zip(actions, decisions, strict=True):
            if (chosen := self.kind.actions.names[action]) not in decision["legal"]:
                words = f"{chosen} is illegal in decision {decision['decision']}"
                raise self._failed(name, BotError(words))
        return actions

    def _check(self, name: str, passed: bool, found: str) -> None:
        self.checks.append(Check(name, passed, found))

    def _failed(self, name: str, error: Exception) -> _FailedError:
        self._check(name, False, one_line(error))
        return _FailedError()


def _ending(code: int | None) -> str:
    if code is None:
        return f"it was still running after {_LEAVING:g} s and was killed"
    return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
