"""Gestures at the page of the web table: each is a few clicks, and does all that a person meant by it."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import any_choice, decision, ends, open_at, reach
from tests.table.pages import (
    PHONE,
    changing,
    drag,
    press,
    press_on,
    settle,
    sit_down,
    spot_of,
    tap,
    wait_until,
)
from tests.tools.live_table import LiveTable, legal_names
from tests.tools.pictures import FREE_PEOPLES, SEED, position
from tests.web_tables import PEOPLE
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_experiments.table.line import Line

pytestmark = pytest.mark.slow

FACES = {"army": "Army", "army-muster": "Army/Muster", "character": "Character", "will": "Will of the West"}


def army_dice(server) -> LiveTable:
    """A table where the Free Peoples may use an Army die."""
    return open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))


def figures(table: LiveTable, region: str) -> dict:
    """The figures of the one army of a region, by nation."""
    (army,) = picture(table.line.state, 0)["regions"][region]["armies"]
    return army["figures"]


def test_an_army_moves_by_two_clicks_and_comes_back_by_undo(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    start = table.line.number
    tap(page, "osgiliath")
    with changing(page, table):
        tap(page, "lossarnach")
    assert table.played[start:] == [
        "face:army-muster", "plan:move-armies", "region:osgiliath", "region:lossarnach", "verb:whole-army"
    ]  # fmt: skip
    assert page.locator(".contents[data-region='lossarnach'] .plate").count() == 1
    assert page.locator("#do-undo").inner_text() == "Undo"
    page.keyboard.press("u")
    page.locator(".contents[data-region='osgiliath'] .plate").wait_for()
    settle(page, table)
    assert table.line.number == start


def test_the_second_army_goes_by_a_drag_and_the_rest_can_be_left(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    with changing(page, table):
        drag(page, "osgiliath", "lossarnach")
    assert decision(table.line) == "army-origin"
    with changing(page, table):
        drag(page, "pelargir", "lossarnach")
    assert figures(table, "lossarnach") == {"gondor": [3, 0, 0]}
    assert table.seat == "shadow"


def test_an_army_is_split_by_numbers_and_one_undo_takes_all_of_it_back(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    start = table.line.number
    tap(page, "osgiliath")
    page.get_by_role("radio", name="1 of 2, Regular of Gondor").click()
    with changing(page, table):
        tap(page, "lossarnach")
    assert figures(table, "osgiliath") == figures(table, "lossarnach") == {"gondor": [1, 0, 0]}
    assert table.played[-1] == "verb:done"
    page.locator("#do-undo").click()
    wait_until(page, lambda: table.line.number == start, "an undo")
    settle(page, table)


def test_another_die_pays_by_one_click(open_page, server):
    def wanted(line):
        return line.seat == 0 and {"face:army-muster", "face:will"} <= set(legal_names(line))

    table = open_at(server, wanted)
    page = sit_down(open_page, table)
    start = table.line.number
    tap(page, "osgiliath")
    page.get_by_role("button", name="pay with the Will of the West die").click()
    with changing(page, table):
        tap(page, "lossarnach")
    assert table.played[start] == "face:will"


def besieging(names: list[str]) -> bool:
    """Whether choices lead to an attack within a region."""
    regions = [name for name in names if name.startswith("region:")]
    return "plan:attack" in names and len(regions) == 2 and regions[0] == regions[1]


@functools.cache
def besieges(seat: int) -> Callable[[Line], bool]:
    """Whether a seat may attack within a region by a die."""

    def wanted(line: Line) -> bool:
        return line.seat == seat and decision(line) == "action-die" and any(map(besieging, ends(line)))

    return wanted


@pytest.mark.parametrize(("seat", "name"), [(1, "shadow"), (0, "free_peoples")], ids=["assault", "sortie"])
def test_an_assault_and_a_sortie(open_page, server, seat, name):
    table = open_at(server, besieges(seat), ruleset="first", most=700, choose=any_choice)
    page = sit_down(open_page, table, name)
    region = next(each[-1] for each in ends(table.line) if besieging(each))
    start = table.line.number
    tap(page, region[7:])
    assert "%" in page.locator(".odds .win").first.inner_text()
    words = page.locator(".odds").inner_text()
    assert "without Combat cards" in words
    assert ("to destroy the garrison in this action" in words) == (name == "shadow")
    with changing(page, table):
        page.locator("#act .card-form").get_by_role("button", name="no undo after a roll or a card").click()
    assert table.played[start + 1] == "plan:attack"


def test_recruiting_by_clicks(open_page, server):
    def wanted(line):
        return line.seat == 0 and any("plan:recruit" in names for names in ends(line))

    table = open_at(server, wanted, ruleset="first", most=400, choose=any_choice)
    page = sit_down(open_page, table)
    start = table.line.number
    if not page.locator("#act [data-end^='plan:recruit']").count():
        page.locator("#act [data-plan='plan:recruit']").click()
    with changing(page, table):
        page.locator("#act [data-end^='plan:recruit']").first.click()
    assert "plan:recruit" in table.played[start:]


def test_politics_by_one_click_and_the_fellowship_by_one(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    start = table.line.number
    with changing(page, table):
        page.locator("#state [data-nation='rohan']").click()
    assert table.played[start + 1 :] == ["plan:advance-nation", "nation:rohan"]
    table = army_dice(server)
    page = sit_down(open_page, table)
    with changing(page, table):
        page.locator("#state").get_by_role("button", name="Move the Fellowship").click()
    assert "plan:move-fellowship" in table.played


def test_a_card_is_confirmed_and_what_a_die_can_do_is_listed(open_page, server):
    def wanted(line):
        plays = {name for names in ends(line) for name in names if name.startswith("card:")}
        return line.seat == 0 and decision(line) == "action-die" and len(plays) > 0

    table = open_at(server, wanted)
    page = sit_down(open_page, table)
    card = next(name for names in ends(table.line) for name in names if name.startswith("card:"))
    start = table.line.number
    page.locator(f"#hand [data-card='{card[5:]}']").click()
    assert page.get_by_role("form", name="Play a card").is_visible()
    page.keyboard.press("Escape")
    assert table.line.number == start
    page.locator("#state button.die").first.click()
    assert page.locator("#act [data-plan]").count() > 0
    assert page.locator("#act .payers").inner_text().startswith("only with")


def test_a_choice_that_is_made_outlives_a_push_that_does_not_concern_it(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    tap(page, "osgiliath")
    page.get_by_role("radio", name="1 of 2, Regular of Gondor").click()
    other = sit_down(open_page, table, "shadow")
    page.get_by_text("here", exact=True).wait_for()
    assert page.get_by_role("radio", name="1 of 2, Regular of Gondor").get_attribute("aria-checked") == "true"
    other.close()


def separating(line) -> bool:
    """Whether one of several Companions may be separated by a die."""
    return line.seat == 0 and sum("plan:separate-companions" in names for names in ends(line)) > 2


def test_one_companion_leaves_by_his_name_and_where_he_goes(open_page, server):
    table = open_at(server, separating)
    page = sit_down(open_page, table)
    start = table.line.number
    with changing(page, table):
        page.locator("#act [data-end^='plan:separate-companions'][data-end*=' legolas ']").click()
    assert table.played[start:][-2:] == ["character:legolas", "verb:done"]
    assert decision(table.line) == "separate-destination"
    page.keyboard.press("u")
    wait_until(page, lambda: table.line.number == start, "an undo")
    settle(page, table)


def test_several_companions_leave_together(open_page, server):
    table = open_at(server, separating)
    page = sit_down(open_page, table)
    with changing(page, table):
        page.locator("#act [data-together='plan:separate-companions']").click()
    assert decision(table.line) == "separate-group"
    assert page.locator("#act [data-alone='character:gimli']").count() == 1
    for name in ("gimli", "legolas"):
        page.locator(f"#act [data-figure='character:{name}'] [data-count='1']").click()
    with changing(page, table):
        page.get_by_role("button", name="These leave the Fellowship").click()
    assert set(table.played[-3:]) == {"character:gimli", "character:legolas", "verb:done"}


@pytest.mark.parametrize("study", [False, True])
def test_an_attack_says_whether_it_can_be_taken_back(open_page, server, study):
    seed, actions = reach(besieges(1), ruleset="first", most=700, choose=any_choice)
    table = server.open(PEOPLE, "first", seed, actions, study=study)
    page = sit_down(open_page, table, "shadow")
    tap(page, next(each[-1] for each in ends(table.line) if besieging(each))[7:])
    attack = page.locator("#act .card-form .primary")
    words = attack.inner_text()
    assert ("no undo after a roll" in words, "noted in the record" in words) == (not study, study)


def test_the_button_of_an_attack_stays_where_it_is_when_the_odds_arrive(open_page, server):
    table = open_at(server, besieges(1), ruleset="first", most=700, choose=any_choice)
    page = sit_down(open_page, table, "shadow")
    tap(page, next(each[-1] for each in ends(table.line) if besieging(each))[7:])
    page.locator(".odds .win").first.wait_for()
    attack = page.get_by_role("button", name="no undo after a roll or a card")
    before = attack.bounding_box()
    page.locator(".card-form .odds").evaluate("(odds) => odds.replaceChildren()")
    assert attack.bounding_box() == before


def test_an_attack_of_nobody_cannot_be_confirmed_also_when_its_card_is_drawn_again(open_page, server):
    def wanted(line):
        return any("plan:attack" in names and not besieging(names) for names in ends(line)) and line.seat == 1

    table = open_at(server, wanted, ruleset="first", most=700, choose=any_choice)
    names = next(each for each in ends(table.line) if "plan:attack" in each and not besieging(each))
    origin, target = [name[7:] for name in names if name.startswith("region:")]
    page = sit_down(open_page, table, "shadow")
    tap(page, origin)
    tap(page, target)
    attack = page.get_by_role("button", name="no undo after a roll or a card")
    for zero in page.locator("#act [data-figure] [data-count='0']").all():
        zero.click()
    assert attack.is_disabled()
    page.keyboard.press("h")
    page.get_by_role("region", name="Hint").wait_for()
    assert attack.is_disabled()


def test_a_part_that_is_drawn_again_stays_where_it_was_scrolled(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table, viewport={"width": 1000, "height": 420})
    act = page.locator("#act")
    act.evaluate("(act) => (act.scrollTop = 30)")
    page.keyboard.press("Escape")  # draws it again
    assert act.evaluate("(act) => act.scrollTop") == 30


def test_losses_are_proposed_and_enter_takes_them(open_page, server):
    table = open_at(
        server, lambda line: decision(line) == "casualty", ruleset="first", most=900, choose=any_choice
    )
    page = sit_down(open_page, table, table.seat)
    assert page.locator("#act .battle").count() == 1
    form = page.get_by_role("form", name="Losses")
    taken, _, hits = form.locator("output").inner_text().partition(" of ")
    assert 0 < int(taken) <= int(hits.split()[0])
    with changing(page, table):
        page.keyboard.press("Enter")


def test_places_beyond_the_letters_have_two(open_page, server):
    def wanted(line):
        return decision(line) == "minion-destination"

    table = open_at(server, wanted, ruleset="first", most=400, choose=any_choice)
    page = sit_down(open_page, table, "shadow")
    labels = page.locator(".marks [data-at] > text").all_text_contents()
    assert len(labels) > 23 and len(set(labels)) == len(labels)
    with changing(page, table):
        page.keyboard.type(next(label for label in labels if len(label) == 2))


HIDDEN_NAMES = """(least) => {
    const boxes = (css) => [...document.querySelectorAll(css)].map((part) => {
        return [part.textContent, part.getBoundingClientRect()];
    });
    const shared = (one, other) => Math.min(
        Math.min(one.right, other.right) - Math.max(one.left, other.left),
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    );
    const letters = boxes(".marks [data-at] > rect");
    const hidden = ([, name]) => letters.some(([, letter]) => shared(name, letter) > least);
    return boxes(".name:not(.away)").filter(hidden);
}"""
"""The names of the map that a letter hides by more than some pixels in both directions."""


def test_on_a_tablet_no_letter_hides_a_name(open_page, server):
    table = server.open(PEOPLE, "first", SEED, position(FREE_PEOPLES).actions)
    page = sit_down(open_page, table, viewport={"width": 820, "height": 1180})
    page.locator(".marks [data-at='lamedon']").wait_for()
    assert "Lamedon" in page.locator(".name:not(.away)").all_text_contents()
    assert page.evaluate(HIDDEN_NAMES, 3) == []


def test_shift_leaves_one_regular_behind(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    with changing(page, table):
        page.keyboard.down("Shift")
        drag(page, "minas-tirith", "lossarnach")
        page.keyboard.up("Shift")
    assert figures(table, "minas-tirith") == {"gondor": [1, 0, 0]}
    assert figures(table, "lossarnach") == {"gondor": [2, 1, 1]}


def test_what_others_do_is_shown_in_turn_and_a_key_skips_it(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "random"}, "first:max_turns=2")
    page = sit_down(open_page, table)
    page.evaluate("localStorage.setItem('wotr.speed', 'slow')")
    page.evaluate("void (window.setTimeout = () => 0)")  # so what is shown stays
    for number in range(40):
        press_on(page, table, number)
        settle(page, table)
        if page.locator(".caption:visible").count():
            break
    assert page.locator(".caption .side").first.inner_text() == "Shadow"
    asked = page.locator("#question").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".caption:visible").count() == 0
    assert page.locator("#question").inner_text() == asked
    page.emulate_media(reduced_motion="reduce")
    press_on(page, table, 0)
    settle(page, table)
    assert page.locator(".caption:visible").count() == 0


def test_a_hint_of_a_chosen_bot(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Bot that gives hints").select_option("random")
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("h")
    page.get_by_role("region", name="Hint").wait_for()
    assert page.locator(".hint select").input_value() == "random"
    press(page, table, page.get_by_role("button", name="Do this"))


def test_a_recorded_turn_is_played_once_more_by_gestures(browser, server):
    from tests.tools.table_clicks import Recorded, play

    recorded = Recorded(1, "scripted", "first:max_turns=1")
    played = play(browser, server, recorded)
    assert played.number == len(recorded.steps)
    dice = sum(recorded.dice.values())
    assert dice <= played.clicks.total() == played.pressed.total() <= 5 * dice


def test_a_card_is_played_at_once_by_its_button(open_page, server):
    def wanted(line):
        plays = {name for names in ends(line) for name in names if name.startswith("card:")}
        return line.seat == 0 and decision(line) == "action-die" and len(plays) > 0

    table = open_at(server, wanted)
    page = sit_down(open_page, table)
    start = table.line.number
    button = page.locator("#hand .play").last
    face, card = button.get_attribute("data-pay"), button.get_attribute("data-play")
    button.hover()
    text = page.locator(f"#hand [data-card='{card}'] .text").text_content()
    assert text in page.locator("#tip").inner_text(), "the whole card can be read first"
    with changing(page, table):
        button.click()
    assert table.played[start : start + 2] == [f"face:{face}", "plan:play-card"]
    assert card not in picture(table.line.state, 0)["hands"]["free_peoples"]["hand"]


def test_not_to_declare_and_who_guides_are_one_click(open_page, server):
    def wanted(line):
        return decision(line) == "declare-fellowship" and any(
            "character:strider" in each for each in ends(line)
        )

    table = open_at(server, wanted)
    page = sit_down(open_page, table)
    start = table.line.number
    buttons = page.locator("#act [data-guide]")
    assert buttons.first.get_attribute("data-guide") == "gandalf-grey"
    assert buttons.first.inner_text().endswith("Gandalf the Grey stays the Guide")
    with changing(page, table):
        page.locator("#act [data-guide='strider']").click()
    assert table.played[start : start + 2] == ["verb:decline", "character:strider"]


def test_a_finger_has_no_button_that_plays_a_card_unread(open_page, server):
    def wanted(line):
        plays = {name for names in ends(line) for name in names if name.startswith("card:")}
        return line.seat == 0 and decision(line) == "action-die" and len(plays) > 0

    table = open_at(server, wanted)
    page = sit_down(open_page, table, **PHONE)
    page.get_by_role("tab", name="Hand").tap()
    assert page.locator("#hand .card.lit").first.is_visible()
    assert not page.locator("#hand .play").first.is_visible()


def test_the_right_button_leaves_one_regular_behind(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    (x, y), end = spot_of(page, "minas-tirith"), spot_of(page, "lossarnach")
    number = table.line.number
    page.mouse.click(x, y, button="right")
    assert not page.get_by_role("form", name="Army").count(), "a click of it does nothing"
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(*end, steps=6)
    assert table.line.number == number
    with changing(page, table):
        page.mouse.up(button="right")
    assert figures(table, "minas-tirith") == {"gondor": [1, 0, 0]}
    assert figures(table, "lossarnach") == {"gondor": [2, 1, 1]}


def test_an_attack_has_a_button_for_each_die_that_pays(open_page, server):
    def attacks(line):
        return [names for names in ends(line) if besieging(names)]

    def wanted(line):
        faces = {names[0] for names in attacks(line)}
        return line.seat == 1 and decision(line) == "action-die" and len(faces) > 1

    table = open_at(server, wanted, ruleset="first", most=900, choose=any_choice)
    page = sit_down(open_page, table, "shadow")
    tap(page, attacks(table.line)[0][-1][7:])
    buttons = page.locator("#act .card-form [data-pay]")
    faces = [each.get_attribute("data-pay") for each in buttons.all()]
    assert len(faces) > 1 and f"ith the {FACES[faces[1]]} die" in buttons.nth(1).inner_text()
    assert buttons.first.get_attribute("class").split()[1] == "primary"
    start = table.line.number
    with changing(page, table):
        buttons.nth(1).click()
    assert table.played[start : start + 2] == [f"face:{faces[1]}", "plan:attack"]


def test_one_hit_is_one_press_and_of_more_one_number_pushes_another_out(open_page, server):
    def hits(line):
        return picture(line.state, line.seat)["about"]["hits"] if decision(line) == "casualty" else 0

    table = open_at(server, lambda line: hits(line) == 1, ruleset="first", most=900, choose=any_choice)
    page = sit_down(open_page, table, table.seat)
    answers = page.get_by_role("form", name="Losses").locator("button.answer")
    name, number = answers.last.get_attribute("data-name"), table.line.number
    with changing(page, table):
        answers.last.click()
    assert table.played[number] == name

    def several(line):
        return hits(line) > 1 and len(line.legal) > 1

    table = open_at(server, several, ruleset="first", most=900, choose=any_choice)
    page = sit_down(open_page, table, table.seat)
    rows = page.locator("#act [data-figure]")
    shown = [row.locator("[aria-checked=true]").get_attribute("data-count") for row in rows.all()]
    free = shown.index("0")
    rows.nth(free).locator("[data-count='1']").click()
    taken, _, most = page.get_by_role("form", name="Losses").locator("output").inner_text().partition(" of ")
    assert int(taken) <= int(most.split()[0])
    assert page.locator("#act .primary").is_enabled()
