"""What cannot be chosen says why, and each reason is true by the rules."""

from __future__ import annotations

import collections
import itertools
import json

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import IDS, any_choice, decision, ends, open_at
from tests.table.pages import sit_down, tap
from tests.web_tables import PEOPLE, SHORT
from wotr_env.games.duel import why as duel_why
from wotr_env.games.war_of_the_ring.choice_tree import choice_tree
from wotr_env.games.war_of_the_ring.codes import Face, Nation, Side
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    NATION_SIDE,
    NEIGHBOURS,
    REGION_IDS,
    REGION_NATION,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.rules import movement, politics
from wotr_env.games.war_of_the_ring.rules.armies import is_garrison
from wotr_env.games.war_of_the_ring.rules.battle import attack
from wotr_env.games.war_of_the_ring.rules.events.playing import can_play_event, condition_holds
from wotr_env.games.war_of_the_ring.seating import side_of
from wotr_env.play.games import game_kind
from wotr_experiments.table.line import Line

pytestmark = pytest.mark.slow

ASKED = ("action-die", "action-plan", "army-origin", "attack-origin")
POSITIONS = 20
REASONS = """async (positions) => {
    const page = "/static/war_of_the_ring";
    const modules = ["why", "paths"].map((name) => import(`${page}/${name}.js`));
    const [{ Asked }, { pathsOf }] = await Promise.all(modules);
    const id = location.pathname.split("/").at(-1);
    const board = await (await fetch(`/api/tables/${id}/board`)).json();
    return positions.map(({ picture, side, decision, legal, tree }) => {
        const paths = pathsOf({ question: { decision }, picture, legal }, tree, board.actions);
        const asked = new Asked({ board, picture, side, decision, paths });
        const all = board.regions.map(({ id }) => id);
        const origins = [...new Set(paths.map(({ from }) => from).filter(Boolean))];
        const busy = new Set(paths.map(({ from, to }) => from ?? to));
        const found = all.filter((id) => !busy.has(id)).map((id) => ["region", asked.region(id), id]);
        for (const from of origins) {
            const goals = new Set(paths.filter((path) => path.from === from).map(({ to }) => to));
            for (const id of all.filter((each) => each !== from && !goals.has(each))) {
                found.push(["goal", asked.goal(from, id), from, id]);
            }
        }
        for (const id of Object.values(picture.hands).flatMap(({ hand }) => hand ?? [])) {
            if (!paths.some(({ card }) => card === id)) found.push(["card", asked.card(id), id]);
        }
        for (const { id } of board.nations) {
            if (!paths.some(({ nation }) => nation === id)) found.push(["nation", asked.nation(id), id]);
        }
        return found.filter(([, reason]) => reason !== null);
    });
}"""


def positions() -> list[Line]:
    """Positions in which a seat chooses dice or armies, from games by chance."""
    found: list[Line] = []
    for seed in range(1, 60):
        line = Line(WAR_OF_THE_RING, WAR_OF_THE_RING.find_ruleset("first:max_turns=9"), seed)
        rng = np.random.default_rng(seed)
        while not line.over and line.number < 500:
            if decision(line) in ASKED and rng.random() < 0.05:
                found.append(line.copy())
            line.step(any_choice(line, rng))
        if len(found) >= POSITIONS:
            break
    return found[:POSITIONS]


def asked_of(line: Line) -> dict:
    """What the page knows of a position."""
    state = line.state
    return {
        "picture": picture(state, int(state["seat"])),
        "side": Side(side_of(int(state["seat"]))).name.lower(),
        "decision": decision(line),
        "legal": [{"id": action} for action in line.legal],
        "tree": choice_tree(state),
    }


class Truth:
    """What the rules say about a position."""

    def __init__(self, line: Line) -> None:
        self.state = line.state
        self.side = side_of(int(self.state["seat"]))
        found = ends(line)
        self.names = {name for end in found for name in end}
        self.pairs = {pair for end in found for pair in itertools.pairwise(end)}

    def check(self, kind: str, code: str, *ids: str) -> None:
        """Fails if a reason is not true, or not enough."""
        getattr(self, f"{kind}_{code.replace('-', '_')}")(*ids)

    def peaceful(self, region: int) -> bool:
        nations = [each for each in Nation if NATION_SIDE[each] == self.side]
        units = [
            each
            for each in nations
            if self.state["regular"][region, each] + self.state["elite"][region, each]
        ]
        return all(self.state["steps_to_war"][each] for each in units)

    def never(self, name: str) -> None:
        assert name not in self.names

    def region_no_army(self, name: str) -> None:
        assert self.state["units"][REGION_IDS.index(name), self.side] == 0
        assert ("plan:move-armies", f"region:{name}") not in self.pairs
        assert ("plan:attack", f"region:{name}") not in self.pairs

    def region_no_die(self, name: str) -> None:
        self.never("plan:move-armies")
        self.never("plan:attack")

    def region_peace(self, name: str) -> None:
        region = REGION_IDS.index(name)
        assert self.peaceful(region)
        assert not attack.can_attack_from(self.state, self.side, region, Need.NOBODY)

    def region_besieged(self, name: str) -> None:
        region = REGION_IDS.index(name)
        assert is_garrison(self.state, self.side, region)
        assert not movement.can_move_from(self.state, self.side, region, Need.NOBODY)

    def goal_far(self, origin: str, name: str) -> None:
        assert REGION_IDS.index(name) not in NEIGHBOURS[REGION_IDS.index(origin)]

    def goal_peace(self, origin: str, name: str) -> None:
        region = REGION_IDS.index(origin)
        assert self.peaceful(region)
        assert not attack.can_attack_from(self.state, self.side, region, Need.NOBODY)
        assert self.state["units"][REGION_IDS.index(name), 1 - self.side]

    def goal_border(self, origin: str, name: str) -> None:
        region, goal = REGION_IDS.index(origin), REGION_IDS.index(name)
        assert self.peaceful(region) and REGION_NATION[goal] >= 0
        assert not movement.can_move_to(self.state, self.side, region, goal, Need.NOBODY)

    def goal_enemy(self, origin: str, name: str) -> None:
        region, goal = REGION_IDS.index(origin), REGION_IDS.index(name)
        assert self.state["units"][goal, 1 - self.side]
        assert not movement.can_move_to(self.state, self.side, region, goal, Need.NOBODY)

    def card_no_die(self, name: str) -> None:
        faces = [face for face in Face if self.state["dice"][self.side, face]]
        assert not any(can_play_event(self.state, CARD_IDS.index(name), int(face)) for face in faces)

    def card_condition(self, name: str) -> None:
        assert not condition_holds(self.state, CARD_IDS.index(name))

    def nation_other_side(self, name: str) -> None:
        assert NATION_SIDE[Nation[name.upper()]] != self.side

    def nation_at_war(self, name: str) -> None:
        assert self.state["steps_to_war"][Nation[name.upper()]] == 0

    def nation_passive(self, name: str) -> None:
        assert not politics.can_advance(self.state, Nation[name.upper()])

    def nation_no_die(self, name: str) -> None:
        self.never("plan:advance-nation")
        self.never("plan:companion-advance")


def test_every_reason_is_true(open_page, server):
    page = sit_down(open_page, server.open(PEOPLE, SHORT))
    lines = positions()
    told = page.evaluate(REASONS, json.loads(json.dumps([asked_of(line) for line in lines])))
    counts: collections.Counter[str] = collections.Counter()
    for line, reasons in zip(lines, told, strict=True):
        truth = Truth(line)
        for kind, (code, _), *ids in reasons:
            truth.check(kind, code, *ids)
            counts[f"{kind} {code}"] += 1
    assert len(counts) >= 11, counts


def test_a_press_that_does_nothing_says_why(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and line.is_legal(IDS["face:army-muster"]))
    page = sit_down(open_page, table)
    why = page.get_by_role("status")
    tap(page, "khand")
    why.get_by_text("No army of yours is in Khand.").wait_for()
    page.locator(".dice.shadow span.die").first.click()
    why.get_by_text("This is a die of the other side.").wait_for()
    tap(page, "osgiliath")
    assert why.inner_text() == ""
    tap(page, "khand")
    why.get_by_text("Khand is not next to Osgiliath.").wait_for()
    assert table.table.hash == page.evaluate("document.body.dataset.hash")


def test_a_drawn_game_says_why_something_cannot_be_chosen(open_page, server):
    kind = game_kind("duel")
    line = Line(kind, kind.find_ruleset(), 6)
    rng = np.random.default_rng(6)
    actions: list[int] = []

    def told() -> dict[str, str]:
        return {
            code: name for name, (code, _) in duel_why.reasons(line.state).items() if name.startswith("play:")
        }

    while not {"cost", "covered"} <= told().keys():
        actions.append(any_choice(line, rng))
        line.step(actions[-1])
    seats = {"fellowship": "person", "sauron": "person"}
    table = server.open(seats, "", seed=6, game="duel", actions=actions)
    page = open_page(table.link(table.seat))
    bubble = page.get_by_role("status")
    for name in told().values():
        part = page.locator(f"#map svg [data-actions~='{name}']")
        part.click(position={"x": 8, "y": 8})
        assert bubble.inner_text() == f"{duel_why.reasons(line.state)[name].text}."
    page.locator("#map svg [data-tip^='Step 3 of the ring track']").click()
    assert bubble.inner_text().startswith("Step 3 of the ring track. Gives a coin")
    assert table.table.hash == page.evaluate("document.body.dataset.hash")


def test_a_drawn_game_says_what_is_asked(open_page, server):
    table = server.open({"fellowship": "person", "sauron": "person"}, "", seed=6, game="duel")
    page = open_page(table.link("sauron" if table.seat == "fellowship" else "fellowship"))
    page.wait_for_selector("#map svg [data-tip]")
    page.locator("#map svg [data-tip]").first.click()
    said = page.get_by_role("status").inner_text()
    assert "This cannot be chosen now. " in said and said.endswith(" decides.")
