"""``wotr play``: scripted people play games, take back, save, ask for hints and mistype."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tests.terminals import Person, answering, new_game, resumed_game, typing
from wotr_agents import BotKind
from wotr_agents.random import RandomBot, RandomParameters
from wotr_agents.registry import bot_plugins
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.words.decisions import decision_text
from wotr_env.play import plugins
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.answers import MANY, question
from wotr_experiments.games.war_of_the_ring.terminal.presenter import LOOKS
from wotr_experiments.terminal.choices import find
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.readers import PromptReader
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.screen import COMMANDS, Leave
from wotr_experiments.terminal.typed import plain

SHORT = Ruleset.first_edition(max_turns=3)
FREE_PEOPLES, SHADOW = 0, 1


class ExplainingBot(RandomBot):
    """Says that its action is worth 1 and every other 0.5."""

    def explain(self, view):
        legal = np.flatnonzero(view.masks[0]).tolist()
        return [[(legal[-1], 1.0), *((action, 0.5) for action in legal[:-1])]]

    def act(self, view):
        return np.array([np.flatnonzero(view.masks[0])[-1]])


class BrokenBot(RandomBot):
    def act(self, view):
        raise RuntimeError("out of ideas")

    explain = act


class _EntryPoint:
    dist = None

    def __init__(self, kind):
        self.name, self.kind = kind.name, kind

    def load(self):
        return self.kind


@pytest.fixture
def more_bots(monkeypatch):
    kinds = [
        BotKind("explaining", "for tests", RandomParameters, ExplainingBot),
        BotKind("broken", "for tests", RandomParameters, BrokenBot),
    ]
    points = [_EntryPoint(kind) for kind in kinds]
    monkeypatch.setattr(plugins.importlib.metadata, "entry_points", lambda group: points)
    bot_plugins.cache_clear()
    yield
    monkeypatch.undo()
    bot_plugins.cache_clear()


def short_game(seat=SHADOW, seed=1, **options):
    return new_game(seat, "random", seed=seed, ruleset=SHORT, hint_bot="random", **options)


def sit(lines, tmp_path, saved=None):
    """A person who types some lines, after the last of which the input ends; the screen has been left."""
    person = Person(typing(lines))
    screen = person.sit_down(saved or short_game(), tmp_path / "game.json")
    with pytest.raises((EOFError, Leave)):
        screen.run()
    return person


@pytest.mark.parametrize("seat", [FREE_PEOPLES, SHADOW])
def test_a_game_is_played_to_its_end_and_recorded(seat, tmp_path):
    saved = short_game(seat)
    person = Person(answering(seat))
    screen = person.sit_down(saved, tmp_path / "game.json")
    screen.run()
    assert screen.match.game.over
    assert "A draw at the limit of turns, in turn 3." in person.text
    record = GameRecord.from_game(screen.match.game, ("person", "random"))
    assert record.verify().hash() == screen.match.game.hash()
    assert not (tmp_path / "game.json").exists()


def test_a_game_as_the_shadow_is_played_to_its_victory(tmp_path):
    game, rng = Game(4), np.random.default_rng(4)
    while int(game.state["turn"]) < 43:
        game.step(int(rng.choice(game.legal())))
    person = Person(answering(SHADOW + 10, lambda _, chance: "undo" if chance.random() < 0.3 else None))
    saved = new_game(SHADOW, "random", game=game, hint_bot="random")
    screen = person.sit_down(saved, tmp_path / "game.json")
    screen.run()
    assert re.search(r"You (win|lose): the (Free Peoples|Shadow) ", person.text)
    assert GameRecord.from_game(screen.match.game).verify().over


def test_undo_takes_own_choices_back_until_somebody_else_was_heard(tmp_path):
    """After every line the state is compared with those before the choices that may be undone."""
    expected = []
    undone = refused = 0

    def extra(person, chance):
        nonlocal undone, refused
        match = person.screen.match
        text = person.new_text()
        if "Taken back." in text:
            undone += 1
            assert match.game.hash() == expected.pop()
        elif "nothing can be taken back" in text:
            refused += 1
            assert not expected
        elif len(match._takeback) > len(expected):
            assert len(match._takeback) == len(expected) + 1
            expected.append(extra.before)
        elif len(match._takeback) < len(expected):
            expected.clear()
        extra.before = match.game.hash()
        return "undo" if chance.random() < 0.3 else None

    extra.before = ""
    saved = short_game(takeback=False)
    Person(answering(2, extra)).sit_down(saved, tmp_path / "game.json").run()
    assert undone > 10
    assert refused > 3
    assert saved.taken_back == 0 and saved.names == ("random", "person")


def test_nothing_is_undone_after_chance_a_draw_or_the_opponent():
    match = Match(short_game(SHADOW, takeback=False))
    seen = {"chance": 0, "draw": 0, "opponent": 0}
    generator = np.random.default_rng(0)
    while not match.game.over:
        if not match.persons_turn:
            match.answer()
            assert not match._takeback
            seen["opponent"] += 1
            continue
        before = match.play(int(generator.choice(match.game.legal()))).before
        after = match.game.state
        if before["counter"] != after["counter"]:
            assert not match._takeback
            seen["chance"] += 1
        if (before["deck_size"] != after["deck_size"]).any():
            assert not match._takeback
            seen["draw"] += 1
    assert all(seen.values())


def test_a_game_is_saved_at_the_end_of_input_and_resumed(tmp_path):
    person = sit(["3"], tmp_path)
    path = tmp_path / "game.json"
    assert f"wotr play --load {path}" in person.text
    saved = resumed_game(path)
    match = person.screen.match
    assert saved.game.to_bytes() == match.game.to_bytes()
    assert saved.game.actions == match.game.actions
    assert saved.log == match.saved.log
    again = Person(answering(0))
    again.sit_down(saved, path).run()
    assert "The bot is made anew" in again.text
    assert "A draw" in again.text
    assert GameRecord.from_game(saved.game).verify()


def test_saving_quitting_and_interrupting(tmp_path):
    other = tmp_path / "my game.json"
    person = sit(["quit", "hm", "back", f"save {other}", "dice", "quit"], tmp_path)
    assert person.text.count("[yes] no, back>") == 2  # not after the save, since nothing was played
    assert "yes: save and leave" in person.text
    assert f"--load '{other}'" in person.text
    assert not (tmp_path / "game.json").exists()
    assert SavedGame.read(other).game.hash() == person.screen.match.game.hash()
    sit(["quit", ""], tmp_path)
    assert (tmp_path / "game.json").exists()
    (tmp_path / "game.json").unlink()

    def interrupt(_person, _prompt):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Person(interrupt).sit_down(short_game(), tmp_path / "game.json").run()
    assert SavedGame.read(tmp_path / "game.json").seat == SHADOW


def test_quit_asks_again_when_something_was_played_after_a_save(tmp_path):
    for line in ("3", "undo"):
        person = sit(["3", "save", line, "quit", "no"], tmp_path)
        assert person.text.count("[yes] no, back>") == 1
        (tmp_path / "game.json").unlink()


def test_symbols_are_no_answer(tmp_path):
    person = sit(["é☃", "3☃", "army☃ 🎲", "quit", "no"], tmp_path)
    assert person.screen.match.game.actions == sit(["quit", "no"], tmp_path).screen.match.game.actions
    answers = person.screen.question.answers
    assert find(answers, answers[0].words) == [answers[0]] and find(answers, f"{answers[0].words} ☃") == []


def test_a_game_is_not_lost_where_its_file_cannot_be_written(tmp_path):
    (tmp_path / "game.json").mkdir()
    person = sit(["3", "save", "quit", "yes", "back"], tmp_path)
    assert person.text.count("cannot be written") == 3
    rescued = re.search(r"--load (\S+game\.json)", person.text)[1]
    assert SavedGame.read(Path(rescued)).game.hash() == person.screen.match.game.hash()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("seat"), "it must have format, seat"),
        (lambda data: data.update(seat=2), "the seats of this game are 0 (Free Peoples), 1 (Shadow), not 2"),
        (lambda data: data.update(bot_seed=-1), "the seed is out of range"),
        (lambda data: data.update(bots=["random"]), "bots are 2 specs"),
        (lambda data: data.update(bots=["random", "random"]), "that of the person's seat empty"),
        (lambda data: data.update(format=9), "it has format 9; this package reads 2"),
        (lambda data: data.update(log=3), "log must be of type list"),
        (lambda data: data.update(log=[3]), "is not a game saved by wotr play"),
        (lambda data: data.update(identities=["a"]), "identities are 2 printable texts"),
        (lambda data: data.update(identities=["", "a\x1b[2J"]), "identities are 2 printable texts"),
        (lambda data: data.update(game="AAAA"), "not a saved game"),
        (lambda data: data.update(game="%"), "is not a game saved by wotr play"),
    ],
)
def test_damaged_saves_are_refused(change, message, tmp_path):
    path = tmp_path / "game.json"
    short_game().write(path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(CommandError, match=re.escape(message)):
        SavedGame.read(path)


@pytest.mark.usefixtures("more_bots")
def test_hints(tmp_path):
    """From any bot; one that can explains itself, one that cannot play costs a line."""
    person = sit(["hint", "hint explaining", "hint broken", "hint nobody"], tmp_path)
    assert re.search(r"random would: put \d di", person.text)
    assert "explaining would: put 7 dice into the Hunt Box" in person.text
    assert "best first; the bot's own values; only the order counts" in person.text
    assert re.search(r"1\.  put 7 dice into the Hunt Box", person.text)
    assert re.search(r"2\.  put 0 dice into the Hunt Box; put 1 die .* and 3 more", person.text)
    assert "bot broken failed: RuntimeError: out of ideas" in person.text
    assert "unknown bot 'nobody'" in person.text


@pytest.mark.usefixtures("more_bots")
def test_a_bot_that_fails_costs_no_game(tmp_path):
    saved = new_game(SHADOW, "broken", seed=1, hint_bot="random")
    person = Person(typing([]))
    with pytest.raises(CommandError, match="bot broken failed"):
        person.sit_down(saved, tmp_path / "game.json").run()
    resumed = resumed_game(tmp_path / "game.json", against="random")
    assert resumed.bots == ["random", ""]


BAD_LINES = [
    "xyzzy",
    "99",
    "-1",
    "/xyzzy",
    "/",
    "?!",
    "put",
    "h",
    "region",
    "region zzz",
    "region m",
    "card zzz",
    "card",
    "map zzz",
    "log zzz",
    "log 0",
    "undo 3",
    "hint zzz",
    "undo",
    "save /no/such/folder/file",
    "\x00",
    "[bold]",
    "",
]


def test_bad_input_gets_one_helpful_line_and_changes_nothing(tmp_path):
    person = Person(None)
    screen = person.sit_down(short_game(), tmp_path / "game.json")
    lines = iter(BAD_LINES)
    before = None

    def choose(person, prompt):
        nonlocal before
        text = person.new_text()
        if before is not None:
            assert text.count("\n") == 2, text  # the line typed, and the answer
            assert screen.match.game.hash() == before
        before = screen.match.game.hash()
        for line in lines:
            return line
        raise EOFError

    person.choose = choose
    with pytest.raises(EOFError):
        screen.run()


def test_every_command_shows_something(tmp_path):
    lines = [
        *(name for name in (*COMMANDS, *LOOKS) if name not in ("quit", "undo", "region", "card", "save")),
        *("region min tir", "card balrog", "map gondor", "armies all", "log 2", "?", "save", "/dice", "fel"),
    ]
    person = sit(lines, tmp_path)
    for words in (
        "Minas Tirith (Stronghold)",
        "2 victory points",
        "Balrog of Moria",
        "Hunt Pool",
        "Gandalf the Grey",
        "3 steps",
        "Elven Rings",
        "take back your last line",
        "the Fellowship",
    ):
        assert words in person.text
    assert "neither an answer nor a command" not in person.text


def test_a_region_is_shown_even_where_its_name_is_that_of_an_action(tmp_path):
    game = Game(1)
    while game.decision != Decision.ARMY_ORIGIN or not names_of(game) >= {"region:moria"}:
        plans = [action for action in game.legal() if game.name_of(action) == "plan:move-armies"]
        game.step((plans or game.legal())[0])
    saved = new_game(game.seat, "random", game=Game.from_state(game.state), hint_bot="random")
    person = sit(["region moria"], tmp_path, saved)
    assert "Dimrill Dale" in person.text and not person.screen.match.game.actions


def names_of(game):
    return {game.name_of(action) for action in game.legal()}


def test_a_game_from_a_position_begins_with_its_turn(tmp_path):
    game = Game(3)
    while int(game.state["turn"]) < 2:
        game.step(game.legal()[0])
    saved = new_game(SHADOW, "random", game=Game.from_state(game.state), hint_bot="random")
    text = sit([], tmp_path, saved).text
    assert "Turn 2" in text and "Turn 1" not in text


def test_answers_are_found_by_number_words_and_beginnings():
    game = Game(1)
    while game.decision != Decision.ARMY_ORIGIN or len(game.legal()) < MANY:
        plans = [action for action in game.legal() if game.name_of(action) == "plan:move-armies"]
        game.step((plans or game.legal())[0])
    asked = question(game.state, game.legal())
    assert asked.answers[0].group
    names = {answer.words for answer in asked.answers}
    for answer in asked.answers:
        assert find(asked.answers, answer.label) == [answer]
        assert find(asked.answers, answer.words.upper()) == [answer]
        assert find(asked.answers, game.name_of(answer.action)) == [answer]
        assert answer in find(asked.answers, answer.words[:15])
    assert "move the army of Dol Guldur" in names
    assert [each.words for each in find(asked.answers, "dol gu")] == ["move the army of Dol Guldur"]
    assert len(find(asked.answers, "move the")) >= MANY
    for text in ("gu dol", "-1", "0", "999", " ", "1 2"):
        assert find(asked.answers, text) == []
    assert plain("  Sméagol, HELPS nice-Master's! ") == "smeagol helps nice masters"


def test_enter_gives_nothing_up():
    """It ends picking once something is picked, and declines to declare the Fellowship; no more than that."""
    defaults = set()
    game, generator = Game(0), np.random.default_rng(0)
    while not game.over and len(game.actions) < 1500:
        default = question(game.state, game.legal()).default
        if default is not None:
            defaults.add((game.decision, default.words))
            picking = "picked: " in decision_text(game.state)
            assert picking or game.decision == Decision.DECLARE_FELLOWSHIP
        game.step(int(generator.choice(game.legal())))
    assert (Decision.DECLARE_FELLOWSHIP, "no") in defaults
    assert (Decision.MOVE_FIGURES, "done") in defaults
    assert {words for _, words in defaults} == {"done", "no"}


def test_counts_are_answered_by_themselves():
    game = Game(1)
    while game.decision != Decision.HUNT_ALLOCATION:
        game.step(game.legal()[-1])
    asked = question(game.state, game.legal())
    assert asked.text == "How many of the 7 action dice to put into the Hunt Box?"
    assert asked.default is None
    for answer in asked.answers:
        assert game.name_of(answer.action) == f"count:{answer.label}"


def test_a_terminal_completes_answers_and_reads_lines():
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        reader = PromptReader()
        typed.send_text("min t\r")
        assert reader.read("> ", ["attack Minas Tirith", "attack Moria"]) == "min t"
        found = reader.completer.get_completions(Document("min t"), CompleteEvent())
        assert [(each.text, each.start_position) for each in found] == [("attack Minas Tirith", -5)]
        typed.send_text("\x04")
        with pytest.raises(EOFError):
            reader.read("> ", [])
        typed.send_text("half\x03")
        with pytest.raises(KeyboardInterrupt):
            reader.read("> ", [])
