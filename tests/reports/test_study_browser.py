"""The page of a study in a browser: Chromium, driven by Playwright. Without them these tests are skipped."""

from __future__ import annotations

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from wotr_experiments.cli.main import main

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    arguments = [
        "--games",
        "3",
        "--seed",
        "1",
        "--option",
        "dwarf_setup",
        "--workers",
        "1",
        "--isolate",
        "none",
    ]
    assert main(["study", "scripted", *arguments, "--out", str(out)]) == 0
    return out / "report.html"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_asks_for_nothing(browser, report, width, scheme):
    problems, requests = [], []
    page = new_page(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "only tables and plots may scroll"
    for link in page.locator("nav.parts a").all():
        link.click()
        name = (link.get_attribute("href") or "").removeprefix("#")
        assert page.locator(f"section[id={name}]").evaluate("each => each.getBoundingClientRect().height") > 0
    unpainted = page.evaluate(
        """[...document.querySelectorAll("svg rect")].map((each) => getComputedStyle(each).fill).filter(
            (fill) => ["rgb(0, 0, 0)", getComputedStyle(document.body).color].includes(fill)
        ).length"""
    )
    assert unpainted == 0, "every bar has a colour of its own"
    cut = page.evaluate(
        """[...document.querySelectorAll("svg text")].filter((each) => {
            const box = each.getBBox(), all = each.ownerSVGElement.viewBox.baseVal;
            return box.x < -1 || box.x + box.width > all.width + 1 || box.y + box.height > all.height + 1;
        }).map((each) => each.textContent)"""
    )
    assert cut == []
    page.close()
    assert problems == [] and [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_plots_in_files_have_their_colours(browser, report):
    page = new_page(browser)
    for path in sorted((report.parent / "study").glob("*.svg")):
        page.goto(path.as_uri())
        fills = page.evaluate(
            "[...document.querySelectorAll('rect, circle')].map((each) => getComputedStyle(each).fill)"
        )
        assert len(set(fills)) > 1 and "rgb(0, 0, 0)" not in fills, path.name
    page.close()
