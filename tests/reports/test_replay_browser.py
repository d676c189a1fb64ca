"""The HTML replay in a browser: Chromium, driven by Playwright. Without them these tests are skipped."""

from __future__ import annotations

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page, stop_clock
from tests.replays import at_hands, games_of, hand_names, secretive_data, secretive_page, secretive_record
from tests.waiting import PATIENCE
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.picture import SIDE_IDS, picture
from wotr_experiments.files import write_text
from wotr_experiments.reports.replay_page import replay_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def record():
    return secretive_record()


@pytest.fixture(scope="module")
def games(record):
    return games_of(record)


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens the replay for a viewer; at the end of the test there must have been no error and no request."""
    problems, requests, pages = [], [], []

    def open_page(viewer: int | None, at: int = 0, **options):
        path = tmp_path / f"replay-{viewer}.html"
        write_text(path, secretive_page(viewer))
        page = new_page(browser, **{"viewport": {"width": 1280, "height": 800}, **options})
        pages.append(page)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{path.as_uri()}#{at}")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def shown_position(page) -> str:
    return page.locator("#count").inner_text()


def pieces_of(page) -> str:
    return page.locator("#map .contents").evaluate_all("all => all.map(each => each.innerHTML).join()")


def all_words(page) -> str:
    return page.locator("body").inner_text()


def test_stepping_shows_other_positions_and_comes_back(open_page, record, games):
    regions = [picture(game.state, None)["regions"] for game in games]
    moved = next(n for n in range(1, len(games)) if regions[n] != regions[n - 1])
    page = open_page(None, moved - 1)
    total = len(record.actions)
    assert shown_position(page) == f"{moved - 1} / {total}"
    before = pieces_of(page)
    page.keyboard.press("ArrowRight")
    assert shown_position(page) == f"{moved} / {total}"
    after = pieces_of(page)
    assert after != before
    assert page.locator(".cell.changed").count() > 0
    page.locator("#back").click()
    assert pieces_of(page) == before
    page.locator("#last").click()
    assert shown_position(page) == f"{total} / {total}"
    assert "Over: " in page.locator("#now").inner_text()
    page.keyboard.press("Home")
    assert shown_position(page) == f"0 / {total}"


def test_turns_slider_log_and_play(open_page, games):
    page = open_page(None)
    page.locator("#next-turn").click()
    second = next(n for n, game in enumerate(games) if game.state["turn"] == 2)
    assert shown_position(page).startswith(f"{second} /")
    assert "Turn 2" in page.locator("#when").inner_text()
    page.keyboard.press("PageUp")
    assert shown_position(page).startswith("0 /")
    page.locator("#slider").fill("10")
    assert shown_position(page).startswith("10 /")
    page.locator("#log .choices [data-at='20'], #log .head[data-at='20']").first.click()
    assert shown_position(page).startswith("20 /")
    page.locator("#speed").select_option("60")
    stop_clock(page)
    page.locator("#play").click()
    page.clock.run_for(1000)
    page.locator("#play").click()
    stopped = shown_position(page)
    assert int(stopped.split()[0]) > 25
    page.clock.run_for(1000)
    assert shown_position(page) == stopped


def log_of(viewer: int | None) -> list[tuple[int, str, str, list]]:
    """Position, tone, text and the rest of each line of the log."""
    data = secretive_data(viewer)
    return [
        (number, data["tones"][tone], data["words"][words], rest)
        for number, step in enumerate(data["steps"], start=1)
        for tone, _side, words, *rest in step[1]
    ]


def test_the_log_groups_by_die_and_shows_dice_and_forced_choices(open_page):
    log = log_of(Side.SHADOW)
    page = open_page(Side.SHADOW)
    shown = page.locator("#log")
    heads = [text for _, tone, text, rest in log if rest[1]]
    assert page.locator("#log .head:not(.phase)").count() == len(heads) > 10
    forced = [text for _, tone, text, _ in log if tone == "forced"]
    assert shown.locator(".forced").count() == len(forced) > 0
    assert "only legal choice" in shown.locator("span.forced").first.get_attribute("title")
    at, _, text, rest = next(line for line in log if line[2].startswith("Combat roll of the "))
    roll = shown.locator(f"li.deed[data-at='{at}'] .roll").first
    assert roll.locator(".pip").all_inner_texts() == [str(value) for value in rest[4]]
    assert roll.locator(".hit").count() == sum(value >= rest[3] for value in rest[4])
    # The words are whole, dice and all.
    assert "".join(text.split()) in "".join(shown.inner_text().split())
    cards = shown.locator("[data-card]")
    assert cards.count() > 0
    cards.first.hover()
    assert "In battle, " in page.locator("#tip").inner_text()


def test_the_log_follows_the_position(open_page):
    page = open_page(None)
    number = next(at for at, tone, text, _ in log_of(None) if text.startswith("Lost in "))
    page.goto(page.url.split("#")[0] + f"#{number}")
    page.reload()
    current = page.locator("#log .current")
    assert any("Lost in " in text for text in current.all_inner_texts())
    assert page.locator(f"#log .later[data-at='{number}']").count() == 0
    assert page.locator(f"#log .later[data-at='{number + 1}']").count() > 0


@pytest.mark.parametrize("side", [0, 1])
def test_other_eyes_do_not_see_the_hand(open_page, games, side):
    at = at_hands(games, side)
    names = hand_names(games[at], side)
    page = open_page(None, at)
    cards = page.locator(f"#cards-{SIDE_IDS[side]}")
    for name in names:
        assert name in cards.inner_text()
    page.locator(f"#eyes [data-eyes='{1 - side}']").click()
    assert "hidden" in cards.inner_text()
    words = all_words(page)
    assert not [name for name in names if name in words]
    assert hand_names(games[at], 1 - side)[0] in words
    page.locator(f"#eyes [data-eyes='{side}']").click()
    assert all(name in cards.inner_text() for name in names)


def test_what_a_player_wrote_is_for_its_own_eyes(browser, record, tmp_path):
    path, problems = tmp_path / "written.html", []
    write_text(path, replay_page(record, None, answers=[(0, 0, "<b>I</b> think", ""), (0, 1, "Hm.", "late")]))
    page = new_page(browser, viewport={"width": 1280, "height": 800})
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    own, other = "Free Peoples writes:\n<b>I</b> think", "Shadow writes (late):\nHm."
    written = page.locator("#written")
    assert written.inner_text() == f"{own}\n\n{other}"
    page.locator("#eyes button", has_text="Shadow").click()
    assert written.inner_text() == other
    page.locator("#forward").click()
    assert written.is_hidden()
    page.close()
    assert problems == []


def test_the_page_of_a_seat_has_one_pair_of_eyes(open_page, games):
    page = open_page(Side.FREE_PEOPLES)
    assert "Seen by the Free Peoples" in " ".join(page.locator("#eyes").inner_text().split())
    assert page.locator("#eyes button").count() == 0
    page.keyboard.press("End")
    assert page.locator("#cards-shadow").inner_text().lower().startswith("shadow hand: ")
    assert "Over: " in page.locator("#now").inner_text()
    names = hand_names(games[-1], Side.SHADOW)
    words = all_words(page)
    assert not [name for name in names if name in words]


def test_regions_and_cards_explain_themselves(open_page, games):
    page = open_page(None, 3)
    page.locator(".contents[data-region='minas-tirith'] .settlement").hover()
    assert "Gondor, stronghold, 2 victory points" in page.locator("#tip").inner_text()
    page.locator(".contents[data-region='minas-tirith'] .settlement").click()
    assert "MINAS TIRITH" in page.locator(".panel.place").inner_text().upper()
    page.locator("[data-card]").first.hover()
    assert "In battle, " in page.locator("#tip").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_it_fits_a_desktop_and_a_phone(open_page):
    page = open_page(None, 30)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0
    phone = open_page(None, 30, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    phone.locator("#forward").tap()
    assert shown_position(phone).startswith("31 /")
    assert phone.locator("#forward").bounding_box()["height"] >= 30
