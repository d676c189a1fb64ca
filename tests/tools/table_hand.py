"""The hand of a person at the page of War of the Ring: recorded choices as clicks, drags and keys."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np

from tests.tools.table_person import Person, Step
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
    names, followed = _down(choice_tree(state), run)
    if decision in _PLANNED and len(names) > 1:
        return _planned(person, state, names, run[followed:])
    if decision == "casualty":
        _lose(person, _losses(state, run))
    elif decision in _FIGURES:
        _pick(person, decision, run)
    elif decision in _GROUPS:
        _group(person, decision, run)
    elif decision in ("army-destination", "attack-target") and names[-1].startswith("region:"):
        _goal(person, decision, names[-1][7:], run[followed:])
    elif decision == "declare-fellowship" and len(names) > 1:
        person.click(f'#act [data-guide="{names[1].partition(":")[2]}"]')
    elif run[0].name.startswith("region:"):
        person.region(run[0].name[7:])
    else:
        person.click(
            f'#act [data-name="{run[0].name}"], #act [data-end*=" {run[0].name.partition(":")[2]} "]'
        )
    return decision


def _lose(person: Person, losses: list[str]) -> None:
    """One hit by one press, more by numbers."""
    if person.has("#act [data-figure]"):
        person.numbers(_counts(losses))
        person.click("#act .primary")
    else:
        person.click(f'#act [data-name="{losses[0]}"]')


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


def _down(choices: list[dict[str, Any]], run: list[Step]) -> tuple[list[str], int]:
    """The names of recorded choices as far as the choice tree leads, with the forced ones; and how many were
    chosen."""
    names: list[str] = []
    for chosen, step in enumerate(run):
        choice = next((each for each in choices if _NAMES[each["id"]] == step.name), None)
        if choice is None:
            return names, chosen
        names += [step.name, *(_NAMES[each] for each in choice.get("forced", ()))]
        choices = choice.get("choices", [])
        if not choices:
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
        _play(person, parts["card"][0], die)
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
        person.drag(origin, goal, leave=True)
    else:
        person.region(origin)
        person.numbers(_counts(picks))
        person.region(goal)
    if attack:
        if split:
            person.numbers(_counts(picks))
        _pay(person, die)


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

    def leads(choices: list[dict[str, Any]], before: list[str]) -> bool:
        for choice in choices:
            names = [*before, _NAMES[choice["id"]], *(_NAMES[each] for each in choice.get("forced", ()))]
            armies = not {"plan:move-armies", "plan:attack"}.isdisjoint(names)
            regions = [name[7:] for name in names if name.startswith("region:")]
            if (armies and regions[:2] == [origin, goal]) or leads(choice.get("choices", []), names):
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
        person.click(f'#act [data-plan="{plan}"]', "plan")
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
    """Confirms a gesture with a die, if it needs one."""
    other = f'#act [data-pay="{die}"]'
    person.click(other if die is not None and person.has(other) else "#act .primary", "confirm")


def _play(person: Person, card: str, die: str | None) -> None:
    """A card from the hand by its button; where it has none, by the card and its form."""
    button = f'#hand [data-play="{card}"]' + ("" if die is None else f'[data-pay="{die}"]')
    if person.has(button):
        person.click(button, "card")
    else:
        person.click(f'#hand [data-card="{card}"]', "card")
        _pay(person, die)


def _choose_die(person: Person, die: str | None, plan: str) -> None:
    """Before a gesture, if another die is proposed for a plan."""
    if die is not None and not person.has(f'#act [data-plan="{plan}"][data-face="{die}"]'):
        person.click(f'#act .payers [data-face="{die}"]', "die")
