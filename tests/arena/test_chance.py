"""Where the chance of tournaments comes from, and what a bot can find out of it."""

from __future__ import annotations

import dataclasses
import json

import pytest

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Batch, Tournament, bot_seed, game_seed, new_secret, seated
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError

ALONE = WorkerPool("threads", 1)
TWO = ("random", "random")
QUICK = {"batch": 2, "game": "hunt-only"}


def seeds_of(folder):
    with read_store(folder / GAMES) as store:
        return [game.seed for game in store.games()]


pytestmark = pytest.mark.usefixtures("toys")


def test_without_a_seed_every_tournament_has_other_games(tmp_path):
    for name in ("one", "other"):
        run_tournament(Tournament(TWO, 8, **QUICK), tmp_path / name, ALONE)
    one, other = (seeds_of(tmp_path / name) for name in ("one", "other"))
    assert len(set(one)) == len(set(other)) == 4  # a pair has one seed
    assert not set(one) & set(other)


def test_a_tournament_goes_on_from_the_secret_in_its_folder(tmp_path):
    tournament = Tournament(TWO, 8, **QUICK)
    first = run_tournament(tournament, tmp_path / "out", ALONE)
    assert run_tournament(tournament, tmp_path / "out", ALONE) == first
    again = Tournament(TWO, 8, secret=first["secret"], **QUICK)
    assert run_tournament(again, tmp_path / "again", ALONE) == first
    assert seeds_of(tmp_path / "again") == seeds_of(tmp_path / "out")


def test_another_secret_or_a_seed_is_another_tournament(tmp_path):
    run_tournament(Tournament(TWO, 4, **QUICK), tmp_path, ALONE)
    for change in ({"secret": new_secret()}, {"seed": 0}):
        with pytest.raises(CommandError, match="holds another tournament"):
            run_tournament(Tournament(TWO, 4, **QUICK, **change), tmp_path, ALONE)


@pytest.mark.parametrize("secret", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32])
def test_a_secret_is_32_hex_digits(secret):
    with pytest.raises(CommandError, match="a secret has 32 hex digits"):
        Tournament(TWO, 2, secret=secret)


def test_seed_and_secret_exclude_each_other():
    with pytest.raises(CommandError, match="not both"):
        Tournament(TWO, 2, seed=1, secret=new_secret())


def test_games_without_chance_cannot_be_begun():
    with pytest.raises(ValueError, match="no secret yet"):
        game_seed(Tournament(TWO, 2), 0)


def test_seeds_of_bots_do_not_depend_on_the_seed_of_games():
    batch = Batch(0, 0, 2)
    seeds = {bot_seed(Tournament(TWO, 2, seed=seed), batch, 0) for seed in range(20)}
    assert len(seeds) == 1
    assert len({game_seed(Tournament(TWO, 2, seed=seed), 0) for seed in range(20)}) == 20
    assert bot_seed(Tournament(TWO, 2, seed=0), batch, 1) not in seeds


def test_all_numbers_of_a_secret_differ():
    tournament = Tournament(("random",) * 5, 100, seats="drawn").begun()
    seeds = {game_seed(tournament, number) for number in range(100)}
    seeds |= {
        bot_seed(tournament, Batch(0, first, 5), place) for first in range(0, 100, 5) for place in range(5)
    }
    assert len(seeds) == 20 + 100
    for number in range(0, 100, 5):
        by_seat = zip(*(seated(tournament, 0, number + place) for place in range(5)), strict=True)
        assert all(sorted(seat) == list(range(5)) for seat in by_seat)


def test_a_tournament_that_has_begun_keeps_its_secret():
    tournament = Tournament(TWO, 2).begun()
    assert tournament.begun(new_secret()) is tournament
    assert Tournament(TWO, 2, seed=3).begun() == Tournament(TWO, 2, seed=3)
    assert dataclasses.replace(tournament, secret=None).begun("0" * 32).secret == "0" * 32


def test_the_command_plays_a_secret_once_more(capsys):
    arguments = ["tournament", *TWO, "--games", "4", "--game", "hunt-only", "--workers", "1", "--json"]
    assert cli.main(arguments) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["seed"] is None and len(first["secret"]) == 32
    assert cli.main([*arguments, "--secret", first["secret"]]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert cli.main([*arguments, "--secret", first["secret"], "--seed", "0"]) == 2
    assert "not both" in capsys.readouterr().err
