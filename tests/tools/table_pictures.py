"""The pictures of tables in the docs, besides ``table.png``: ``python -m tests.tools.table_pictures``.

Seats of drawn games are played by the first choices that are shown, against ``scripted``, so that the same
version makes the same pictures. Tables of War of the Ring show positions of one game.

With ``--every`` it takes each game in all sizes and colours instead, to be looked at.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.tools.live_table import LiveServer
from tests.tools.pictures import FREE_PEOPLES, SEED, in_few_colours, position, whole_game

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
TABLET = ViewportSize(width=820, height=1180)
_WAR = {"free_peoples": "person", "shadow": "scripted"}
_DUEL = {"sauron": "person", "fellowship": "scripted"}
PICTURES = (
    Picture("table-duel.png", "duel", _DUEL, 4, WIDE),
    Picture("table-phone.png", "duel", _DUEL, 4, PHONE),
    Picture("table-towers.png", "two-towers", {"player_1": "person", "player_2": "scripted"}, 7, WIDE),
)


SIZES = {"wide": WIDE, "tablet": TABLET, "phone": PHONE, "landscape": ViewportSize(width=844, height=390)}


def take(browser: Browser, server: LiveServer, picture: Picture, path: Path) -> None:
    """Plays some choices and writes a PNG of the page."""
    _save(_played(browser, server, picture), path)


def _played(browser: Browser, server: LiveServer, picture: Picture) -> Page:
    table = server.open(picture.seats, "", seed=4, game=picture.game)
    page = browser.new_page(viewport=picture.size, reduced_motion="reduce", color_scheme="light")
    page.goto(table.link(next(iter(picture.seats))))
    page.wait_for_selector(_ASKED)
    for _ in range(picture.choices):
        before = page.evaluate("document.body.dataset.hash")
        page.locator(".choices .answer").first.click()
        page.wait_for_function("(before) => document.body.dataset.hash !== before", arg=before)
        page.wait_for_selector(_ASKED, timeout=60_000)
    return page


def take_every(browser: Browser, server: LiveServer, folder: Path) -> None:
    """Each game in all sizes, in light, dark and forced colours: ``duel-phone-dark.png``."""
    pages = {picture.game: _played(browser, server, picture) for picture in PICTURES if picture.size == WIDE}
    pages["war-of-the-ring"] = _on_tablet(browser, server)
    for game, page in pages.items():
        for size, viewport in SIZES.items():
            page.set_viewport_size(viewport)
            for colours in ("light", "dark", "forced"):
                page.emulate_media(
                    color_scheme="light" if colours == "light" else "dark",
                    forced_colors="active" if colours == "forced" else "none",
                )
                page.wait_for_timeout(_STILL)
                page.screenshot(path=folder / f"{game}-{size}-{colours}.png")
        page.close()


def take_tablet(browser: Browser, server: LiveServer, path: Path) -> None:
    """War of the Ring on a tablet, at the choice of an action die."""
    _save(_on_tablet(browser, server), path)


def _on_tablet(browser: Browser, server: LiveServer) -> Page:
    table = server.open(_WAR, "first", SEED, position(FREE_PEOPLES).actions)
    page = browser.new_page(viewport=TABLET, reduced_motion="reduce", color_scheme="light")
    page.goto(table.link("free_peoples"))
    page.locator("body[data-known=true][data-busy=false]").wait_for()
    return page


def take_luck(browser: Browser, server: LiveServer, path: Path) -> None:
    """The end of a game in dark colours, after a click on its largest stroke of luck."""
    table = server.open(dict.fromkeys(_WAR, "person"), "first", SEED, whole_game().actions)
    page = browser.new_page(viewport=WIDE, reduced_motion="reduce", color_scheme="dark")
    page.goto(table.link("watch"))
    page.locator("#luck li button").first.click()
    page.locator("body.looking").wait_for()
    page.locator("#luck h2").evaluate("(head) => head.scrollIntoView()")
    _save(page, path)


def _save(page: Page, path: Path) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(_STILL)
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    in_few_colours(taken).save(path, optimize=True)
    page.close()


def main(
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("docs"),
    chromium: Annotated[str, typer.Option(help="Its program; by default that of PATH.")] = "",
    every: Annotated[bool, typer.Option(help="Take each game in all sizes and colours.")] = False,
) -> None:
    """Takes the pictures of the docs."""
    program = chromium or shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as tables,
        LiveServer(Path(tables)).running() as server,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        if every:
            take_every(browser, server, folder)
            return
        for picture in PICTURES:
            take(browser, server, picture, folder / picture.name)
        take_tablet(browser, server, folder / "table-tablet.png")
        take_luck(browser, server, folder / "table-luck.png")


if __name__ == "__main__":
    typer.run(main)
