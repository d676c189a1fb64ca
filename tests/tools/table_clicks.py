"""Counts clicks at the web table: ``python -m tests.tools.table_clicks``.

Bots play games; each is then played once more by the gestures of the page, in Chromium at a table of people
with the same seed: the choices that a seat made one after another are done by clicks, drags and presses of
numbers, as a person would. After each gesture the position must be one of the recorded game. A click, a drag,
a number and a key each count one. War of the Ring counts clicks for each action die that was used; games that
the server draws count clicks for each decision, by the drawing alone or by the list of choices alone.
"""

from __future__ import annotations

import collections
import enum
import itertools
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from playwright.sync_api import Browser, Error, Page, ViewportSize, sync_playwright

from tests.tools import drawn_hand, table_hand
from tests.tools.live_table import LiveServer, LiveTable
from tests.tools.table_person import Person, Step, Stray
from wotr_agents import make_bot
from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.engine.kernel import trace
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import choose, view_of
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.table.line import Line

Counts = collections.Counter[tuple[str, str]]
Gesture = Callable[[Person, np.record, list[Step]], str]
_SIZE: ViewportSize = {"width": 1400, "height": 900}
_WAIT = 30_000
"""Milliseconds for the page to show what came of a gesture, on a busy machine."""
_STILL = "localStorage.setItem('wotr.speed', 'off')"
_SETTLED = """([hash, wait]) => new Promise((tell) => {
    const { body } = document;
    const rests = ({ dataset: { hash: shown, known, busy } }) =>
        shown === hash && known !== "false" && busy === "false";
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


class By(enum.StrEnum):
    """Where choices of a drawn game are made."""

    DRAWING = "drawing"
    LIST = "list"


class Recorded:
    """A game of bots with the position after every choice."""

    def __init__(self, seed: int, bot: str, ruleset: str, game: str = DEFAULT_GAME) -> None:
        self.ruleset = ruleset
        self.kind = kind = game_kind(game)
        self.line = Line(kind, kind.find_ruleset(ruleset), seed)
        self.seats = [seat.name for seat in self.line.ruleset.seats]
        bots = [make_bot(bot, seed + seat, kind.name) for seat in range(len(self.seats))]
        self.steps: list[Step] = []
        self.states = [self.line.state.tobytes()]
        self.dice = dict.fromkeys(self.seats, 0)
        while (seat := self.line.seat) is not None:
            view = view_of(np.array([self.line.state], dtype=kind.state), self.line._mask, kind)
            action = int(choose(bots[seat], view, bot)[0])
            self.steps.append(self._step(seat, action))
            if kind is WAR_OF_THE_RING:
                events = kind.step_of(self.line.state, action, None).events
                for side in (each["side"] for each in events if each["kind"] == "die_used"):
                    self.dice[side] += 1
            self.line.step(action)
            self.states.append(self.line.state.tobytes())

    @property
    def turns(self) -> dict[str, int]:
        """By seat, what clicks are counted for: action dice, else decisions."""
        if self.kind is WAR_OF_THE_RING:
            return self.dice
        made = collections.Counter(self.seats[step.seat] for step in self.steps)
        return {name: made[name] for name in self.seats}

    def _step(self, seat: int, action: int) -> Step:
        state, names = self.line.state, self.kind.actions.names
        asked = "" if self.kind.decision is None else self.kind.decision(state)
        forced: tuple[str, ...] = ()
        if self.kind is WAR_OF_THE_RING:
            _, taken = trace(state, action)
            forced = tuple(names[each] for each in taken[1:].tolist() if each != NO_ACTION)
        return Step(seat, asked, names[action], forced)

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
        gesture: does the next of the choices of a seat.
    """

    def __init__(self, recorded: Recorded, table: LiveTable, pages: list[Page], gesture: Gesture) -> None:
        self.recorded = recorded
        self.table = table
        self.people = [Person(page) for page in pages]
        self.gesture = gesture
        self.number = 0
        self.clicks: Counts = collections.Counter()
        """By seat and kind of gesture."""
        self.times: Counts = collections.Counter()
        self.pressed: Counts = collections.Counter()
        """Clicks by kind of gesture and what was pressed."""

    def play(self) -> None:
        """All of it.

        Raises:
            Stray: the page did something else than was recorded.
        """
        while self.number < len(self.recorded.steps):
            run = self.recorded.run(self.number)
            person = self.people[run[0].seat]
            self._settle(person)
            before = person.counts.copy()
            try:
                kind = self.gesture(person, self.table.line.state, run)
                self._settle(person)
                self._follow(kind)
            except (Error, Stray) as error:
                asked = person.page.locator("#question").inner_text()
                names = [step.name for step in run[:6]]
                raise Stray(f"after {self.number}: {error}; recorded: {names}; asked: {asked}") from error
            self._count(self.recorded.seats[run[0].seat], kind, person.counts - before)

    def _count(self, seat: str, kind: str, pressed: collections.Counter[str]) -> None:
        self.clicks[seat, kind] += pressed.total()
        self.times[seat, kind] += 1
        for what, number in pressed.items():
            self.pressed[kind, what] += number

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


class Measured:
    """The clicks of several games."""

    def __init__(self) -> None:
        self.clicks: Counts = collections.Counter()
        self.times: Counts = collections.Counter()
        self.pressed: Counts = collections.Counter()
        self.turns: collections.Counter[str] = collections.Counter()

    def add(self, game: Played) -> None:
        """One more game."""
        self.clicks += game.clicks
        self.times += game.times
        self.pressed += game.pressed
        self.turns.update(game.recorded.turns)

    def report(self, unit: str) -> Iterator[str]:
        """Lines with the rate of each seat and of all, and with what the kinds of gestures cost."""
        for seat, number in self.turns.items():
            own = sum(count for (whose, _), count in self.clicks.items() if whose == seat)
            yield f"{seat}: {_rate(own, number, unit)}"
        yield f"all: {_rate(self.clicks.total(), self.turns.total(), unit)}"
        kinds: collections.Counter[str] = collections.Counter()
        for (_, kind), count in self.clicks.items():
            kinds[kind] += count
        for kind, count in kinds.most_common():
            times = sum(each for (_, name), each in self.times.items() if name == kind)
            pressed = ", ".join(
                f"{each} {what}" for (name, what), each in self.pressed.items() if name == kind
            )
            share = count / max(1, self.turns.total())
            yield f"  {kind}: {share:.3f} each, {count} clicks in {times} gestures ({pressed})"


def measure(
    games: Annotated[int, typer.Option(help="Recorded games of the bot against itself.")] = 10,
    bot: Annotated[str, typer.Option(help="Who played them.")] = "scripted",
    ruleset: Annotated[str, typer.Option(help="Of the games; by default the first of the game.")] = "",
    seed: Annotated[int, typer.Option(help="Of the first game.")] = 1,
    game: Annotated[str, typer.Option(help="The name of the game.")] = DEFAULT_GAME,
    by: Annotated[By, typer.Option(help="Where choices of a drawn game are made.")] = By.DRAWING,
) -> None:
    """Prints clicks for each action die or decision by seat, and what gestures cost."""
    kind = game_kind(game)
    spec = ruleset or next(iter(kind.rulesets))
    unit = "dice" if kind is WAR_OF_THE_RING else "decisions"
    measured = Measured()
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder), tables_at_once=1000).running() as server,
        sync_playwright() as driver,
    ):
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in range(seed, seed + games):
            recorded = Recorded(number, bot, spec, game)
            began = time.monotonic()
            try:
                played = play(browser, server, recorded, by)
            except Stray as stray:
                print(f"game {number} is left out: {stray}", flush=True)
                continue
            measured.add(played)
            rate = _rate(played.clicks.total(), sum(recorded.turns.values()), unit)
            print(f"game {number}: {rate}, {time.monotonic() - began:.0f} s", flush=True)
        browser.close()
    print("\n".join(measured.report(unit)))


def _rate(clicks: int, number: int, unit: str) -> str:
    return f"{clicks / number:.2f} ({clicks} for {number} {unit})" if number else f"no {unit}"


def play(browser: Browser, server: LiveServer, recorded: Recorded, by: By = By.DRAWING) -> Played:
    """Plays a game once more, at a page for each seat.

    Args:
        browser: opens the pages.
        server: where the table is opened.
        recorded: the game.
        by: where choices of a drawn game are made.

    Raises:
        Stray: the page did something else than was recorded.
    """
    own = recorded.kind is WAR_OF_THE_RING
    gesture = table_hand.gesture if own else drawn_hand.by_drawing if by is By.DRAWING else drawn_hand.by_list
    people = dict.fromkeys(recorded.seats, "person")
    table = server.open(people, recorded.ruleset, recorded.line.seed, game=recorded.kind.name)
    pages = [browser.new_page(viewport=_SIZE) for _ in people]
    try:
        for page, name in zip(pages, people, strict=True):
            page.add_init_script(_STILL)
            page.goto(table.link(name))
        game = Played(recorded, table, pages, gesture)
        game.play()
    finally:
        for page in pages:
            page.close()
    return game


if __name__ == "__main__":
    typer.run(measure)
