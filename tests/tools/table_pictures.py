"""The pictures of drawn tables in the docs: ``python -m tests.tools.table_pictures``.

Seats are played by the first choices that are shown, against ``scripted``, so that the same version makes the
same pictures.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.tools.live_table import LiveServer

_ASKED = "body.asked .choices .answer"
_STILL = 1500
"""Milliseconds after which nothing moves."""


class Picture(NamedTuple):
    """A page to be pictured."""

    name: str
    game: str
    seats: dict[str, str]
    choices: int
    size: ViewportSize


WIDE, PHONE = ViewportSize(width=1400, height=900), ViewportSize(width=390, height=844)
_DUEL = {"sauron": "person", "fellowship": "scripted"}
PICTURES = (
    Picture("table-duel.png", "duel", _DUEL, 4, WIDE),
    Picture("table-phone.png", "duel", _DUEL, 4, PHONE),
    Picture("table-towers.png", "two-towers", {"player_1": "person", "player_2": "scripted"}, 7, WIDE),
)


def take(browser: Browser, server: LiveServer, picture: Picture, path: Path) -> None:
    """Plays some choices and writes a PNG of the page."""
    table = server.open(picture.seats, "", seed=4, game=picture.game)
    page = browser.new_page(viewport=picture.size, reduced_motion="reduce", color_scheme="light")
    page.goto(table.link(next(iter(picture.seats))))
    page.wait_for_selector(_ASKED)
    for _ in range(picture.choices):
        before = page.evaluate("document.body.dataset.hash")
        page.locator(".choices .answer").first.click()
        page.wait_for_function("(before) => document.body.dataset.hash !== before", arg=before)
        page.wait_for_selector(_ASKED, timeout=60_000)
    page.mouse.move(0, 0)
    page.wait_for_timeout(_STILL)
    page.screenshot(path=path)
    page.close()


def main(
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("docs"),
    chromium: Annotated[str, typer.Option(help="Its program; by default that of PATH.")] = "",
) -> None:
    """Takes all pictures."""
    program = chromium or shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as tables,
        LiveServer(Path(tables)).running() as server,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for picture in PICTURES:
            take(browser, server, picture, folder / picture.name)


if __name__ == "__main__":
    typer.run(main)
