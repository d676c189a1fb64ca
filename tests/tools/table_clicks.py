"""Counts clicks at the web table: ``python -m tests.tools.table_clicks``.

Bots play games; each is then played once more by the gestures of the page, in Chromium at a table of two
people with the same seed: the choices that a seat made one after another are done by clicks, drags and
presses of numbers, as a person would. After each gesture the position must be one of the recorded game.
A click, a drag, a number and a key each count one; told are clicks for an action die that was used.
"""

from __future__ import annotations

import collections
import itertools
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from playwright.sync_api import Browser, Error, Page, ViewportSize, sync_playwright

from tests.tools.live_table import LiveServer, LiveTable
from tests.tools.table_hand import Person, Step, Stray, asked, gesture
from wotr_agents import make_bot
from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.engine.kernel import trace
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND
from wotr_env.play.bots import choose, view_of
from wotr_experiments.table.line import Line

Counts = collections.Counter[tuple[int, str]]
_NAMES = KIND.actions.names
_SIZE: ViewportSize = {"width": 1400, "height": 900}
_PEOPLE = {"free_peoples": "person", "shadow": "person"}
_WAIT = 30_000
"""Milliseconds for the page to show what came of a gesture, on a busy machine."""
_STILL = "localStorage.setItem('wotr.speed', 'off')"
_SETTLED = """([hash, wait]) => new Promise((tell) => {
    const { body } = document;
    const rests = ({ dataset: { hash: shown, known, busy } }) =>
        shown === hash && known === "true" && busy === "false";
    if (rests(body)) return tell(true);
    const watch = new MutationObserver(() => rests(body) && end(true));
    const late = setTimeout(() => end(false), wait);
    const end = (found) => {
        watch.disconnect();
        clearTimeout(late);
        tell(found);
    };
    watch.observe(body, { attributes: true });
})"""


class Recorded:
    """A game of bots with the position after every choice."""

    def __init__(self, seed: int, bot: str, ruleset: str) -> None:
        self.ruleset = ruleset
        self.line = Line(KIND, KIND.find_ruleset(ruleset), seed)
        bots = [make_bot(bot, seed + seat, KIND.name) for seat in range(2)]
        self.steps: list[Step] = []
        self.states = [self.line.state.tobytes()]
        self.dice = [0, 0]
        while (seat := self.line.seat) is not None:
            view = view_of(np.array([self.line.state], dtype=KIND.state), self.line._mask, KIND)
            action = int(choose(bots[seat], view, bot)[0])
            state = self.line.state
            _, taken = trace(state, action)
            forced = tuple(_NAMES[each] for each in taken[1:].tolist() if each != NO_ACTION)
            self.steps.append(Step(seat, asked(state), _NAMES[action], forced))
            for event in KIND.step_of(state, action, None).events:
                if event["kind"] == "die_used":
                    self.dice[event["side"] == "shadow"] += 1
            self.line.step(action)
            self.states.append(self.line.state.tobytes())

    def run(self, number: int) -> list[Step]:
        """The choices of one seat from so many choices on."""
        seat = self.steps[number].seat
        return list(itertools.takewhile(lambda step: step.seat == seat, self.steps[number:]))


class Played:
    """A recorded game that is played once more by gestures.

    Args:
        recorded: the game.
        table: with the same ruleset and seed.
        pages: of its seats.
    """

    def __init__(self, recorded: Recorded, table: LiveTable, pages: list[Page]) -> None:
        self.recorded = recorded
        self.table = table
        self.people = [Person(page) for page in pages]
        self.number = 0
        self.clicks: Counts = collections.Counter()
        """By seat and kind of gesture."""
        self.times: Counts = collections.Counter()

    def play(self) -> None:
        """All of it.

        Raises:
            Stray: the page did something else than was recorded.
        """
        while self.number < len(self.recorded.steps):
            run = self.recorded.run(self.number)
            person = self.people[run[0].seat]
            self._settle(person)
            before = person.clicks
            try:
                kind = gesture(person, self.table.line.state, run)
                self._settle(person)
                self._follow(kind)
            except (Error, Stray) as error:
                asked = person.page.locator("#question").inner_text()
                names = [step.name for step in run[:6]]
                raise Stray(f"after {self.number}: {error}; recorded: {names}; asked: {asked}") from error
            key = (run[0].seat, kind)
            self.clicks[key] += person.clicks - before
            self.times[key] += 1

    def _settle(self, person: Person) -> None:
        """Waits until the page shows the position of the table and knows where its choices lead."""
        end = time.monotonic() + _WAIT / 1000
        while time.monotonic() < end:
            wanted = self.table.table.hash
            if person.page.evaluate(_SETTLED, [wanted, 1000]) and self.table.table.hash == wanted:
                return
        raise Stray("the page does not settle")

    def _follow(self, kind: str) -> None:
        """Finds the recorded position that a gesture has led to."""
        after = self.recorded.states[self.number + 1 :]
        state = self.table.line.state.tobytes()
        if state not in after:
            raise Stray(f"{kind} led elsewhere")
        self.number += 1 + after.index(state)


def measure(
    games: Annotated[int, typer.Option(help="Recorded games of the bot against itself.")] = 10,
    bot: Annotated[str, typer.Option(help="Who played them.")] = "scripted",
    ruleset: Annotated[str, typer.Option(help="Of the games.")] = "first",
    seed: Annotated[int, typer.Option(help="Of the first game.")] = 1,
) -> None:
    """Prints clicks for each action die by side, and what gestures cost."""
    clicks: Counts = collections.Counter()
    times: Counts = collections.Counter()
    dice = np.zeros(2, dtype=int)
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder), tables_at_once=1000).running() as server,
        sync_playwright() as driver,
    ):
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in range(seed, seed + games):
            recorded = Recorded(number, bot, ruleset)
            began = time.monotonic()
            try:
                game = play(browser, server, recorded)
            except Stray as stray:
                print(f"game {number} is left out: {stray}", flush=True)
                continue
            clicks += game.clicks
            times += game.times
            dice += recorded.dice
            rate = _rate(game.clicks.total(), recorded.dice)
            print(f"game {number}: {rate}, {time.monotonic() - began:.0f} s", flush=True)
        browser.close()
    for side in Side:
        mine = sum(count for (seat, _), count in clicks.items() if seat == side)
        print(f"{side.name.lower()}: {_rate(mine, [dice[side]])}")
    print(f"both: {_rate(clicks.total(), dice)}")
    for (seat, kind), count in clicks.most_common():
        print(f"  {seat} {kind}: {count} clicks in {times[seat, kind]} gestures")


def _rate(clicks: int, dice: Iterable[int]) -> str:
    used = sum(dice)
    return f"{clicks / used:.2f} ({clicks} for {used} dice)" if used else "no dice"


def play(browser: Browser, server: LiveServer, recorded: Recorded) -> Played:
    """Plays a game once more, at a page for each seat.

    Raises:
        Stray: the page did something else than was recorded.
    """
    table = server.open(_PEOPLE, recorded.ruleset, recorded.line.seed)
    pages = [browser.new_page(viewport=_SIZE) for _ in Side]
    try:
        for page, name in zip(pages, _PEOPLE, strict=True):
            page.add_init_script(_STILL)
            page.goto(table.link(name))
        game = Played(recorded, table, pages)
        game.play()
    finally:
        for page in pages:
            page.close()
    return game


if __name__ == "__main__":
    typer.run(measure)
