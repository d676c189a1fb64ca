"""What a person does at the page of a table, for tests in a browser."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tests.tools.live_table import LiveTable
from tests.waiting import eventually

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
_TRIES = 12
_PAUSE = 10  # milliseconds, in which the page is heard

_Found = TypeVar("_Found")


class Line:
    """The connections of a page to its table: a test can hold their messages, or cut them.

    Args:
        page: a page that has not yet connected.
    """

    def __init__(self, page) -> None:
        self.ends: list[Any] = []
        """Each connection, as the page has it."""
        self.held: list[tuple[Callable[[str], None], str]] = []
        """Messages in both directions, with what passes them on."""
        self.holding = False
        self.refusal: dict[str, Any] | None = None
        """The error that answers every hello, and ends the connection."""
        page.route_web_socket("**/ws", self._open)

    def _open(self, end) -> None:
        self.ends.append(end)
        if self.refusal is not None:
            end.on_message(lambda _, refusal=self.refusal: self._refuse(end, refusal))
            return
        server = end.connect_to_server()
        end.on_message(lambda text: self._pass(server.send, text))
        server.on_message(lambda text: self._pass(end.send, text))

    @staticmethod
    def _refuse(end, refusal: dict[str, Any]) -> None:
        end.send(json.dumps({"type": "error", "v": 1, "about": None} | refusal))
        end.close(code=1008, reason=refusal["text"])

    def _pass(self, send: Callable[[str], None], text: str) -> None:
        if self.holding:
            self.held.append((send, text))
        else:
            send(text)

    def held_of(self, kind: str) -> list[dict[str, Any]]:
        """The held messages of a type."""
        messages = [json.loads(text) for _, text in self.held]
        return [message for message in messages if message["type"] == kind]

    def release(self) -> None:
        """Passes on what is held, and holds nothing more."""
        self.holding = False
        self.pass_on()

    def pass_on(self) -> None:
        """Passes on what is held; what comes later is held again."""
        held, self.held = self.held, []
        for send, text in held:
            send(text)

    def cut(self) -> None:
        """Ends the newest connection; held messages are lost."""
        self.holding = False
        self.held.clear()
        self.ends[-1].close()


def sit_down(open_page, table: LiveTable, seat: str = "free_peoples", **options: Any) -> Any:
    """The page of a seat, or of who looks on, once it shows the position."""
    page = open_page(table.link(seat), **options)
    settle(page, table)
    return page


def wait_until(page, wanted: Callable[[], _Found], what: str) -> _Found:
    """``eventually`` for a state of a page, or of its table."""
    try:
        return eventually(wanted, what, pause=lambda: page.wait_for_timeout(_PAUSE))
    except AssertionError as error:
        error.add_note(f"the page asks: {page.locator('#question').all_inner_texts()}")
        raise


def box_of(page, locator) -> dict[str, float]:
    """Where a part of a page is; the page may replace the part while it is asked."""
    return wait_until(page, locator.bounding_box, "a part of the page")


def hash_of(page) -> str | None:
    """The position that a page shows."""
    return page.evaluate("document.body.dataset.hash")


def is_idle(page) -> bool:
    """Whether nothing is on its way to the server."""
    return page.evaluate("document.body.dataset.busy") == "false"


def settle(page, table: LiveTable) -> None:
    """Waits until a person is asked, or the game is over, and the page shows that position."""

    def settled() -> bool:
        found = table.table
        known = page.evaluate("document.body.dataset.known") != "false"
        return found.bot is None and hash_of(page) == found.hash and known and is_idle(page)

    wait_until(page, settled, "a page that shows the position in which a person is asked")


@contextlib.contextmanager
def changing(page, table: LiveTable) -> Iterator[None]:
    """At its end waits until the table has changed, and for what comes of it."""
    before = table.table.hash
    yield
    wait_until(page, lambda: table.table.hash != before, "a change of the table")
    settle(page, table)


def press(page, table: LiveTable, locator) -> None:
    """Presses what makes the game go on."""
    with changing(page, table):
        locator.click()


def press_on(page, table: LiveTable, number: int) -> None:
    """Answers whatever is asked by one of the buttons; some open a card first."""
    before, act = table.table.hash, page.locator("#act")

    def has_changed(shown: str) -> bool:
        return table.table.hash != before or (is_idle(page) and act.inner_html() != shown)

    for more in range(_TRIES):
        shown = act.inner_html()
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
        wait_until(page, lambda shown=shown: has_changed(shown), "another position, or another card")
        if table.table.hash != before:
            return
    raise AssertionError(f"{_TRIES} presses answer nothing: {page.locator('#question').inner_text()}")


def to_the_dice(page, table: LiveTable) -> None:
    """Answers what comes before the action dice."""
    while not any(name.startswith("face:") for name in table.legal):
        press(page, table, page.locator("#act button.answer").first)


SPOT = """async (id) => {
    const spot = () => {
        const at = document.querySelector(`.contents[data-region="${id}"]`).getScreenCTM();
        for (const [x, y] of [[0, 0], [0, -15], [0, 7], [9, 0], [-9, 0], [0, 16], [16, 12], [-16, 12]]) {
            const hit = document.elementFromPoint(at.e + x, at.f + y)?.closest("[data-region]");
            if (hit?.dataset.region === id) return [at.e + x, at.f + y];
        }
        return null;
    };
    const before = String(spot());
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    const after = spot();
    return String(after) === before ? after : null;
}"""
"""Where to press a region that rests; null if there is no such place."""


def spot_of(page, region: str) -> list[float]:
    """Where to press a region, once the map rests."""
    return wait_until(page, lambda: page.evaluate(SPOT, region), f"{region} to be pressed")


def tap(page, region: str) -> None:
    """Clicks a region of the map."""
    page.mouse.click(*spot_of(page, region))


def drag(page, origin: str, goal: str) -> None:
    """Drags what is in a region to another."""
    (x, y), end = spot_of(page, origin), spot_of(page, goal)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()
