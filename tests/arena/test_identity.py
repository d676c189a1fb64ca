"""What was played is what is told: packages and files behind the specs of bots."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

from wotr_agents.identity import identity
from wotr_agents.networks.files import ZOO
from wotr_env import GameRecord
from wotr_env.core.errors import RecordError
from wotr_env.play.bots import BotError
from wotr_env.play.plugins import package_version
from wotr_experiments.arena import tournament as tournaments
from wotr_experiments.arena.compare import compare_tournament, run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation

APART = WorkerPool("threads", 1)
ALONE = WorkerPool("threads", 1, isolation=Isolation("none"))
HUNT = {"batch": 2, "game": "hunt-only"}


pytestmark = pytest.mark.usefixtures("toys")


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book"
    path.write_bytes(b"one")
    return path


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def test_a_bot_is_its_package_and_the_bytes_of_its_files(book):
    assert identity("scripted") == identity("mcts:sims=9") == package_version()
    assert identity("oracle") == "toys 1.0"
    assert identity(f"book:{book}") == f"toys 1.0; book {digest(book)}"
    before = identity(f"book:{book}")
    book.write_bytes(b"two")
    assert identity(f"book:{book}") != before


@pytest.mark.parametrize("spec", ["net:{}", "search:{},sims=4"])
def test_a_network_is_told_by_its_bytes(spec):
    path = sorted(ZOO.glob("*.safetensors"))[0]
    named = identity(spec.format(f"zoo/{path.stem}"))
    assert named == f"{package_version()}; {path.name} {digest(path)}" == identity(spec.format(path))


def test_a_file_that_is_gone_is_told(book):
    book.unlink()
    with pytest.raises(BotError, match="book: No such file"):
        identity(f"book:{book}")


def test_records_and_summary_tell_who_played(book, tmp_path):
    specs = (f"book:{book}", "oracle")
    summary = run_tournament(Tournament(specs, 4, **HUNT), tmp_path / "out", APART)
    who = [f"toys 1.0; book {digest(book)}", "toys 1.0"]
    assert summary["identities"] == who
    assert summary["rules_version"] == Tournament(specs, 4, **HUNT).kind.rules_version
    records = load_records(tmp_path / "out" / GAMES)
    named = dict(zip(summary["bots"], who, strict=True))
    assert all(record.identities == tuple(map(named.get, record.players)) for record in records)
    assert {record.players[0] for record in records} == set(named)
    assert GameRecord.from_json(records[0].to_json()) == records[0]


def test_a_tournament_goes_on_with_the_same_players_only(book, tmp_path):
    tournament = Tournament((f"book:{book}", "oracle"), 4, **HUNT)
    first = run_tournament(tournament, tmp_path / "out", ALONE)
    assert run_tournament(tournament, tmp_path / "out", ALONE) == first
    book.write_bytes(b"two")
    with pytest.raises(CommandError, match=f"another tournament .its identities: .*{digest(book)}"):
        run_tournament(tournament, tmp_path / "out", ALONE)
    book.write_bytes(b"one")
    assert run_tournament(tournament, tmp_path / "out", ALONE) == first


def test_a_tournament_goes_on_with_the_same_version_only(tmp_path, monkeypatch):
    tournament = Tournament(("random", "random"), 4, **HUNT)
    run_tournament(tournament, tmp_path, ALONE)
    monkeypatch.setattr(tournaments, "identity_of", lambda *_: "wotr-env 99")
    with pytest.raises(CommandError, match="another tournament .its identities"):
        run_tournament(tournament, tmp_path, ALONE)


def test_a_comparison_goes_on_with_the_same_players_only(book, tmp_path):
    match = compare_tournament(f"book:{book}", "oracle", 4, **HUNT)
    run_compare(match, Sprt(), tmp_path / "out", ALONE)
    book.write_bytes(b"two")
    with pytest.raises(CommandError, match="another comparison .its identities"):
        run_compare(match, Sprt(), tmp_path / "out", ALONE)


def test_a_bot_that_changes_while_it_plays_stops_the_tournament(book, tmp_path):
    class Rewrites(tournaments.TournamentObserver):
        def stored(self, games):
            book.write_bytes(b"two")

    tournament = Tournament((f"book:{book}", "oracle"), 4, **HUNT)
    with pytest.raises(CommandError, match="book:.* has changed since the start: it was toys 1.0; book"):
        run_tournament(tournament, tmp_path / "out", ALONE, Rewrites())
    assert len(load_records(tmp_path / "out" / GAMES)) == 2


@pytest.mark.parametrize("wrong", [None, "scripted", ["scripted"], [1, 2]])
def test_identities_in_a_record_are_one_for_each_seat(wrong, tmp_path):
    run_tournament(Tournament(("random", "random"), 2, **HUNT), tmp_path, ALONE)
    record = load_records(tmp_path / GAMES)[0]
    fields = json.loads(record.to_json())
    with pytest.raises(RecordError, match="identities are 3 names, one for each seat, not"):
        GameRecord.from_json(json.dumps({**fields, "identities": wrong}))
    del fields["identities"]
    assert GameRecord.from_json(json.dumps(fields)) == dataclasses.replace(record, identities=())
