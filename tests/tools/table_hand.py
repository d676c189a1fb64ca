"""The hand of a person at the page of the web table: choices of a recorded game as clicks, drags and keys."""

from __future__ import annotations

import collections
import itertools
import time
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Page

from wotr_env.games.war_of_the_ring.actions import code_name
from wotr_env.games.war_of_the_ring.choice_tree import choice_tree
from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Decision
from wotr_env.games.war_of_the_ring.components import CHARACTER_SIDE
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, picture
from wotr_env.games.war_of_the_ring.seating import side_of

_NAMES = KIND.actions.names
_FIGURES = ("move-figures", "attack-figures", "advance-figures", "stay-behind")
_GROUPS = ("separate-group", "companion-group")
_PLANNED = ("action-die", "action-plan", "army-origin", "attack-origin", "minion-to-move", "recruit-figure")
_PATIENCE = 30.0
"""Seconds for the page to show what is to be pressed, on a busy machine."""
_PRESSED = """async (selector) => {
    const middle = () => {
        const found = document.querySelector(selector);
        if (!found || found.disabled) return null;
        found.scrollIntoView({ block: "nearest" });
        const { left, top, width, height } = found.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const hit = document.elementFromPoint(x, y);
        return hit && found.contains(hit) ? [x, y] : null;
    };
    const before = String(middle());
    await new Promise(requestAnimationFrame);
    const after = middle();
    return String(after) === before ? after : null;
}"""
"""Where to press what rests and is covered by nothing; null if there is no such place."""
_SPOT = """async (id) => {
    const offsets = [[0, 0], [0, -15], [0, 7], [9, 0], [-9, 0], [0, 16], [16, 12], [-16, 12], [14, -2]];
    const spot = () => {
        const at = document.querySelector(`.contents[data-region="${id}"]`).getScreenCTM();
        for (const [x, y] of offsets) {
            const [left, top] = [at.e + x, at.f + y];
            const hit = document.elementFromPoint(left, top)?.closest("[data-region]");
            if (hit?.dataset.region === id) return [left, top];
        }
        return null;
    };
    const before = String(spot());
    await new Promise(requestAnimationFrame);
    const after = spot();
    return String(after) === before ? after : null;
}"""
"""Where to press a region of a map that rests; null if there is no such place."""


class Step(NamedTuple):
    """A choice of the recorded game."""

    seat: int
    decision: str
    name: str
    forced: tuple[str, ...]
    """What the rules took after it without asking."""


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
        """Clicks the first element, as soon as it can be.

        Raises:
            Stray: it cannot be clicked.
        """
        self.page.mouse.click(*self._at_rest(_PRESSED, selector))
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
        return self._at_rest(_SPOT, name)

    def _at_rest(self, script: str, what: str) -> list[float]:
        """Where a script finds the place to press, as soon as it does."""
        end = time.monotonic() + _PATIENCE
        while (spot := self.page.evaluate(script, what)) is None:
            if time.monotonic() > end:
                raise Stray(f"{what} cannot be pressed")
            self.page.wait_for_timeout(10)
        return spot


def asked(state: np.record) -> str:
    """The name of the pending decision."""
    return code_name(Decision(int(state["decision"])))


def gesture(person: Person, state: np.record, run: list[Step]) -> str:
    """Does the next of some choices of a seat by a gesture.

    Args:
        person: at the page of the seat.
        state: that waits for the first of them.
        run: the choices that the seat made one after another.

    Returns:
        What kind of gesture it was.

    Raises:
        Stray: the page does not offer it.
    """
    decision = run[0].decision
    names, choices = _down(choice_tree(state), run)
    if decision in _PLANNED and len(names) > 1:
        return _planned(person, state, names, run[choices:])
    if decision == "casualty":
        person.numbers(_counts(_losses(state, run)))
        person.click("#act .primary")
    elif decision in _FIGURES:
        _pick(person, decision, run)
    elif decision in _GROUPS:
        _group(person, decision, run)
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
    hits = picture(state, None)["about"]["hits"]
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


def _group(person: Person, decision: str, run: list[Step]) -> None:
    """Who leaves the Fellowship, or moves: one by his name, several by numbers."""
    names = _picked(run, (decision,))
    alone = f'#act [data-alone="{names[0]}"]'
    if len(names) == 1 + names.count("verb:done") == 2 and person.has(alone):
        person.click(alone)
    else:
        _pick(person, decision, run)


def _picked(run: list[Step], decisions: tuple[str, ...]) -> list[str]:
    """The answers to some questions one after another, those among them that the rules took."""
    steps = itertools.takewhile(lambda step: step.decision in decisions, run)
    return [name for step in steps for name in (step.name, *filter(_is_figure, step.forced))]


def _is_figure(name: str) -> bool:
    return name.startswith(("figure:", "character:"))


def _counts(names: list[str]) -> dict[str, int]:
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


def _planned(person: Person, state: np.record, names: list[str], rest: list[Step]) -> str:
    """What a die, or the next part of its plan, is used for."""
    parts: dict[str, list[str]] = collections.defaultdict(list)
    for name in names:
        kind, _, which = name.partition(":")
        parts[kind].append(which)
    plan = f"plan:{parts['plan'][0]}" if parts["plan"] else _PLANS[asked(state)]
    die = parts["face"][0] if parts["face"] and asked(state) == "action-die" else None
    if plan in ("plan:move-armies", "plan:attack") and len(parts["region"]) > 1:
        _army(person, state, plan, die, parts["region"], rest)
    elif plan == "plan:move-minions" and (len(parts["region"]) > 1 or parts["character"]):
        _minion(person, state, die, parts)
    elif plan == "plan:play-card" and parts["card"]:
        person.click(f'#hand [data-card="{parts["card"][0]}"]')
        _pay(person, die)
        person.click("#act .primary")
    elif rest and rest[0].decision in _GROUPS and rest[0].name != "verb:done" and parts["character"]:
        _choose_die(person, die, plan)
        person.click(f'#act [data-together="{plan}"]')
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
    if not attack:
        _choose_die(person, die, plan)
    if origin == goal:
        person.region(origin)
    elif attack or not split:
        person.drag(origin, goal)
    elif _all_but_one(state, origin, picks):
        person.drag(origin, goal, shift=True)
    else:
        person.region(origin)
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
        shown = picture(state, None)
        who = parts["character"][0]
        origin = next(name for name, place in shown["regions"].items() if who in place["characters"])
        goal = parts["region"][0]
    else:
        who, (origin, goal) = "", parts["region"][:2]
    end = f"plan:move-minions    {who}  {origin} {goal}"
    _choose_die(person, die, "plan:move-minions")
    if _army_goes_too(state, origin, goal):
        person.click('#act [data-plan="plan:move-minions"]')
    person.drag(origin, goal)
    if person.has(f'#act [data-end="{end}"]'):
        person.click(f'#act [data-end="{end}"]')


def _army_goes_too(state: np.record, origin: str, goal: str) -> bool:
    """Whether a drag would be an army's, which is more usual than that of a Nazgul."""

    def leads(ways: list[dict[str, Any]], before: list[str]) -> bool:
        for way in ways:
            names = [*before, _NAMES[way["id"]], *(_NAMES[each] for each in way.get("forced", ()))]
            armies = not {"plan:move-armies", "plan:attack"}.isdisjoint(names)
            regions = [name[7:] for name in names if name.startswith("region:")]
            if (armies and regions[:2] == [origin, goal]) or leads(way.get("ways", []), names):
                return True
        return False

    return leads(choice_tree(state), [])


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


def _all_but_one(state: np.record, region: str, picks: list[str]) -> bool:
    """Whether all figures of a region were picked but a Regular of the nation with the most."""
    place = picture(state, None)["regions"][region]
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
