"""GameRecord: what replays to its hash is a record, everything else is refused in one line."""

import dataclasses
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wotr_env import Game, GameRecord, Ruleset
from wotr_env.core.errors import RecordError
from wotr_env.games.war_of_the_ring.given_chance import next_request
from wotr_env.play.games import game_kind
from wotr_env.play.replaying import verify_records


def played(seed: int, steps: int, ruleset: Ruleset) -> Game:
    game = Game(seed, ruleset)
    choices = random.Random(seed)
    while not game.over and len(game.actions) < steps:
        game.step(choices.choice(game.legal()))
    return game


def finished_record() -> GameRecord:
    return GameRecord.from_game(played(5, 10_000, Ruleset(max_turns=1)), ("random", "mcts:sims=4"))


RECORD = finished_record()
DUEL = GameRecord.from_game(game_kind("duel").game(1, game_kind("duel").find_ruleset()))
FIELDS = json.loads(RECORD.to_json())


def changed(**fields: object) -> str:
    return json.dumps({**FIELDS, **fields})


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**63 - 1),
    steps=st.integers(0, 300),
    second=st.booleans(),
    names=st.tuples(st.text(), st.text()),
)
def test_round_trip(seed, steps, second, names):
    ruleset = Ruleset.second_edition(max_turns=2) if second else Ruleset(max_turns=2, hand_limit=4)
    game = played(seed, steps, ruleset)
    record = GameRecord.from_game(game, names)
    line = record.to_json()
    assert "\n" not in line and "\r" not in line
    again = GameRecord.from_json(line)
    assert again == record and again.to_json() == line
    assert again.verify().to_bytes() == game.to_bytes()


def test_a_record_has_a_player_for_each_seat():
    assert GameRecord.from_game(played(1, 3, Ruleset())).players == ("", "")
    with pytest.raises(RecordError, match="^players are 2 names, one for each seat, not 1$"):
        GameRecord.from_game(played(1, 3, Ruleset()), ("random",))


def test_replay_to_any_position():
    game = Game(RECORD.seed, RECORD.ruleset)
    for at, action in enumerate(RECORD.actions):
        if at % 10 == 0:
            assert RECORD.replay(at).hash() == game.hash()
        game.step(action)
    assert RECORD.replay().hash() == game.hash() == RECORD.hash
    assert RECORD.verify().result == RECORD.result is not None


@pytest.mark.parametrize("at", [-1, len(RECORD.actions) + 1, 1.0, True, "3"])
def test_a_position_that_is_not_there_is_refused(at):
    with pytest.raises(RecordError, match="position"):
        RECORD.replay(at)


def test_save_append_and_load(tmp_path):
    path = tmp_path / "games.jsonl"
    RECORD.append(path)
    other = GameRecord.from_game(played(6, 30, Ruleset()))
    other.append(path)
    assert GameRecord.load(path) == [RECORD, other]
    assert GameRecord.load(path)[1].source.endswith("line 2")
    other.save(path)
    assert GameRecord.load(path) == [other] and other.result is None
    path.write_text("")
    assert GameRecord.load(path) == []


def test_a_game_after_an_interrupted_write_is_kept(tmp_path):
    path = tmp_path / "games.jsonl"
    RECORD.append(path)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    RECORD.append(path)
    assert path.read_bytes() == whole + whole[:40] + b"\n" + whole
    with pytest.raises(RecordError, match="line 2: damaged"):
        GameRecord.load(path)


def test_a_game_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "games.jsonl"
    RECORD.append(path)
    whole = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 40, hard))
    try:
        with pytest.raises(OSError):
            RECORD.append(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == whole
    RECORD.append(path)
    assert GameRecord.load(path) == [RECORD, RECORD]


def test_a_game_that_nothing_leads_to_has_no_record():
    for game in (Game(1).with_tape([1]), Game.from_state(Game(1).state).with_tape([1])):
        with pytest.raises(RecordError, match="tape"):
            GameRecord.from_game(game)


def with_own_dice(game: Game, steps: int) -> Game:
    """Plays on with outcomes given to two of three steps that need some, as many as a tape holds."""
    choices = random.Random(steps)
    for number in range(steps):
        if game.over:
            break
        action, tape = choices.choice(game.legal()), []
        while number % 3 and (asked := next_request(game.state, action, tape)) is not None:
            tape += [choices.choice(list(asked.possible)) for _ in range(asked.number)]
        game.with_tape(tape).step(action)
    return game


@pytest.mark.parametrize("start", [Game(4), played(4, 40, Ruleset.second_edition())], ids=["new", "middle"])
def test_a_game_with_own_dice_has_a_record(start):
    begun, actions = start.hash(), len(start.actions)
    game = with_own_dice(start.clone(), 300)
    assert start.hash() == begun and not start.tapes
    record = GameRecord.from_game(game, ("ann", "bob"))
    assert record.position and record.seed == 0 and len(record.tapes) > 2
    assert all(number >= actions for number, _ in record.tapes)
    assert GameRecord.from_json(record.to_json()) == record
    assert GameRecord.from_text(record.to_text()) == [record]
    assert record.verify().to_bytes() == game.to_bytes()
    again = Game.from_bytes(game.to_bytes())
    assert again.tapes == game.tapes and again.start == game.start
    assert GameRecord.from_game(again, ("ann", "bob")) == record
    assert [row["action"] for row in record.decisions()] == game.moves()
    verify_records([record, GameRecord.from_game(played(5, 90, game.ruleset))])


def test_what_is_played_on_from_a_record_with_own_dice_has_the_chance_of_its_position():
    record = GameRecord.from_game(with_own_dice(Game(4), 300))
    saved = Game.from_bytes(record.begun().to_bytes())
    for action in record.actions:
        saved.step(action)
    assert saved.hash() == record.hash and saved.tapes == dict(record.tapes)
    number = record.tapes[2][0]
    game = record.replay(number)
    assert game.state["tape_length"] == 0 and game.tapes == dict(record.tapes[:2])
    other = next(action for action in game.legal() if action != record.actions[number])
    assert GameRecord.from_game(game.step(other)).verify().hash() == game.hash()


TAPED = json.loads(GameRecord.from_game(with_own_dice(Game(4), 300)).to_json())
FIRST = TAPED["tapes"][0]


@pytest.mark.parametrize(
    ("tapes", "words"),
    [
        ({}, "list of pairs"),
        ([[1]], "list of pairs"),
        ([[-1, [1]]], "the number of a tape"),
        ([[10_000, [1]]], "the number of a tape"),
        ([FIRST, FIRST], "the number of a tape"),
        ([[FIRST[0], []]], "holds no outcomes"),
        ([[FIRST[0], [1] * 33]], "holds 32 values at most"),
        ([[FIRST[0], [128]]], "from 0 to 127"),
        ([[FIRST[0], [1.5]]], "from 0 to 127"),
    ],
)
def test_damaged_tapes_are_refused(tapes, words):
    with pytest.raises(RecordError, match=words):
        GameRecord.from_json(json.dumps({**TAPED, "tapes": tapes}))


def test_tapes_that_do_not_fit_are_refused():
    with pytest.raises(RecordError, match="needs a position"):
        GameRecord.from_json(json.dumps({**TAPED, "position": ""}))
    for tape in ([127], [*FIRST[1], 1]):
        wrong = GameRecord.from_json(json.dumps({**TAPED, "tapes": [[FIRST[0], tape], *TAPED["tapes"][1:]]}))
        with pytest.raises(RecordError, match=f"action number {FIRST[0] + 1} cannot be played"):
            wrong.verify()
    with pytest.raises(RecordError, match="given outcomes of chance"):
        GameRecord.from_json(json.dumps({**json.loads(DUEL.to_json()), "tapes": [FIRST]}))


def test_a_saved_game_keeps_its_record():
    game = played(8, 60, Ruleset())
    assert GameRecord.from_game(Game.from_bytes(game.to_bytes())) == GameRecord.from_game(game)


DAMAGED = [
    "",
    "{",
    "[]",
    "3",
    "null",
    "[" * 100_000,
    RECORD.to_json()[:-1],
    RECORD.to_json()[: len(RECORD.to_json()) // 2],
    RECORD.to_json() + "x",
    changed(format=1),
    changed(format=3),
    changed(format=True),
    changed(format=1.0),
    changed(rules=10**6),
    changed(rules="1"),
    changed(ruleset=[]),
    changed(ruleset={"no_such_option": 1}),
    changed(ruleset={"hand_limit": 99}),
    changed(ruleset={"players": [2]}),
    changed(seed=-1),
    changed(seed=2**63),
    changed(seed=True),
    changed(seed="1"),
    changed(seed=1.0),
    changed(players=["one"]),
    changed(players=["one", 2]),
    changed(players="ab"),
    changed(actions={}),
    changed(actions=[1.0]),
    changed(actions=[True]),
    changed(actions=[-1]),
    changed(actions=[100_000]),
    changed(hash="xyz"),
    changed(hash=RECORD.hash.upper() + "A"),
    changed(hash=None),
    changed(extra=1),
    changed(result={}),
    changed(result=[1]),
    changed(result={**FIELDS["result"], "winner": "gollum"}),
    changed(result={**FIELDS["result"], "winner": ["shadow"]}),
    changed(result={**FIELDS["result"], "reason": 3}),
    changed(result={**FIELDS["result"], "corruption": 13}),
    changed(result={**FIELDS["result"], "turn": 0}),
    changed(result={**FIELDS["result"], "victory_points": [1]}),
    changed(result={**FIELDS["result"], "victory_points": [1, -1]}),
    changed(result={**FIELDS["result"], "more": 1}),
    changed(result={**FIELDS["result"], "winning_partners": [0]}),  # of a draw
    changed(result={**FIELDS["result"], "winner": "shadow", "winning_partners": [2, 1]}),
    changed(result={**FIELDS["result"], "winner": "shadow", "winning_partners": [0]}),
    changed(result={**FIELDS["result"], "winner": "shadow", "winning_partners": [True]}),
    changed(result={**FIELDS["result"], "winner": "shadow", "winning_partners": None}),
    json.dumps({name: value for name, value in FIELDS.items() if name != "seed"}),
]


@pytest.mark.parametrize("number", range(len(DAMAGED)))
def test_a_damaged_line_is_refused(number):
    with pytest.raises(RecordError, match="^games.jsonl, line 7: ") as error:
        GameRecord.from_json(DAMAGED[number], "games.jsonl, line 7")
    assert "\n" not in str(error.value)


def test_a_file_with_a_damaged_line_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(RECORD.to_json() + "\n" + RECORD.to_json()[:40] + "\n")
    with pytest.raises(RecordError, match="games.jsonl, line 2"):
        GameRecord.load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="games.jsonl"):
        GameRecord.load(path)
    with pytest.raises(RecordError, match="missing"):
        GameRecord.load(tmp_path / "missing")


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_no_changed_character_passes_for_the_same_game(data):
    line = RECORD.to_json()
    place = data.draw(st.integers(0, len(line) - 1))
    character = data.draw(st.characters(codec="utf-8").filter(lambda one: one != line[place]))
    try:
        record = GameRecord.from_json(line[:place] + character + line[place + 1 :])
    except RecordError:
        return
    same_game = dataclasses.replace(record, players=RECORD.players) == RECORD
    if not same_game:
        with pytest.raises(RecordError):
            record.verify()


def test_an_action_that_does_not_fit_is_named():
    wrong = dataclasses.replace(
        RECORD, actions=(*RECORD.actions[:3], 31, *RECORD.actions[4:]), source="f, line 3"
    )
    with pytest.raises(RecordError, match="f, line 3: action number 4"):
        wrong.verify()
    with pytest.raises(RecordError, match="over"):
        dataclasses.replace(RECORD, actions=(*RECORD.actions, 0)).verify()


def test_another_end_is_refused():
    with pytest.raises(RecordError, match="hash"):
        dataclasses.replace(RECORD, hash="0" * 32).verify()
    with pytest.raises(RecordError, match="no result"):
        dataclasses.replace(RECORD, result=None).verify()
    with pytest.raises(RecordError, match="ends with"):
        dataclasses.replace(RECORD, result=dataclasses.replace(RECORD.result, corruption=12)).verify()
    with pytest.raises(RecordError):
        dataclasses.replace(RECORD, actions=RECORD.actions[:-1]).verify()
    with pytest.raises(RecordError):
        dataclasses.replace(RECORD, seed=RECORD.seed + 1).verify()
