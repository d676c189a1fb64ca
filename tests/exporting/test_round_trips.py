"""From records to tables and back: the same records, observations, masks and ends."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.tools.fuzz_texts import played
from wotr_env import Game, GameRecord
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.words.positions import victory_points
from wotr_env.play.games import game_kind
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, load_records, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.data import read
from wotr_experiments.data.columns import faces_of
from wotr_experiments.data.export import Export, export
from wotr_experiments.data.sources import SourceGame, Split, games_of
from wotr_experiments.isolation.bots import Isolation

RULESETS = (
    "first",
    "second:max_turns=4",
    "first:players=3",
    "second:players=4,max_turns=4",
    "first:max_turns=2,null_events=false",
)
ALONE = WorkerPool("threads", 1, Isolation("none"))


def sourced(records, name="games.jsonl"):
    return iter([SourceGame(record, name, number) for number, record in enumerate(records)])


@pytest.fixture(scope="module")
def games():
    """Games of every ruleset, some stopped, some begun from a position."""
    found = [played(seed, RULESETS[seed % len(RULESETS)], 300 if seed % 3 else 5_000) for seed in range(15)]
    for seed, ruleset in enumerate(RULESETS):
        middle = played(seed, ruleset, 200)
        game = Game.from_position(middle.position())
        while not game.over and len(game.actions) < 150:
            game.step(game.legal()[len(game.actions) % len(game.legal())])
        found.append(game)
    return found


@pytest.fixture(scope="module")
def records(games):
    return [
        GameRecord.from_game(game, tuple(f"bot {seat.name}" for seat in game.ruleset.seats)) for game in games
    ]


@pytest.fixture(scope="module")
def folder(records, tmp_path_factory):
    """All of them as Parquet, in two parts, with all columns."""
    out = tmp_path_factory.mktemp("export") / "data"
    export([sourced(records)], out, Export(observations=True, masks=True, split=Split((0.6, 0.4))))
    return out


def test_records_come_back_byte_for_byte(folder, records):
    again = read.records(folder)
    assert [each.to_json() for each in again] == [each.to_json() for each in records]
    some = read.records(folder, "train")
    assert 0 < len(some) < len(records)


def test_row_groups_begin_with_games(folder, monkeypatch, records, tmp_path):
    import pyarrow.parquet

    monkeypatch.setattr("wotr_experiments.data.export.AT_ONCE", 500)
    some = records[:9]
    export([sourced(some)], tmp_path / "out", Export(observations=True))
    with pyarrow.parquet.ParquetFile(tmp_path / "out" / "all" / "decisions.parquet") as file:
        groups = [file.read_row_group(group, ["step"])["step"][0].as_py() for group in range(3)]
        assert file.num_row_groups > 5 and groups == [0, 0, 0]
    whole = {(game, step): row for game, step, row in rows_of(read.observations(tmp_path / "out"))}
    for game, step, row in rows_of(read.observations(folder)):
        assert game >= len(some) or (whole.pop((game, step)) == row).all()
    assert not whole
    assert [each.to_json() for each in read.records(tmp_path / "out")] == [each.to_json() for each in some]


def rows_of(chunks):
    for games, steps, observations in chunks:
        yield from zip(games.tolist(), steps.tolist(), observations, strict=True)


def test_observations_and_masks_are_those_of_the_game(folder, records):
    table = read.table(folder, "decisions").to_pandas()
    masks = read.masks(read.table(folder, "decisions", columns=["legal"])["legal"], NUM_ACTIONS)
    observed = list(rows_of(read.observations(folder, rows=777)))
    replayed = list(rows_of(read.observations(folder, replayed=True)))
    assert len(table) == len(observed) == len(replayed) == sum(len(record.actions) for record in records)
    current, game = None, Game()
    for row, mask, (number, step, seen), again in zip(
        table.itertuples(), masks, observed, replayed, strict=True
    ):
        if row.game != current:
            current, game = row.game, records[row.game].begun()
        assert (row.game, row.step) == (number, step) == again[:2]
        assert (seen == game.observe(game.seat)).all() and (again[2] == seen).all()
        assert np.flatnonzero(mask).tolist() == game.legal() == list(row.legal)
        assert (row.seat, row.legal_count, row.turn) == (game.seat, len(game.legal()), game.state["turn"])
        assert row.decision == game.decision and row.action == records[row.game].actions[row.step]
        assert row.decision_name == WAR_OF_THE_RING.decision(game.state)
        assert row.action_name == WAR_OF_THE_RING.actions.names[row.action]
        assert row.team == WAR_OF_THE_RING.teams[game.side].name
        game.step(int(row.action))
    assert len(WAR_OF_THE_RING.layout.decision) == len(Decision)


def test_games_say_how_they_ended(folder, records):
    games = read.table(folder, "games").to_pandas().set_index("game")
    decisions = read.table(folder, "decisions", columns=["game", "team", "winner", "outcome"]).to_pandas()
    for number, record in enumerate(records):
        row = games.loc[number]
        assert list(row.seats) == [seat.name for seat in record.ruleset.seats]
        assert row.decisions == len(record.actions) and row.source == "games.jsonl" and row.number == number
        mine = decisions[decisions.game == number]
        if record.result is None:
            assert row.reason == "unfinished" and row.winner != row.winner and len(row.winning_seats) == 0
            assert mine.outcome.isna().all() and mine.winner.isna().all()
            continue
        result = record.result
        assert json.loads(row.result) == result.to_dict() and row.reason == result.reason.name.lower()
        assert (
            row.winner == WAR_OF_THE_RING.winner_name(result.winner) and row.corruption == result.corruption
        )
        assert list(row.winning_seats) == [record.ruleset.seats[seat].name for seat in result.seats]
        won = mine.team == row.winner
        wanted = np.where(row.winner == "draw", 0, np.where(won, 1, -1))
        assert (mine.outcome == wanted).all() and (mine.winner == row.winner).all()
    assert set(games.player_shadow) == {"bot shadow", "bot sauron + bot isengard"}
    assert {2, 3} <= {
        len(games.loc[number].seats) for number in games.index if len(games.loc[number].winning_seats)
    }


def test_turns_are_as_the_events_tell(folder, records):
    turns = read.table(folder, "turns").to_pandas()
    for number in (0, 1, 2, 3, 4, 16):
        record, rows = records[number], turns[turns.game == number]
        assert rows.decisions.sum() == len(record.actions)
        assert rows.turn.tolist() == list(range(rows.turn.iloc[0], rows.turn.iloc[0] + len(rows)))
        rolled, moved, begun = told(record)
        for row in rows.itertuples():
            if begun is None or row.turn > begun:
                faces = rolled[row.turn]
                assert row.dice_free_peoples == len(faces[0]) and row.dice_shadow == len(faces[1])
                for side, name in enumerate(("free_peoples", "shadow")):
                    for face in faces_of(side):
                        column = f"rolled_{name}_{FACES[face]}"
                        assert getattr(row, column) == faces[side].count(face), (number, row.turn, column)
                assert row.hunt_box_free_peoples == moved.get(row.turn, 0)
                assert row.hunt_box_shadow >= row.hunt_allocated + row.rolled_shadow_eye
        end, last = record.replay().state, rows.iloc[-1]
        assert last.corruption == end["corruption"] and last.progress == end["progress"]
        assert (last.points_free_peoples, last.points_shadow) == victory_points(end)
        assert last.complete == (record.result is not None) and rows.complete[:-1].all()
    assert turns.hunt_allocated.notna().mean() > 0.9


FACES = ("character", "army", "muster", "army_muster", "event", "will", "eye")


def told(record):
    """From the events of a game: faces rolled by turn and side, and Fellowship moves by turn; the turn in
    which a game begins that has a position."""
    from wotr_env.games.war_of_the_ring.codes import Roll
    from wotr_env.games.war_of_the_ring.components import DIE_FACES
    from wotr_env.games.war_of_the_ring.events import trace_of

    game = record.begun()
    begun = int(game.state["turn"]) if record.position else None
    rolled, moved = {}, {}
    for action in record.actions:
        trace = trace_of(game.state, action)
        for place, (kind, side, value, _) in trace.draws():
            if kind == Roll.ACTION_DIE:
                faces = rolled.setdefault(int(trace.states[place + 1]["turn"]), ([], []))
                faces[side].append(int(DIE_FACES[side, value - 1]))
        for before, after in zip(trace.states[:-1], trace.states[1:], strict=True):
            if after["hunt_box"][0] > before["hunt_box"][0]:
                turn = int(before["turn"])
                moved[turn] = moved.get(turn, 0) + 1
        game.step(action)
    return rolled, moved, begun


@pytest.mark.usefixtures("bots")
def test_forfeits_of_a_tournament(tmp_path):
    rules = WAR_OF_THE_RING.limited(WAR_OF_THE_RING.find_ruleset("first"), 3)
    match = Tournament(("quitter:rate=0.01", "random"), 12, seed=5, ruleset=rules)
    run_tournament(match, tmp_path / "t", ALONE)
    with read_store(tmp_path / "t" / GAMES) as store:
        forfeited = [game.number for game in store.games() if game.forfeit]
    export([games_of(tmp_path / "t")], tmp_path / "out", Export(tables=("games", "decisions")))
    games = read.table(tmp_path / "out", "games").to_pandas()
    lost = games[games.reason == "forfeit"]
    assert lost.number.tolist() == forfeited and forfeited
    assert (lost.forfeit == "illegal").all() and lost.message.str.contains("illegal").all()
    assert lost.result.isna().all()
    for row in lost.itertuples():
        assert row.winner != row.quitter and list(row.winning_seats) == [row.winner]
        assert getattr(row, f"player_{row.quitter}") == "quitter:rate=0.01"
    assert sorted(set(games.pairing)) == [0] and games.number.tolist() == list(range(12))
    wanted = [record.to_json() for record in load_records(tmp_path / "t" / GAMES)]
    assert [record.to_json() for record in read.records(tmp_path / "out")] == wanted


@pytest.mark.usefixtures("toys")
def test_another_game(tmp_path):
    kind = game_kind("hunt-only")
    run_tournament(Tournament(("oracle", "random"), 20, 3, game="hunt-only"), tmp_path / "t", ALONE)
    card = export([games_of(tmp_path / "t")], tmp_path / "out", Export(observations=True, masks=True))
    assert list(card["columns"]) == ["games", "decisions"] and card["kind"] == "hunt-only"
    records = read.records(tmp_path / "out")
    stored = load_records(tmp_path / "t" / GAMES)
    assert [each.to_json() for each in records] == [each.to_json() for each in stored]
    games = read.table(tmp_path / "out", "games").to_pandas()
    assert set(games.winner) <= {team.name for team in kind.teams} | {"draw"}
    for number, step, seen in rows_of(read.observations(tmp_path / "out")):
        game = records[number].replay(step)
        assert (kind.kernels.observe(np.array([game.state]), np.array([game.seat]))[0] == seen).all()
    names = read.table(tmp_path / "out", "decisions", columns=["decision_name"])["decision_name"]
    assert names.null_count == len(names)
