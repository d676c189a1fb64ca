"""What a person does at the page of a table, for tests in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.tools.live_table import LiveTable
from wotr_experiments.persons import PERSON

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
_ROUNDS = 1000
_TRIES = 12
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
        shown = page.evaluate("({ ...document.body.dataset })")
        rested = shown.get("busy") == "false" and shown.get("known") == "true"
        return rests and shown.get("hash") == found.hash and rested

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


def press_on(page, table: LiveTable, number: int) -> None:
    """Answers whatever is asked by one of the buttons; some open a card first."""
    before = table.changes
    for more in range(_TRIES):
        for wanted in (".card-form .primary", "[data-end], #act [data-name]", "[data-plan]", ".answer"):
            buttons = page.locator(f"#act {wanted}").and_(page.locator(":enabled"))
            if count := buttons.count():
                break
        if page.locator("#act [aria-label='Army']").count() and not page.locator("#act .primary").count():
            page.keyboard.press("a")  # its first goal
        elif count:
            buttons.nth((number + more) % count).click()
        elif page.locator("#act [data-count='1']").count():
            page.locator("#act [data-count='1']").first.click()
        for _ in range(15):
            if table.changes > before:
                return
            page.wait_for_timeout(_PAUSE)
    raise AssertionError(page.locator("#question").inner_text())


def to_the_dice(page, table: LiveTable) -> None:
    """Answers what comes before the action dice."""
    while not any(name.startswith("face:") for name in table.legal):
        press(page, table, page.locator("#act button.answer").first)


SPOT = """(id) => {
    const at = document.querySelector(`.contents[data-region="${id}"]`).getScreenCTM();
    for (const [x, y] of [[0, 0], [0, -15], [0, 7], [9, 0], [-9, 0], [0, 16], [16, 12], [-16, 12]]) {
        const hit = document.elementFromPoint(at.e + x, at.f + y)?.closest("[data-region]");
        if (hit?.dataset.region === id) return [at.e + x, at.f + y];
    }
}"""


def tap(page, region: str) -> None:
    """Clicks a region of the map."""
    page.mouse.click(*page.evaluate(SPOT, region))


def drag(page, origin: str, goal: str) -> None:
    """Drags what is in a region to another."""
    (x, y), end = (page.evaluate(SPOT, each) for each in (origin, goal))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()
