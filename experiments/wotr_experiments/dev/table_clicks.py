"""Counts clicks at the web table: ``python -m wotr_experiments.dev.table_clicks``.

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
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from playwright.sync_api import Error, Page, ViewportSize, sync_playwright

from wotr_agents import make_bot
from wotr_env.actions import code_name
from wotr_env.bots import choose, view_of
from wotr_env.codes import SIDE_IDS, Decision, Side
from wotr_env.components import CHARACTER_SIDE
from wotr_env.engine.kernel import NO_ACTION, trace
from wotr_env.picture import CHARACTER_IDS
from wotr_env.seating import side_of
from wotr_env.war_of_the_ring import WAR_OF_THE_RING as KIND
from wotr_env.ways import ways_from
from wotr_experiments.dev.live_table import LiveServer, LiveTable
from wotr_experiments.table.line import Line

_NAMES = KIND.actions.names
_SIZE: ViewportSize = {"width": 1400, "height": 900}
_FIGURES = (
    "move-figures",
    "attack-figures",
    "advance-figures",
    "stay-behind",
    "separate-group",
    "companion-group",
)
_PLANNED = ("action-die", "action-plan", "army-origin", "attack-origin", "minion-to-move", "recruit-figure")
_PEOPLE = {"free_peoples": "person", "shadow": "person"}
_WAIT = 5_000
"""Milliseconds for the page to show what came of a gesture."""
_STILL = "localStorage.setItem('wotr.speed', 'off')"
_DATA = "({ ...document.body.dataset })"
_SPOT = """(id) => {
    const at = document.querySelector(`.contents[data-region="${id}"]`).getScreenCTM();
    const spots = [[0, 0], [0, -15], [0, 7], [9, 0], [-9, 0], [0, 16], [16, 12], [-16, 12], [14, -2]];
    for (const [x, y] of spots) {
        const [left, top] = [at.e + x, at.f + y];
        const hit = document.elementFromPoint(left, top)?.closest("[data-region]");
        if (hit?.dataset.region === id) return [left, top];
    }
    return null;
}"""


class Step(NamedTuple):
    """A choice of the recorded game."""

    seat: int
    decision: str
    name: str
    forced: tuple[str, ...]
    """What the rules took after it without asking."""


class Recorded:
    """A game of bots with the position after every choice."""

    def __init__(self, seed: int, bot: str, ruleset: str) -> None:
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
            self.steps.append(Step(seat, _asked(state), _NAMES[action], forced))
            for event in KIND.step_of(state, action, None).events:
                if event["kind"] == "die_used":
                    self.dice[event["side"] == "shadow"] += 1
            self.line.step(action)
            self.states.append(self.line.state.tobytes())

    def run(self, number: int) -> list[Step]:
        """The choices of one seat from so many choices on."""
        seat = self.steps[number].seat
        return list(itertools.takewhile(lambda step: step.seat == seat, self.steps[number:]))


class Stray(Exception):
    """The page did something else than was recorded."""


class Person:
    """The hand of a person at a page, which counts what it does.

    Args:
        page: of a seat.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, selector: str) -> None:
        """Clicks the first element."""
        self.page.locator(selector).first.click(timeout=_WAIT)
        self.clicks += 1

    def has(self, selector: str) -> bool:
        """Whether there is such an element."""
        return self.page.locator(selector).count() > 0

    def region(self, name: str) -> None:
        """Clicks a region of the map."""
        self.page.mouse.click(*self._spot(name))
        self.clicks += 1

    def drag(self, origin: str, goal: str, shift: bool = False) -> None:
        """Drags what is in a region to another; with Shift, which counts as a key, one Regular stays."""
        if shift:
            self.page.keyboard.down("Shift")
            self.clicks += 1
        (x, y), end = self._spot(origin), self._spot(goal)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        if shift:
            self.page.keyboard.up("Shift")
        self.clicks += 1

    def numbers(self, wanted: dict[str, int]) -> None:
        """Sets the numbers of figures that are others than those proposed."""
        shown = self.page.evaluate(
            """() => [...document.querySelectorAll("#act [data-figure]")].map((row) =>
                [row.dataset.figure, Number(row.querySelector("[aria-checked=true]").dataset.count)])"""
        )
        for name, number in shown:
            if number != wanted.get(name, 0):
                self.click(f'#act [data-figure="{name}"] [data-count="{wanted.get(name, 0)}"]')

    def _spot(self, name: str) -> list[float]:
        spot = self.page.evaluate(_SPOT, name)
        if spot is None:
            raise Stray(f"{name} cannot be pressed")
        return spot


class Game:
    """A recorded game that is played once more by gestures."""

    def __init__(self, recorded: Recorded, table: LiveTable, pages: list[Page]) -> None:
        self.recorded = recorded
        self.table = table
        self.people = [Person(page) for page in pages]
        self.number = 0
        self.clicks: collections.Counter[tuple[int, str]] = collections.Counter()
        self.times: collections.Counter[tuple[int, str]] = collections.Counter()

    def play(self) -> None:
        """All of it."""
        while self.number < len(self.recorded.steps):
            run = self.recorded.run(self.number)
            person = self.people[run[0].seat]
            self._settle(person)
            before = person.clicks
            try:
                kind = _gesture(person, self.table.line.state, run)
            except Error as error:
                raise Stray(f"after {self.number}: {run[:6]}: {str(error)[:300]}") from error
            self._follow(person, kind, run)
            key = (run[0].seat, kind)
            self.clicks[key] += person.clicks - before
            self.times[key] += 1

    def _settle(self, person: Person) -> None:
        """Waits until the page shows the position and knows where its choices lead."""
        for _ in range(_WAIT // 5):
            shown = person.page.evaluate(_DATA)
            if (
                shown.get("hash") == self.table.table.hash
                and shown.get("known") == "true"
                and shown.get("busy") == "false"
            ):
                return
            person.page.wait_for_timeout(5)
        raise Stray(f"the page does not settle: {shown}")

    def _follow(self, person: Person, kind: str, run: list[Step]) -> None:
        """Finds the recorded position that the gesture has led to."""
        start = self.table_state
        for _ in range(_WAIT // 5):
            if person.page.evaluate(_DATA).get("busy") == "false" and self.table_state != start:
                break
            if self.table_state in self.recorded.states[self.number + 1 :]:
                break
            person.page.wait_for_timeout(5)
        self._settle(person)
        after = self.recorded.states[self.number + 1 :]
        if self.table_state not in after:
            said = person.page.locator("#question").inner_text()
            raise Stray(f"{kind} led elsewhere after {self.number}: {run[:6]}; asked: {said}")
        self.number += 1 + after.index(self.table_state)

    @property
    def table_state(self) -> bytes:
        """The position of the table."""
        return self.table.line.state.tobytes()


def _gesture(person: Person, state: np.record, run: list[Step]) -> str:
    """Does the next of some choices by a gesture; what kind it was."""
    decision = run[0].decision
    names, choices = _down(ways_from(state), run)
    if decision in _PLANNED and len(names) > 1:
        return _planned(person, state, names, run[choices:])
    if decision == "casualty":
        person.numbers(_counts(_losses(state, run)))
        person.click("#act .primary")
    elif decision in _FIGURES:
        _pick(person, decision, run)
    elif decision in ("army-destination", "attack-target") and names[-1].startswith("region:"):
        _goal(person, decision, names[-1][7:], run[choices:])
    elif run[0].name.startswith("region:"):
        person.region(run[0].name[7:])
    else:
        person.click(
            f'#act [data-name="{run[0].name}"], #act [data-end*=" {run[0].name.partition(":")[2]} "]'
        )
    return decision


def _losses(state: np.record, run: list[Step]) -> list[str]:
    """The recorded losses for the hits of one question."""
    hits = KIND.picture(state, None)["about"]["hits"] if KIND.picture else 0
    taken = []
    for step in run:
        if step.decision != "casualty" or hits <= 0:
            break
        hits -= 2 if step.name.endswith("-elite") else 1
        taken.append(step.name)
    return taken


def _pick(person: Person, decision: str, run: list[Step]) -> None:
    names = _picked(run, (decision,))
    if names[0] in ("verb:decline", "verb:done"):
        person.click(f'#act [data-name="{names[0]}"]')
        return
    if names[0] != "verb:whole-army":
        person.numbers(_counts(names))
    person.click("#act .card-form .answer")


def _picked(run: list[Step], decisions: tuple[str, ...]) -> list[str]:
    """The answers to some questions one after another, those among them that the rules took."""
    steps = itertools.takewhile(lambda step: step.decision in decisions, run)
    return [name for step in steps for name in (step.name, *filter(_is_figure, step.forced))]


def _is_figure(name: str) -> bool:
    return name.startswith(("figure:", "character:"))


def _counts(names: Iterator[str] | list[str]) -> dict[str, int]:
    return dict(collections.Counter(name for name in names if not name.startswith("verb:")))


def _down(ways: list[dict[str, Any]], run: list[Step]) -> tuple[list[str], int]:
    """The names of recorded choices as far as ways lead, with the forced ones; and how many were chosen."""
    names: list[str] = []
    for chosen, step in enumerate(run):
        way = next((each for each in ways if _NAMES[each["id"]] == step.name), None)
        if way is None:
            return names, chosen
        names += [step.name, *(_NAMES[each] for each in way.get("forced", ()))]
        ways = way.get("ways", [])
        if not ways:
            return names, chosen + 1
    return names, len(run)


_PLANS = {
    "army-origin": "plan:move-armies",
    "attack-origin": "plan:attack",
    "minion-to-move": "plan:move-minions",
    "recruit-figure": "plan:recruit",
}


def _asked(state: np.record) -> str:
    """The name of the pending decision."""
    return code_name(Decision(int(state["decision"])))


def _planned(person: Person, state: np.record, names: list[str], rest: list[Step]) -> str:
    """What a die, or the next part of its plan, is used for."""
    parts: dict[str, list[str]] = collections.defaultdict(list)
    for name in names:
        kind, _, which = name.partition(":")
        parts[kind].append(which)
    plan = f"plan:{parts['plan'][0]}" if parts["plan"] else _PLANS[_asked(state)]
    die = parts["face"][0] if parts["face"] and _asked(state) == "action-die" else None
    if plan in ("plan:move-armies", "plan:attack") and len(parts["region"]) > 1:
        _army(person, state, plan, die, parts["region"], rest)
    elif plan == "plan:move-minions" and (len(parts["region"]) > 1 or parts["character"]):
        _minion(person, state, die, parts)
    elif plan == "plan:play-card" and parts["card"]:
        person.click(f'#hand [data-card="{parts["card"][0]}"]')
        _pay(person, die)
        person.click("#act .primary")
    elif parts["region"] or parts["nation"] or parts["figure"] or parts["verb"] or parts["character"]:
        _target(person, plan, die, parts)
    else:
        _choose_die(person, die, plan)
        person.click(f'#act [data-plan="{plan}"]')
    return plan


def _army(
    person: Person, state: np.record, plan: str, die: str | None, regions: list[str], rest: list[Step]
) -> None:
    origin, goal = regions[:2]
    picks = _picked(rest, _FIGURES[:2])
    split = bool(picks) and picks[0] != "verb:whole-army"
    attack = plan == "plan:attack"
    if origin == goal:
        person.region(origin)
    elif attack or not _pays(person, die, plan):
        shift = split and not attack and _all_but_one(state, origin, picks)
        if split and not attack and not shift:
            person.region(origin)
            person.numbers(_counts(picks))
            person.region(goal)
        else:
            person.drag(origin, goal, shift)
    else:
        person.region(origin)
        _pay(person, die)
        if split:
            person.numbers(_counts(picks))
        person.region(goal)
    if attack:
        _pay(person, die)
        if split:
            person.numbers(_counts(picks))
        person.click("#act .primary")


def _goal(person: Person, decision: str, goal: str, rest: list[Step]) -> None:
    """Of an army that the rules have chosen."""
    picks = _picked(rest, _FIGURES[:2])
    split = bool(picks) and picks[0] != "verb:whole-army"
    if split and decision == "army-destination":
        person.numbers(_counts(picks))
    person.region(goal)
    if decision == "attack-target":
        if split:
            person.numbers(_counts(picks))
        person.click("#act .primary")


def _minion(person: Person, state: np.record, die: str | None, parts: dict[str, list[str]]) -> None:
    if parts["character"]:
        shown = KIND.picture(state, None) if KIND.picture else {}
        who = parts["character"][0]
        origin = next(name for name, place in shown["regions"].items() if who in place["characters"])
        goal = parts["region"][0]
    else:
        who, (origin, goal) = "", parts["region"][:2]
    end = f"plan:move-minions    {who}  {origin} {goal}"
    _choose_die(person, die, "plan:move-minions")
    _drag_minion(person, origin, goal, end)


def _drag_minion(person: Person, origin: str, goal: str, end: str) -> None:
    lit = person.page.locator(f'.cell[data-region="{goal}"]')
    person.region(origin)
    words = lit.get_attribute("aria-label") or ""
    if "flies" not in words:  # an army could go there too
        person.page.keyboard.press("Escape")
        person.click('#act [data-plan="plan:move-minions"]')
        person.region(origin)
    person.region(goal)
    if person.has(f'#act [data-end="{end}"]'):
        person.click(f'#act [data-end="{end}"]')


def _target(person: Person, plan: str, die: str | None, parts: dict[str, list[str]]) -> None:
    figure, nation, character = (
        parts[each][0] if parts[each] else "" for each in ("figure", "nation", "character")
    )
    verb = parts["verb"][0] if parts["verb"] else ""
    region = parts["region"][0] if parts["region"] else ""
    end = f"{plan} {figure} {nation}  {character} {verb}  {region}"
    _choose_die(person, die, plan)
    if not person.has(f'#act [data-end="{end}"]'):
        person.click(f'#act [data-plan="{plan}"]')
    person.click(f'#act [data-end="{end}"]')


def _pays(person: Person, die: str | None, plan: str) -> bool:
    """Whether another die is to be chosen than the one that a gesture takes by itself."""
    return die is not None and not person.has(f'#act [data-plan="{plan}"][data-face="{die}"]')


def _all_but_one(state: np.record, region: str, picks: list[str]) -> bool:
    """Whether all figures of a region were picked but a Regular of the nation with the most."""
    place = KIND.picture(state, None)["regions"][region] if KIND.picture else {}
    side = SIDE_IDS[side_of(int(state["seat"]))]
    left = collections.Counter(f"character:{who}" for who in place["characters"] if _is_of(who, side))
    for army in place["armies"]:
        for nation, counts in army["figures"].items() if army["side"] == side else ():
            kinds = ("regular", "elite", "nazgul" if nation == "sauron" else "leader")
            left.update({f"figure:{nation}-{kind}": count for kind, count in zip(kinds, counts, strict=True)})
    regulars = {name: count for name, count in left.items() if name.endswith("-regular") and count}
    left.subtract(picks[:-1] if picks[-1] == "verb:done" else picks)
    rest = {name: count for name, count in left.items() if count}
    return (
        len(rest) == 1
        and list(rest.values()) == [1]
        and max(regulars, key=regulars.__getitem__, default="") in rest
    )


def _is_of(who: str, side: str) -> bool:
    return SIDE_IDS[int(CHARACTER_SIDE[CHARACTER_IDS.index(who)])] == side


def _pay(person: Person, die: str | None) -> None:
    """In the card of a gesture, if another die is proposed."""
    if die is None:
        return
    wanted = f'#act .payers [data-face="{die}"]'
    if person.has(f'{wanted}[aria-pressed="false"]'):
        person.click(wanted)


def _choose_die(person: Person, die: str | None, plan: str) -> None:
    """Before a gesture, if another die is proposed for a plan."""
    if die is not None and not person.has(f'#act [data-plan="{plan}"][data-face="{die}"]'):
        person.click(f'#act .payers [data-face="{die}"]')


def measure(
    games: Annotated[int, typer.Option(help="Recorded games of the bot against itself.")] = 10,
    bot: Annotated[str, typer.Option(help="Who played them.")] = "scripted",
    ruleset: Annotated[str, typer.Option(help="Of the games.")] = "first",
    seed: Annotated[int, typer.Option(help="Of the first game.")] = 1,
) -> None:
    """Prints clicks for each action die by side, and what gestures cost."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    clicks: collections.Counter[tuple[int, str]] = collections.Counter()
    times: collections.Counter[tuple[int, str]] = collections.Counter()
    dice = np.zeros(2, dtype=int)
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder), tables_at_once=1000).running() as server,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in range(seed, seed + games):
            recorded = Recorded(number, bot, ruleset)
            table = server.open(_PEOPLE, ruleset, number)
            pages = [browser.new_page(viewport=_SIZE) for _ in Side]
            for page, name in zip(pages, _PEOPLE, strict=True):
                page.add_init_script(_STILL)
                page.goto(table.link(name))
            game = Game(recorded, table, pages)
            try:
                game.play()
            except Stray as stray:
                print(f"game {number} is left out: {stray}", flush=True)
                continue
            finally:
                for page in pages:
                    page.close()
            clicks += game.clicks
            times += game.times
            dice += recorded.dice
            print(
                f"game {number}: {sum(game.clicks.values()) / sum(recorded.dice):.2f} clicks a die",
                flush=True,
            )
        browser.close()
    for side in Side:
        mine = sum(count for (seat, _), count in clicks.items() if seat == side)
        print(f"{side.name.lower()}: {mine} clicks, {dice[side]} action dice: {mine / dice[side]:.2f}")
    for (seat, kind), count in clicks.most_common():
        print(f"  {seat} {kind}: {count} clicks in {times[seat, kind]} gestures")


if __name__ == "__main__":
    typer.run(measure)
