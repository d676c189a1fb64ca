"""The report of a tournament in a browser: Chromium, driven by Playwright. Without them it is skipped."""

from __future__ import annotations

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.reports.tournament import Replays, write_report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    bots = "scripted", "random", "queller"
    tournament = Tournament(bots, 4, seed=1, ruleset=Ruleset.first_edition(max_turns=3))
    summary = run_tournament(tournament, out, WorkerPool("threads", 1, Isolation("none")))
    return write_report(out, tournament, summary, Replays.NONE)


def cells(table, column):
    return [row.locator("td").nth(column).inner_text() for row in table.locator("tbody tr").all()]


def test_tables_are_sorted_by_a_click(browser, report):
    page = new_page(browser)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(report.as_uri())
    table = page.locator("section:has(h2:text-is('Pairings and sides')) table")
    heads = table.locator("thead th").all_inner_texts()
    name, number = 0, heads.index("decisions")
    before = cells(table, number)
    values = [float(text.replace(",", "")) for text in before[:-1]]

    def click(column):
        table.locator("thead th").nth(column).locator("button").click()
        return table.locator("thead th").nth(column).get_attribute("aria-sort")

    assert click(number) == "descending"
    found = cells(table, number)
    assert [float(text.replace(",", "")) for text in found[:-1]] == sorted(values, reverse=True)
    assert found[-1] == before[-1] and cells(table, name)[-1] == "all"
    assert click(number) == "ascending"
    assert [float(text.replace(",", "")) for text in cells(table, number)[:-1]] == sorted(values)
    assert click(name) == "ascending"
    names = cells(table, name)[:-1]
    assert names == sorted(names) and table.locator("[aria-sort]").count() == 1
    assert not problems


@pytest.mark.parametrize(("width", "shown", "hidden"), [(1280, "wide", "narrow"), (390, "narrow", "wide")])
def test_charts_can_be_read_at_any_width(browser, report, width, shown, hidden):
    page = new_page(browser, viewport={"width": width, "height": 800})
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    charts = page.locator(f".{shown}-chart svg")
    assert charts.count() >= 3 and not page.locator(f".{hidden}-chart:visible").count()
    for chart in charts.all():
        drawn = chart.evaluate("each => each.getBoundingClientRect().width / each.viewBox.baseVal.width")
        assert drawn > 0.9  # so that letters are as large as they were meant


def test_a_table_wider_than_the_page_says_so_and_keeps_its_first_column(browser, report):
    page = new_page(browser, viewport={"width": 390, "height": 800})
    page.goto(report.as_uri())
    part = page.locator("section:has(h2:text-is('Pairings and sides')) div.wide")
    page.wait_for_function("document.querySelector('div.wide.more')")
    sign = "getComputedStyle(each, '::before').content"
    assert "scroll" in part.evaluate(f"each => {sign}")
    first = part.locator("tbody tr").first.locator("td").first
    before = first.bounding_box()
    assert 100 < before["width"] < 200
    part.evaluate("each => { each.scrollLeft = 200; }")
    assert part.evaluate("each => each.scrollLeft") > 50
    assert first.bounding_box()["x"] == pytest.approx(before["x"], abs=1)
    page.set_viewport_size({"width": 2000, "height": 800})
    page.wait_for_function("!document.querySelector('section:nth-of-type(1) div.wide.more')")


def test_the_command_of_the_provenance_wraps(browser, report):
    page = new_page(browser, viewport={"width": 1280, "height": 800})
    page.goto(report.as_uri())
    command = page.locator(".command").first
    command.evaluate("each => { each.textContent = 'wotr tournament ' + 'net:zoo/somebody '.repeat(30); }")
    assert command.evaluate("each => each.getBoundingClientRect().width") < 500
