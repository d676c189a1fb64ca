"""What a person does at the page of a table, for tests in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.table.live import LiveTable
from wotr_experiments.table.game import PERSON

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
_ROUNDS = 1000
_PAUSE = 10  # milliseconds


def sit_down(open_page, table: LiveTable, seat: str = "free_peoples", **options: Any) -> Any:
    """The page of a seat, or of who looks on, once it shows the position."""
    page = open_page(table.link(seat), **options)
    settle(page, table)
    return page


def wait_until(page, wanted: Callable[[], bool]) -> None:
    """Waits for what comes in a moment."""
    for _ in range(_ROUNDS):
        if wanted():
            return
        page.wait_for_timeout(_PAUSE)
    raise AssertionError(page.locator("#question").inner_text())


def settle(page, table: LiveTable) -> None:
    """Waits until a person decides, or the game is over, and the page shows that position."""

    def settled() -> bool:
        found = table.table
        rests = found.line.seat is None or found.player(found.line.seat) == PERSON
        return rests and page.evaluate("document.body.dataset.hash ?? ''") == found.hash

    wait_until(page, settled)


def wait_for_change(page, table: LiveTable, before: int) -> None:
    """Waits until the table has changed, and for what comes of it."""
    wait_until(page, lambda: table.changes > before)
    settle(page, table)


def press(page, table: LiveTable, locator) -> None:
    """Presses what makes the game go on."""
    before = table.changes
    locator.click()
    wait_for_change(page, table, before)


def to_the_dice(page, table: LiveTable) -> None:
    """Answers what comes before the action dice."""
    while not any(name.startswith("face:") for name in table.legal):
        press(page, table, page.locator("#act button.answer").first)
