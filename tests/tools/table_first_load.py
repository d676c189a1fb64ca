"""How long pages take to open: ``python -m tests.tools.table_first_load``.

Each time a new Chromium with nothing in its cache opens the start page, or the page of a seat of a game, and
then, after it is closed, opens it again.
The time of a table is from the navigation to the first picture in which the seat can answer. The time of the
start page ends when its button is there. All bytes that the browser receives are counted, with headers and
the messages of the table. Driver, server and browser share the machine.
"""

from __future__ import annotations

import shutil
import socket
import statistics
import tempfile
import threading
from pathlib import Path
from typing import Annotated

import typer
from playwright.sync_api import BrowserContext, sync_playwright

from tests.tools.live_table import LiveServer

_TABLES = {
    "war-of-the-ring": ({"free_peoples": "person", "shadow": "random"}, "first"),
    "duel": ({"fellowship": "person", "sauron": "random"}, ""),
    "two-towers": ({"player_1": "person", "player_2": "random"}, "two"),
}
_WATCH = """() => {
    window.firstAnswer = new Promise((tell) => {
        const watch = new MutationObserver(() => {
            if (!document.querySelector("#act button.answer, .go")) return;
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
        });
        watch.observe(document, { subtree: true, childList: true });
    });
}"""
_AT_ONCE = 65536
"""Bytes that are passed on at a time, at most."""


class Relay:
    """Passes everything on between browsers and a server.

    Args:
        url: of the server.
    """

    def __init__(self, url: str) -> None:
        self._goal = ("127.0.0.1", int(url.rpartition(":")[2]))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.received = 0
        """Bytes that browsers have received."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            browser, _ = self._listening.accept()
            server = socket.create_connection(self._goal)
            for ends in ((browser, server), (server, browser)):
                threading.Thread(target=self._pass_on, args=(*ends, browser), daemon=True).start()

    def _pass_on(self, origin: socket.socket, goal: socket.socket, browser: socket.socket) -> None:
        try:
            while data := origin.recv(_AT_ONCE):
                if goal is browser:
                    self.received += len(data)
                goal.sendall(data)
        except OSError:  # the other end is closed
            pass
        for end in (origin, goal):
            end.close()


def measure(times: Annotated[int, typer.Option(help="Browsers to open for each page.")] = 10) -> None:
    """Prints for each page, opened and opened again, the milliseconds in order with their median, and the
    most bytes that came."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder)).running() as server,
        sync_playwright() as driver,
    ):
        relay = Relay(server.url)
        pages = {"start page": f"{relay.url}/"}
        for game, (seats, ruleset) in _TABLES.items():
            link = server.open(seats, ruleset, game=game).link(next(iter(seats)))
            pages[game] = link.replace(server.url, relay.url)
        for name, link in pages.items():
            opened: dict[str, list[tuple[float, int]]] = {name: [], f"{name}, again": []}
            for _ in range(times):
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                context = browser.new_context(viewport={"width": 1400, "height": 900})
                for found in opened.values():
                    before = relay.received
                    milliseconds = _open(context, link)
                    found.append((milliseconds, relay.received - before))
                browser.close()
            for what, found in opened.items():
                times_taken, sizes = zip(*found, strict=True)
                listed = ", ".join(f"{each:.0f}" for each in sorted(times_taken))
                median = statistics.median(times_taken)
                print(f"{what}: {max(sizes)} bytes, median {median:.0f} ms ({listed})", flush=True)


def _open(context: BrowserContext, link: str) -> float:
    page = context.new_page()
    page.add_init_script(f"({_WATCH})()")
    page.goto(link)
    milliseconds = float(page.evaluate("window.firstAnswer"))
    page.wait_for_load_state("networkidle")
    page.close()
    return milliseconds


if __name__ == "__main__":
    typer.run(measure)
