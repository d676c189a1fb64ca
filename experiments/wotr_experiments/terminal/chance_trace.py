"""Which chance outcomes a step of the game has: what is rolled and drawn, for whom, and how it fell.

For telling ("Combat roll of the Shadow: 6 4 2"), and for people with real dice, who must be asked for the
outcomes before the step is played.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_experiments.errors import CommandError


@dataclasses.dataclass(frozen=True)
class Roll:
    """Outcomes that fall together."""

    kind: str
    """``action``, ``combat``, ``reroll``, ``hunt``, ``tile``, ``tile-value``, ``companion``, ``card`` or
    ``event``."""
    values: tuple[int, ...]
    """As on a tape: 1..6 of dice, else the index of what is drawn."""
    side: int = -1
    """Whose dice; -1 where that means nothing."""
    needed: int = 0
    """What a die must show with its modifier; 0: no such number."""
    modifier: int = 0

    @property
    def successes(self) -> int:
        """Dice that hit: a 6 does, a 1 does not (R7.9.5); the Hunt has no sure 6 (R10.3.2)."""
        hits = self.kind in ("combat", "reroll")
        return sum(
            value != 1 and (value + self.modifier >= self.needed or (hits and value == 6))
            for value in self.values
        )


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The next outcomes that a step needs."""

    kind: str
    number: int
    low: int
    count: int
    """Each outcome is from ``low`` to ``low + count - 1``, and one of the members."""
    members: tuple[int, ...] | None
    side: int = -1
    needed: int = 0
    modifier: int = 0

    @property
    def possible(self) -> tuple[int, ...]:
        """The outcomes."""
        return tuple(range(self.low, self.low + self.count)) if self.members is None else self.members


class ChanceTracer:
    """Asks a child process with the interpreted rules; it starts at once and is ready in about a second."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wotr_experiments.terminal.chance_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": "1",
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            start_new_session=True,  # Ctrl-C is for the game
        )

    def rolls(self, state: np.record, action: int, tape: Sequence[int] = ()) -> list[Roll]:
        """The outcomes of a step, in their order.

        Args:
            state: one record of dtype ``STATE``, before the step.
            action: legal there.
            tape: the first outcomes; the others are those of the random stream.

        Raises:
            CommandError: the child process has ended.
        """
        answer = self._ask(state, action, tape, peek=False)
        return [Roll(**{**group, "values": tuple(group["values"])}) for group in answer["groups"]]

    def wanted(self, state: np.record, action: int, tape: Sequence[int] = ()) -> Wanted | None:
        """What a step needs after the outcomes of the tape; None if they are all.

        Arguments and errors as for ``rolls``.
        """
        wanted = self._ask(state, action, tape, peek=True)["wanted"]
        if wanted is None:
            return None
        members = wanted.pop("members")
        return Wanted(members=None if members is None else tuple(members), **wanted)

    def close(self) -> None:
        """Ends the child process."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
            self._process.stdout.close()
        self._process.terminate()
        self._process.wait()

    def _ask(self, state: np.record, action: int, tape: Sequence[int], peek: bool) -> dict[str, Any]:
        request = {
            "state": base64.b64encode(state.tobytes()).decode(),
            "action": int(action),
            "tape": [int(value) for value in tape],
            "peek": peek,
        }
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except (OSError, ValueError):
            line = ""
        if not line:
            raise CommandError("the helper process that knows what is rolled has ended; play on with --load")
        return json.loads(line)
