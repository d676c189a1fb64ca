"""A person at a page of the web table, who clicks and drags, and counts it."""

from __future__ import annotations

import collections
import time
from typing import NamedTuple

from playwright.sync_api import Page

_PATIENCE = 30.0
"""Seconds for the page to show what is to be pressed, on a busy machine."""
_MOST_NUMBERS = 20
"""Presses after which numbers of figures must be set."""
_NUMBERS = """() => [...document.querySelectorAll("#act [data-figure]")].map((row) =>
    [row.dataset.figure, Number(row.querySelector("[aria-checked=true]").dataset.count)])"""
_PRESSED = """async (selector) => {
    const middle = () => {
        const found = document.querySelector(selector);
        if (!found || found.disabled) return null;
        found.scrollIntoView({ block: "nearest" });
        const { left, top, width, height } = found.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const hit = document.elementFromPoint(x, y);
        return hit && found.contains(hit) ? [x, y] : null;
    };
    const before = String(middle());
    await new Promise(requestAnimationFrame);
    const after = middle();
    return String(after) === before ? after : null;
}"""
"""Where to press what rests and is covered by nothing; null if there is no such place."""
_SPOT = """async (id) => {
    const offsets = [[0, 0], [0, -15], [0, 7], [9, 0], [-9, 0], [0, 16], [16, 12], [-16, 12], [14, -2]];
    const spot = () => {
        const at = document.querySelector(`.contents[data-region="${id}"]`).getScreenCTM();
        for (const [x, y] of offsets) {
            const [left, top] = [at.e + x, at.f + y];
            const hit = document.elementFromPoint(left, top)?.closest("[data-region]");
            if (hit?.dataset.region === id) return [left, top];
        }
        return null;
    };
    const before = String(spot());
    await new Promise(requestAnimationFrame);
    const after = spot();
    return String(after) === before ? after : null;
}"""
"""Where to press a region of a map that rests; null if there is no such place."""


class Step(NamedTuple):
    """A choice of the recorded game."""

    seat: int
    decision: str
    name: str
    forced: tuple[str, ...]
    """What the rules took after it without asking."""


class Stray(Exception):
    """The page did something else than was recorded."""


class Person:
    """The hand of a person at a page, which counts what it does.

    Args:
        page: of a seat.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.counts: collections.Counter[str] = collections.Counter()
        """Clicks, drags and keys, by what they pressed."""

    @property
    def clicks(self) -> int:
        """All of them."""
        return self.counts.total()

    def click(self, selector: str, what: str = "answer") -> None:
        """Clicks the first element, as soon as it can be.

        Raises:
            Stray: it cannot be clicked.
        """
        self.page.mouse.click(*self._at_rest(_PRESSED, selector))
        self.counts[what] += 1

    def has(self, selector: str) -> bool:
        """Whether there is such an element."""
        return self.page.locator(selector).count() > 0

    def region(self, name: str) -> None:
        """Clicks a region of the map."""
        self.page.mouse.click(*self._spot(name))
        self.counts["region"] += 1

    def drag(self, origin: str, goal: str, leave: bool = False) -> None:
        """Drags what is in a region to another; with the right button one Regular stays."""
        (x, y), end = self._spot(origin), self._spot(goal)
        button = "right" if leave else "left"
        self.page.mouse.move(x, y)
        self.page.mouse.down(button=button)
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up(button=button)
        self.counts[f"{button} drag"] += 1

    def numbers(self, wanted: dict[str, int]) -> None:
        """Sets the numbers of figures that are others than those proposed, the larger ones first."""
        for _ in range(_MOST_NUMBERS):
            shown = self.page.evaluate(_NUMBERS)
            wrong = [
                (wanted.get(name, 0) - count, name) for name, count in shown if wanted.get(name, 0) != count
            ]
            if not wrong:
                return
            _, name = max(wrong)
            self.click(f'#act [data-figure="{name}"] [data-count="{wanted.get(name, 0)}"]', "number")
        raise Stray(f"the numbers {wanted} cannot be set")

    def _spot(self, name: str) -> list[float]:
        return self._at_rest(_SPOT, name)

    def _at_rest(self, script: str, what: str) -> list[float]:
        """Where a script finds the place to press, as soon as it does."""
        end = time.monotonic() + _PATIENCE
        while (spot := self.page.evaluate(script, what)) is None:
            if time.monotonic() > end:
                raise Stray(f"{what} cannot be pressed")
            self.page.wait_for_timeout(10)
        return spot
