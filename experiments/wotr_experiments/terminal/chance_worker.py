"""The child process of ``chance_trace``: plays single steps by the interpreted rules and notes all chance.

The compiled rules cannot say for what they roll. Interpreted (``NUMBA_DISABLE_JIT=1``) they are plain
Python, every byte of which a test holds against the compiled ones, and the stack of calls tells it. Requests
and answers are lines of JSON.
"""

from __future__ import annotations

import base64
import json
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_env.actions import NUM_ACTIONS
from wotr_env.rules import chance as chance_module
from wotr_env.rules import flow
from wotr_env.rules.battle import strength as combat
from wotr_env.state import STATE

_PASSED_ON = {"die", "chance", "chance_member", "member", "outcome", "_hunt_die", "roll_action_die"}
"""Functions that roll for whoever calls them."""
_KINDS = {
    "leader_reroll": "reroll",
    "combat_roll": "combat",
    "hunt_roll": "hunt",
    "roll_action_die": "action",
    "draw_tile": "tile",
    "_value": "tile-value",
    "random_companion": "companion",
    "_run_lure": "companion",
    "apply_lose_card": "card",
}
"""Of functions on the stack, the first found counts; everything else is a die for a card."""


class _NeedsMore(Exception):
    """The outcomes given are used up, and the next group of them is known."""


class _Recorder:
    """Takes the place of the rules' ``chance`` during one step."""

    def __init__(self, tape: list[int], peek: bool) -> None:
        self.tape = tape
        self.peek = peek
        self.groups: list[dict[str, Any]] = []
        self.wanted: dict[str, Any] | None = None
        self.used = 0
        self._last: Any = None

    def outcome(self, low: int, count: int, members: list[int] | None, draw: Callable[[], int]) -> int:
        """One outcome: of the tape, else drawn, or in a peek the lowest."""
        frame, kind, details = _purpose()
        # The frame itself, not its id, which the next roll may have too.
        place = (frame, frame.f_lineno, kind, details.get("side"))
        fresh = place != self._last
        self._last = place
        if self.used < len(self.tape):
            value = self.tape[self.used]
            self.used += 1
        elif self.peek:
            if self.wanted is not None and fresh:
                raise _NeedsMore
            if self.wanted is None:
                self.wanted = {"kind": kind, "members": members, "low": low, "count": count, **details}
                self.wanted["number"] = 0
            self.wanted["number"] += 1
            return low if members is None else members[0]
        else:
            value = draw()
        if fresh:
            self.groups.append({"kind": kind, **details, "values": []})
        self.groups[-1]["values"].append(value)
        return value


def _purpose() -> tuple[types.FrameType, str, dict[str, int]]:
    """The function that wants the outcome, the kind of it, and whose it is and what it needs."""
    frame = sys._getframe(2)
    names = []
    while frame.f_code.co_name in _PASSED_ON:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    caller, place = frame, frame
    for _ in range(3):
        names.append(place.f_code.co_name)
        place = place.f_back
    kind = next((_KINDS[name] for name in names if name in _KINDS), "event")
    details: dict[str, int] = {}
    given = caller.f_locals
    if "side" in given:
        details["side"] = int(given["side"])
    if kind == "combat":
        details["needed"] = int(combat.hit_on(given["state"], given["side"]))
        details["modifier"] = int(given["state"].combat[given["side"], combat.ROLL_MOD])
    elif kind == "reroll":
        details["side"] = int(caller.f_back.f_locals["side"])
        details["needed"], details["modifier"] = int(given["target"]), int(given["modifier"])
    elif kind == "hunt":
        details["needed"] = 6
        details["modifier"] = int(given["state"].hunt_box[0]) + int(given["bonus"])
    return caller, kind, details


def trace(state: np.ndarray, action: int, tape: list[int], peek: bool) -> dict[str, Any]:
    """Plays one step, as ``ChanceTracer`` describes it, on a copy of ``STATE[1]``."""
    recorder = _Recorder(tape, peek)
    record = state.copy()[0]
    record["tape_length"] = record["tape_position"] = 0
    plain = _ORIGINAL

    def chance(state: Any, low: int, count: int) -> int:
        return recorder.outcome(int(low), int(count), None, lambda: int(plain(state, low, count)))

    def member(state: Any, zones: Any, zone: int, size: int) -> int:
        members = [index for index in range(int(size)) if zones[index] == zone]
        return recorder.outcome(0, int(size), members, lambda: members[int(plain(state, 0, len(members)))])

    _install(chance, member)
    try:
        flow.apply(record, action)
        flow.run(record, np.zeros(NUM_ACTIONS, dtype=np.bool_))
    except _NeedsMore:
        pass
    return {"groups": recorder.groups, "wanted": recorder.wanted}


_ORIGINAL = chance_module.chance
_ORIGINAL_MEMBER = chance_module.chance_member
_USERS = [
    (module, name, original)
    for module in list(sys.modules.values())
    if getattr(module, "__name__", "").startswith("wotr_env.rules")
    for name, original in (("chance", _ORIGINAL), ("chance_member", _ORIGINAL_MEMBER))
    if getattr(module, name, None) is original
]
"""Every module of the rules that calls them by name."""


def _install(chance: Callable[..., int], member: Callable[..., int]) -> None:
    for module, name, original in _USERS:
        setattr(module, name, chance if original is _ORIGINAL else member)


def main() -> None:
    """Answers requests until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        state = np.frombuffer(base64.b64decode(request["state"]), dtype=STATE)
        answer = trace(state, request["action"], request["tape"], request["peek"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
