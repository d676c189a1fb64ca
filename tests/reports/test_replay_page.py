"""The HTML replay: what is in the file, and what must not be in it. ``test_replay_browser`` looks at it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.replays import (
    deck_of,
    frames_of,
    game_json,
    games_of,
    is_shown,
    play_with_cards,
    public_cards,
    secretive_data,
    secretive_page,
    secretive_record,
    shown_actions,
)
from wotr_env import GameRecord
from wotr_env.core.errors import RecordError
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_NAMES
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.picture import SIDE_IDS, picture
from wotr_experiments.cli import main as cli
from wotr_experiments.files import write_text
from wotr_experiments.reports.replay_page import (
    apply_difference,
    difference,
    replay_data,
    replay_page,
)


@pytest.fixture(scope="module")
def record():
    return secretive_record()


@pytest.fixture(scope="module")
def games(record):
    return games_of(record)


@pytest.fixture(scope="module", params=[None, 0, 1], ids=["both", "free-peoples", "shadow"])
def viewer(request):
    return request.param


@pytest.fixture(scope="module")
def data(viewer):
    return secretive_data(viewer)


@pytest.fixture(scope="module", params=[0, 1], ids=["of-free-peoples", "of-shadow"])
def seat(request):
    return request.param


@pytest.fixture(scope="module")
def seat_data(seat):
    return secretive_data(seat)


def test_difference_and_back():
    old = {"same": [1], "list": [1, 2], "inside": {"gone": 1, "kept": 2}, "was": {"a": 1}, "none": None}
    new = {"same": [1], "list": [2], "inside": {"kept": 2, "new": {}}, "was": None, "none": {"b": 2}}
    changed = difference(old, new)
    assert "same" not in changed
    assert "kept" not in changed["inside"]
    assert apply_difference(old, json.loads(json.dumps(changed))) == new
    assert difference(new, new) == {}


def test_every_position_is_the_picture_of_the_viewer(record, games, viewer, data):
    shown = shown_actions(record, games, viewer)
    frames = frames_of(json.loads(json.dumps(data)))
    # A step lasts until the next one that is shown.
    ends = [*shown, len(record.actions)]
    assert len(frames) == len(ends)
    for frame, end in zip(frames, ends, strict=True):
        assert frame == picture(games[end].state, viewer)


def said(data: dict, step: list, eyes: int | None = None) -> str | None:
    """What was chosen in a step, as these eyes may know it; by default those of the page."""
    bit = 1 << (2 if eyes is None else eyes)
    for tone, side, words, mask, *_ in step[1]:
        if mask & bit:
            chosen = data["tones"][tone] in ("choice", "forced") and side == step[0]
            return data["words"][words] if chosen else None
    return None


def texts(data: dict, step: list) -> list[str]:
    """All that the log says of a step."""
    return [data["words"][line[2]] for line in step[1]]


def test_the_steps_say_who_did_what(record, games, viewer, data):
    shown = shown_actions(record, games, viewer)
    assert [step[0] for step in data["steps"]] == [games[n].seat for n in shown]
    words = {said(data, step) for step in data["steps"]} - {None}
    assert any(text.startswith("use the ") for text in words)
    assert any(text.startswith("attack ") for text in words)
    for bare in ("yes", "no", "done"):
        assert bare not in words


def test_the_log_tells_dice_tiles_losses_attackers_and_forced_choices(record, games, viewer, data):
    log = [
        (data["tones"][line[0]], data["words"][line[2]], line) for step in data["steps"] for line in step[1]
    ]
    for beginning in ("Combat roll of the ", "Action dice of the ", "Lost in ", "The battle for "):
        assert any(text.startswith(beginning) for _, text, _ in log), beginning
    attacks = [text for _, text, _ in log if text.startswith("The Shadow attacks ")]
    assert attacks
    assert all(" from " in text and " against " in text for text in attacks)
    assert any(tone == "forced" for tone, _, _ in log)
    dice = [line[7] for _, text, line in log if text.startswith("Combat roll of the ")]
    assert all(values and set(values) <= set(range(1, 7)) for values in dice)
    opened = [line[4] for tone, text, line in log if text.startswith("use the ") and text.endswith(" die")]
    assert all(opened)


def test_a_seat_is_not_told_of_hidden_cards(record, games, seat, seat_data):
    shown = shown_actions(record, games, seat)
    public = public_cards(games)
    ends = [*shown, len(record.actions)]
    enemy = deck_of(1 - seat)
    hidden_ever = False
    for number, (frame, end) in enumerate(zip(frames_of(seat_data), ends, strict=True)):
        hidden = [card for card in enemy if card not in public[end]]
        hidden_ever |= any(games[end].state["card_zone"][card] == CardZone.HAND + 1 - seat for card in hidden)
        text = json.dumps(frame)
        assert not [card for card in hidden if f'"{CARD_IDS[card]}"' in text]
        assert frame["hands"][SIDE_IDS[1 - seat]]["hand"] is None
        for text in texts(seat_data, seat_data["steps"][number - 1]) if number else ():
            assert not [CARD_NAMES[card] for card in hidden if CARD_NAMES[card] in text], text
    assert hidden_ever


def test_the_whole_file_of_a_seat_names_only_cards_that_became_public(games, seat):
    text = game_json(secretive_page(seat))
    public = public_cards(games)[-1]
    named = {card for card in deck_of(1 - seat) if CARD_IDS[card] in text or CARD_NAMES[card] in text}
    assert named <= public
    drawn = {card for card in deck_of(1 - seat) if games[-1].state["card_zone"][card] >= CardZone.HAND}
    assert drawn - named, "no card stayed hidden"


def test_no_file_of_a_seat_lets_the_game_be_replayed(record, viewer):
    page = secretive_page(viewer)
    assert str(record.seed) not in page
    assert record.hash not in page
    assert json.dumps(list(record.actions[:8]), separators=(",", ":"))[1:-1] not in page


def test_face_down_cards_are_told_without_their_names(record, games, seat, seat_data):
    shown = shown_actions(record, games, seat)
    told = {"discard a card face down": 0, "commit a combat card face down": 0}
    for number, step in zip(shown, seat_data["steps"], strict=True):
        words = said(seat_data, step)
        if step[0] != seat and words in told:
            told[words] += 1
            assert Block.CARD <= record.actions[number] < Block.CHARACTER
    assert told["discard a card face down"] > 0
    if any(_stays_face_down(games, record, n, 1 - seat) for n in shown):
        assert told["commit a combat card face down"] > 0


def _stays_face_down(games, record, number: int, side: int) -> bool:
    """Whether a combat card is committed there and not revealed before the next decision."""
    committed = CardZone.COMMITTED + side in games[number + 1].state["card_zone"]
    return games[number].decision == Decision.COMBAT_CARD and games[number].seat == side and committed


def test_declining_to_play_from_the_hand_leaves_no_trace(record, games, viewer, data):
    declines = [
        n for n, game in enumerate(games[:-1]) if not is_shown(game, record.actions[n], 1 - game.seat)
    ]
    assert declines
    hidden = sum(not is_shown(games[n], action, viewer) for n, action in enumerate(record.actions))
    assert len(data["steps"]) == len(record.actions) - hidden
    if viewer is None:
        # Other eyes do not see them on the page.
        assert all(said(data, data["steps"][n], 1 - games[n].seat) is None for n in declines)
    else:
        assert all(said(data, step) is not None for step in data["steps"])


def test_a_page_that_begins_with_a_hidden_choice_has_only_its_consequences(record, games, seat):
    number = next(
        n
        for n, action in enumerate(record.actions)
        if games[n].seat != seat and not is_shown(games[n], action, seat)
    )
    game = WAR_OF_THE_RING.positions.read(games[number].position(), 5, None)
    game.step(record.actions[number])
    data = replay_data(GameRecord.from_game(game, ("one", "two")), seat)
    ((decider, lines, changed),) = data["steps"]
    assert decider == -1
    assert not [line for line in lines if data["tones"][line[0]] in ("choice", "forced")]
    assert apply_difference(data["first"], changed) == picture(game.state, seat)


def test_what_players_wrote_stands_at_their_decisions(record, games, viewer):
    answers = [(n, games[n].seat, f"thought {n}", "") for n in range(len(record.actions))]
    shown = shown_actions(record, games, viewer)
    data = replay_data(record, viewer, [*answers, (len(record.actions), 0, "the end", "")])
    ended = data["answers"].pop(len(data["steps"]), [])
    assert ended == ([] if viewer == 1 else [[0, "the end", ""]])
    own = [n for n in range(len(record.actions)) if viewer in (None, games[n].seat)]
    there = [(place, each) for place, written in data["answers"].items() for each in written]
    assert there == [(shown.index(n), [games[n].seat, f"thought {n}", ""]) for n in own]


def test_the_page_with_both_hands_knows_what_to_hide():
    """The log for the eyes of a seat is that of the page made for this seat."""
    both = secretive_data(None)
    for viewer in (0, 1):
        own = secretive_data(viewer)
        shown = [
            (both["tones"][line[0]], both["words"][line[2]])
            for step in both["steps"]
            for line in step[1]
            if line[3] >> viewer & 1
        ]
        assert shown == [
            (own["tones"][line[0]], own["words"][line[2]]) for step in own["steps"] for line in step[1]
        ]


def test_the_eyes_of_a_seat_see_no_names_of_hidden_cards(games):
    """In the page for both: the lines of the log that a seat's eyes get."""
    data = secretive_data(None)
    public = public_cards(games)
    for viewer in (0, 1):
        for number, step in enumerate(data["steps"]):
            hidden = [CARD_NAMES[card] for card in deck_of(1 - viewer) if card not in public[number + 1]]
            for line in step[1]:
                text = data["words"][line[2]]
                assert not line[3] >> viewer & 1 or not [name for name in hidden if name in text], text


def test_names_cannot_break_out_of_the_page():
    record = play_with_cards(1, 1, ("</script><script>alert(1)</script>", "[[GAME]]"))
    page = replay_page(record, None)
    assert "<script>alert" not in page
    assert json.loads(game_json(page))["players"] == list(record.players)


def test_the_page_needs_no_other_file():
    page = secretive_page(None)
    assert not re.search(r"\[\[[A-Z]+\]\]", page)
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "default-src 'none'" in page


def test_a_title_can_be_given():
    assert "<title>Fire &amp; Shadow</title>" in replay_page(play_with_cards(1, 1), None, "Fire & Shadow")


def test_a_record_that_does_not_replay_is_refused(record):
    wrong = GameRecord(**{**vars(record), "hash": "0" * 32})
    with pytest.raises(RecordError, match="hash"):
        replay_page(wrong, None)


def test_a_viewer_that_is_no_seat_is_refused(record):
    with pytest.raises(ValueError, match="the seats of this game are"):
        replay_page(record, 2)


# --- Three and four players. ---


@pytest.mark.parametrize("players", [3, 4])
def test_a_page_of_partners_holds_what_each_seat_may_know(players):
    """The log of each eyes is that of the page made for that seat, and every picture is the seat's."""
    record = play_with_cards(players, 2, ("one", "two", "three", "four")[:players], players=players)
    everything = replay_data(record, None)
    assert [seat["side"] for seat in everything["seats"]].count("shadow") == 2
    games = games_of(record)
    assert frames_of(everything)[-1] == picture(games[-1].state, None)
    for viewer in range(players):
        own = replay_data(record, viewer)
        shown = shown_actions(record, games, viewer)
        ends = [*shown, len(record.actions)]
        for frame, end in zip(frames_of(own), ends, strict=True):
            assert frame == picture(games[end].state, viewer)
        lines = [line for step in everything["steps"] for line in step[1] if line[3] >> viewer & 1]
        assert [(everything["words"][line[2]], line[1]) for line in lines] == [
            (own["words"][line[2]], line[1]) for step in own["steps"] for line in step[1]
        ]


def test_the_page_of_a_partner_does_not_name_the_cards_of_the_other():
    record = play_with_cards(11, 3, ("one", "two", "three", "four"), players=4)
    games = games_of(record)
    for viewer, partner in ((0, 3), (1, 2), (2, 1), (3, 0)):
        text = game_json(replay_page(record, viewer))
        known = public_cards(games)[-1]
        ever, own = set(), set()
        for game in games:
            zones = game.state["card_zone"]
            for seat, cards in ((viewer, own), (partner, ever)):
                held = [CardZone.HAND + seat, CardZone.FACE_DOWN + seat, CardZone.COMMITTED + seat]
                cards |= set(np.flatnonzero(np.isin(zones, held)).tolist())
        hidden = ever - own - known
        assert hidden, "nothing stayed hidden"
        assert not [card for card in hidden if CARD_IDS[card] in text or CARD_NAMES[card] in text]


def test_the_title_names_partners():
    record = play_with_cards(2, 1, ("a", "b", "c", "d"), players=4)
    title = "a (Gondor) and d (Rohan) against b (Sauron) and c (Isengard)"
    assert f"<title>{title}</title>" in replay_page(record, None)


# --- The command. ---


@pytest.fixture
def saved(record, tmp_path) -> Path:
    record.save(tmp_path / "game.jsonl")
    return tmp_path / "game.jsonl"


@pytest.mark.parametrize(
    ("eyes", "viewer"), [("both", None), ("all", None), ("free-peoples", 0), ("shadow", 1)]
)
def test_the_command_writes_the_page(saved, capsys, eyes, viewer):
    out = saved.with_name("game.html")
    asked = ["replay", str(saved), "--html", str(out), "--luck", "none"]
    assert cli.main([*asked, "--eyes", eyes]) == 0
    assert out.read_text(encoding="utf-8") == secretive_page(viewer)
    said = capsys.readouterr()
    assert said.out == ""
    assert f"open {out} in a browser to see game 1" in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--eyes", "shadow"], "--eyes needs --html OUT or --positions"),
        (["--html", "game.html", "--json"], "leave out --at, --json and --positions"),
        (["--html", "game.html", "--at", "0"], "leave out --at, --json and --positions"),
        (["--html", "game.html", "--positions"], "leave out --at, --json and --positions"),
        (["--text", "--positions"], "leave out --at, --json, --positions and --html"),
        (["--positions", "--at", "3"], "leave out --at"),
        (["--positions", "--eyes", "rohan"], "rohan"),
        (
            ["--html", "nowhere/game.html", "--luck", "none"],
            "game.html cannot be written: there is no folder",
        ),
        (["--html", "folder", "--luck", "none"], "folder is a folder, not a file"),
        (["--html", "game.jsonl", "--luck", "none"], "game.jsonl exists and is not a page"),
        (["--record", "2"], "game.jsonl has 1 game; there is no game 2"),
        (["--html", "game.html", "--eyes", "sauron"], "sauron"),
    ],
)
def test_bad_uses_are_one_line(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    play_with_cards(1, 1).save("game.jsonl")
    assert cli.main(["replay", "game.jsonl", *arguments]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert words in errors[-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "game.jsonl"]


def test_a_failed_write_keeps_the_old_page(tmp_path, monkeypatch):
    out = tmp_path / "game.html"
    out.write_text("old")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(out, secretive_page(None))
    assert [path.name for path in tmp_path.iterdir()] == ["game.html"]
    assert out.read_text() == "old"
