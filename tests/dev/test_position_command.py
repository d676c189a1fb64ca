"""``wotr position``: positions from everywhere, changed, and printed; and commands that begin from one."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import wotr_experiments
from tests.hidden_cards import middle_of_a_game
from wotr_env import Game, GameRecord
from wotr_env.games.war_of_the_ring.setups import setup_of
from wotr_env.play.games import game_kind
from wotr_experiments.arena.openings import read_openings
from wotr_experiments.cli.main import main
from wotr_experiments.cli.position import first_die
from wotr_experiments.cli.sources import read_position
from wotr_experiments.terminal.readers import LineReader, script_lines
from wotr_experiments.training.equal_time import Plan


@pytest.fixture
def wotr(capsys):
    def run(*arguments, code=0):
        assert main(list(arguments)) == code
        out, err = capsys.readouterr()
        if code:
            *_, err = [line for line in err.splitlines() if "compiling" not in line]
            assert err.startswith("wotr: ")
        return err if code else out.strip()

    return run


@pytest.fixture(scope="module")
def middle():
    return middle_of_a_game()


def test_a_position_is_printed_in_words_as_text_and_as_json(wotr, middle):
    text = middle.position()
    words = wotr("position", text)
    assert words.startswith("Turn ") and words.endswith(text) and "legal: " in words
    assert wotr("position", f" {text} ", "--text") == text
    found = json.loads(wotr("position", text, "--json"))
    assert found["position"] == text and found["legal"] == [middle.name_of(each) for each in middle.legal()]
    assert found["seat"] == middle.ruleset.seats[middle.seat].name


def test_it_comes_from_texts_files_records_and_standard_input(wotr, middle, tmp_path, monkeypatch):
    text = middle.position()
    (tmp_path / "position").write_text(f"{text}\n")
    game = Game(seed=6)
    for _ in range(40):
        game.step(game.legal()[-1])
    record = GameRecord.from_game(game)
    record.save(tmp_path / "games.jsonl")
    (tmp_path / "games.txt").write_text(record.to_text() * 2)
    assert wotr("position", str(tmp_path / "position"), "--text") == text
    assert wotr("position", str(tmp_path / "games.jsonl"), "--text") == game.position()
    earlier = wotr("position", str(tmp_path / "games.txt"), "--record", "2", "--at", "20", "--text")
    assert earlier == record.replay(20).position()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert wotr("position", "-", "--text") == text


@pytest.mark.parametrize("name", ["duel", "two-towers"])
def test_positions_of_every_game_that_writes_them(wotr, tmp_path, name):
    kind = game_kind(name)
    game = kind.game(3, kind.find_ruleset())
    for _ in range(9):
        game.step(game.legal()[0])
    GameRecord.from_game(game).save(tmp_path / "games.jsonl")
    text, state = wotr("position", str(tmp_path / "games.jsonl"), "--text"), game.state
    assert text == kind.positions.write(state, None)
    words = wotr("position", text)
    assert words.startswith(kind.words.position(state)) and kind.words.decision(state) in words
    seat = game.ruleset.seats[1].name
    assert wotr("position", text, "--eyes", seat, "--text") == kind.positions.write(state, 1)
    found = json.loads(wotr("position", text, "--json"))
    assert found["legal"] == [kind.actions.names[each] for each in game.legal()] and found["setup"] is None
    assert "--set changes only positions of War of the Ring" in wotr(
        "position", text, "--set", "turn=4", code=2
    )
    told = wotr("analyse", text, "--bot", "random", "--playouts", "2", "--choices", "1")
    assert told.startswith(kind.words.decision(state))


def test_eyes_see_what_their_seat_may_know(wotr, middle):
    assert wotr("position", middle.position(), "--eyes", "shadow", "--text") == middle.position(1)
    shown = wotr("position", middle.position(), "--eyes", "shadow", "--json")
    assert json.loads(shown)["position"] == middle.position(1)
    drawn = wotr("position", middle.position(1), "--seed", "5", "--text")
    assert Game.from_position(drawn).hash() == Game.from_position(middle.position(1), seed=5).hash()


def test_a_position_is_changed_by_paths_or_as_json(wotr, tmp_path):
    changes = (
        "turn=4",
        "regions.edoras.rohan=[3,0,1]",
        "fellowship.corruption=5",
        'dice.shadow.unused={"army":2}',
    )
    text = wotr("position", "--seed", "7", "--text", *(word for each in changes for word in ("--set", each)))
    setup = setup_of(Game.from_position(text).state)
    assert setup["turn"] == 4 and setup["regions"]["edoras"] == {"rohan": [3, 0, 1]}
    assert setup["fellowship"]["corruption"] == 5 and setup["dice"]["shadow"]["unused"] == {"army": 2}
    whole = json.loads(wotr("position", text, "--json"))
    whole["setup"]["turn"] = 9
    (tmp_path / "mine.json").write_text(json.dumps(whole))
    again = Game.from_position(wotr("position", str(tmp_path / "mine.json"), "--text"))
    assert setup_of(again.state) == {**setup, "turn": 9}
    second = wotr("position", "--ruleset", "second", "--set", "turn=2", "--text")
    assert Game.from_position(second).ruleset.title.startswith("second")


def test_an_unchanged_position_as_json_is_exact(wotr, middle, tmp_path):
    file = tmp_path / "mine.json"
    die = first_die(Game(7))
    for written in (middle.position(), middle.position(1), die.position(), die.position(0)):
        file.write_text(wotr("position", written, "--json"), encoding="utf-8")
        assert wotr("position", str(file), "--text") == wotr("position", written, "--text")
    assert json.loads(file.read_text())["setup"] is not None
    assert wotr("position", str(file), "--seed", "5", "--text") == wotr("position", die.position(0), "--text")


def test_a_position_that_cannot_be_set_up_is_not_changed(wotr, middle, tmp_path):
    file = tmp_path / "mine.json"
    whole = json.loads(wotr("position", middle.position(), "--json"))
    assert whole["setup"] is None
    for changed, message in (
        (whole | {"ruleset": {**whole["ruleset"], "max_turns": 3}}, "so its ruleset cannot be changed"),
        ({"setup": None}, "has neither a position nor a setup"),
        (whole | {"position": "war-of-the-ring:"}, "not a position"),
    ):
        file.write_text(json.dumps(changed))
        assert message in wotr("position", str(file), code=2)
        assert message in wotr("analyse", str(file), code=2)
    file.write_text(wotr("position", "--json").replace('"turn": 1', '"turn": 2'))
    assert "has its own rules" in wotr("position", str(file), "--ruleset", "second", code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: No such file"),
        (["."], "it is a folder"),
        (["war-of-the-ring:"], "not a position"),
        (["--at", "3"], "need a file of records"),
        (["--set", "turn"], "--set takes PATH=VALUE"),
        (["--set", "turn=x"], "the turn is an integer"),
        (["--set", "turn=-1"], "the turn is an integer"),
        (["--set", "turn.x.y=1"], "nothing to change"),
        (["--set", "gold=1"], "unknown field 'gold'"),
        (["--set", "characters.aragorn=bree"], "Strider"),
        (["--ruleset", "first:players=4", "--set", "turn=2"], "only positions of two-player games"),
        (["--eyes", "gandalf"], "no player 'gandalf'"),
        (["--text", "--json"], "not both"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(wotr, arguments, message):
    assert message in wotr("position", *arguments, code=2)


@pytest.mark.parametrize("written", ["", "{}", '{"setup": 3}', "[text 1]", "\x00", "war"])
def test_damaged_files_are_refused_in_a_line(wotr, written, tmp_path):
    (tmp_path / "file").write_text(written)
    wotr("position", str(tmp_path / "file"), code=2)


def test_places_outside_of_a_record_are_refused(wotr, middle, tmp_path):
    GameRecord.from_game(middle).save(tmp_path / "games")
    assert "there is no game 2" in wotr("position", str(tmp_path / "games"), "--record", "2", code=2)
    assert "there is no position" in wotr("position", str(tmp_path / "games"), "--at", "9999", code=2)
    assert "own rules" in wotr("position", str(tmp_path / "games"), "--ruleset", "second", code=2)
    assert "own rules" in wotr("position", middle.position(), "--ruleset", "second", code=2)


def test_a_game_is_played_from_a_position_and_its_record_replays(wotr, tmp_path, monkeypatch):
    """``wotr play --position``: played, saved, loaded, recorded, replayed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    text = wotr("position", "--ruleset", "first:max_turns=1", "--text")
    script, save, out = (tmp_path / name for name in ("script", "save", "out"))
    script.write_text("pass\nquit\n")
    options = ("--against", "random", "--seed", "3", "--save", str(save), "--script", str(script))
    wotr("play", "--as", "free-peoples", "--position", text, *options)
    script.write_text("1\n" * 400)
    wotr("play", "--load", str(save), "--script", str(script), "--out", str(out))
    (record,) = GameRecord.load(out)
    assert record.position == text and record.players == ("person", "random") and record.result is not None
    assert "from a position" in wotr("replay", str(out))
    assert GameRecord.from_text(wotr("replay", str(out), "--text")) == [record]
    again = ("--as", "shadow", "--against", "random", "--position", text, "--ruleset", "second")
    assert "own rules" in wotr("play", *again, code=2)
    assert "leave them out with --load" in wotr("play", "--load", str(save), "--position", text, code=2)


MARK = b"\xef\xbb\xbf"


def marked(path):
    """Some programs for Windows begin UTF-8 files so."""
    path.write_bytes(MARK + path.read_bytes())
    return path


def test_files_may_begin_with_a_byte_order_mark(wotr, middle, tmp_path, monkeypatch):
    text, record = middle.position(), GameRecord.from_game(middle)
    (tmp_path / "position").write_text(f"{text}\n", encoding="utf-8")
    position = marked(tmp_path / "position")
    assert wotr("position", str(position), "--text") == text
    assert read_position(str(position)).game.position() == text
    assert read_openings(position) == (text,)
    record.save(tmp_path / "games.jsonl")
    (tmp_path / "games.txt").write_text(record.to_text(), encoding="utf-8")
    for name in ("games.jsonl", "games.txt"):
        assert GameRecord.load(marked(tmp_path / name)) == [record]
        assert wotr("position", str(tmp_path / name), "--text") == text
    joined = tmp_path / "joined.jsonl"
    joined.write_bytes(2 * (tmp_path / "games.jsonl").read_bytes())
    assert GameRecord.load(joined) == [record, record]
    setup = setup_of(first_die(Game(seed=1)).state)
    (tmp_path / "setup.json").write_text(json.dumps({"setup": setup}), encoding="utf-8")
    assert wotr("position", str(marked(tmp_path / "setup.json")), "--text")
    (tmp_path / "lines").write_text("one\ntwo\n", encoding="utf-8")
    assert script_lines(marked(tmp_path / "lines")) == ["one", "two"]
    (tmp_path / "plan.toml").write_text('[variants]\na = "--seed 1"\nb = "--seed 2"\n', encoding="utf-8")
    assert list(Plan.read(marked(tmp_path / "plan.toml")).variants) == ["a", "b"]
    for stdin in (io.StringIO(f"\ufeff{text}"), io.TextIOWrapper(io.BytesIO(MARK + text.encode()), "cp1251")):
        monkeypatch.setattr("sys.stdin", stdin)
        assert wotr("position", "-", "--text") == text
    reader = LineReader(io.StringIO("\ufefffirst\n"), Console(file=io.StringIO()))
    assert reader.read("> ", ()) == "first"


def test_all_files_of_users_are_read_by_one_helper():
    """``read_text`` leaves a byte-order mark out; other ways to read text are for files of the package."""
    own = {
        "rulebook/coverage.py",
        "rulebook/rule_texts.py",
        "reports/pages.py",
        "games/war_of_the_ring/reports/replay_stage.py",
    }
    rooms = {Path(wotr_experiments.__file__).parent: own | {"provenance.py"}}
    for room, allowed in rooms.items():
        found = {
            str(path.relative_to(room))
            for path in room.rglob("*.py")
            if re.search(r"\.read_text\(|decode\(\"utf-8\"\)", path.read_text(encoding="utf-8"))
        }
        assert found <= allowed, found - allowed
