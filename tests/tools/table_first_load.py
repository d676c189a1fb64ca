"""How long a table takes to open: ``python -m tests.tools.table_first_load``.

Each time a new Chromium with nothing in its cache opens the page of a seat. Its time is from the navigation
to the first picture in which the seat can answer. Driver, server and browser share the machine.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from playwright.sync_api import Browser, sync_playwright

from tests.tools.live_table import LiveServer

_SEATS = {"free_peoples": "person", "shadow": "random"}
_WATCH = """() => {
    window.firstAnswer = new Promise((tell) => {
        const watch = new MutationObserver(() => {
            if (!document.querySelector("#act button.answer")) return;
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
        });
        watch.observe(document, { subtree: true, childList: true });
    });
}"""


def measure(times: Annotated[int, typer.Option(help="Browsers to open.")] = 10) -> None:
    """Prints milliseconds to the first question, in order, with their median, and the bytes that came."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    found, sizes = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder)).running() as server,
        sync_playwright() as driver,
    ):
        link = server.open(_SEATS, "first").link("free_peoples")
        for _ in range(times):
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            milliseconds, size = _open(browser, link)
            found.append(milliseconds)
            sizes.append(size)
            browser.close()
    print(f"median {statistics.median(found):.0f} ms: {', '.join(f'{each:.0f}' for each in sorted(found))}")
    print(f"{max(sizes)} bytes in files")


def _open(browser: Browser, link: str) -> tuple[float, int]:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.add_init_script(f"({_WATCH})()")
    bodies: list[int] = []
    page.on("response", lambda response: bodies.append(int(response.headers.get("content-length", 0))))
    page.goto(link)
    return float(page.evaluate("window.firstAnswer")), sum(bodies)


if __name__ == "__main__":
    typer.run(measure)
