"""``docs/table.png``, the page of the web table: ``python -m tests.tools.table_picture``.

Fonts and Chromium differ between machines, so a picture is compared with another in small.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.tools.live_table import LiveServer
from tests.tools.pictures import FREE_PEOPLES, SEED, in_few_colours, position
from tests.tools.table_person import Person, Stray

PICTURE = Path(__file__).parents[2] / "docs" / "table.png"

_SEATS = {"free_peoples": "person", "shadow": "scripted"}
_ARMY = "osgiliath"
_TRIES = 10
_PATIENCE = 5000
"""Milliseconds for an army's goals to be lit."""
_CELL = 5
"""Pixels a side of what is one pixel in small."""
_NOTICED = 24
"""A difference of a colour, of 255."""
AS_GOOD_AS_THE_SAME = 10
"""Pixels in small that may look different."""


def take(browser: Browser, server: LiveServer) -> Image.Image:
    """The page of the Free Peoples, with an army chosen and its goals lit."""
    table = server.open(_SEATS, "first", SEED, position(FREE_PEOPLES).actions)
    page = browser.new_page(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page.goto(table.link("free_peoples"))
    page.locator("#act button.answer").first.wait_for()
    page.locator("body[data-known=true][data-busy=false]").wait_for()
    _choose(page, _ARMY)
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    page.close()
    return taken


def _choose(page: Page, army: str) -> None:
    """Chooses an army; again where a busy machine shows nothing of the click."""
    for _ in range(_TRIES):
        Person(page).region(army)
        with contextlib.suppress(PlaywrightTimeout):
            page.locator("#map .lit").first.wait_for(timeout=_PATIENCE)
            return
    raise Stray(f"{army} cannot be chosen")


def differing(one: Image.Image, other: Image.Image) -> int:
    """How many pixels of two pictures in small look different; all if the sizes differ."""
    size = one.width // _CELL, one.height // _CELL
    if one.size != other.size:
        return size[0] * size[1]
    small = [np.asarray(each.resize(size, Image.Resampling.BOX), dtype=np.int64) for each in (one, other)]
    return int((np.abs(small[0] - small[1]).max(axis=2) > _NOTICED).sum())


def main() -> None:
    """Takes the picture and writes its file."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder)).running() as server,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        in_few_colours(take(browser, server)).save(PICTURE, optimize=True)
        browser.close()
    print(PICTURE)


if __name__ == "__main__":
    main()
