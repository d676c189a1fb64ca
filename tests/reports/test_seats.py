"""The section of docs/strength.md with the results of bots by seat."""

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Seats, Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.reports.seats import PLAYERS, main, put_into, section

ALONE = WorkerPool("threads", 1)


@pytest.fixture(scope="module")
def played():
    return {
        players: [
            run_tournament(
                Tournament(("random", "random"), 4, 1, Ruleset(players=players, max_turns=1), seats=seats),
                crew=ALONE,
            )
            for seats in Seats
        ]
        for players in PLAYERS
    }


def test_a_section_has_every_seat(played):
    written = section(played, 4, 1)
    assert "`random` and `random (2)` played 4 games each with seed 1" in written
    for head in ("### 3 players", "### 4 players", "| Isengard | random (2) | 2 |", "| Rohan | all | 4 |"):
        assert head in written
    tables = [line for line in written.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in tables)
    assert "in seat Gondor" in written and "in seat Free Peoples" in written


def test_a_section_takes_the_place_of_the_old_one(played):
    written = section(played, 4, 1)
    page = put_into("# Title\n\nWords.\n", written)
    assert page == "# Title\n\nWords.\n\n" + written
    again = put_into(page + "\nMore words.\n", section(played, 4, 2))
    assert again.startswith("# Title\n\nWords.\n\n") and again.endswith("\nMore words.\n")
    assert again.count("## Bots by seat") == 1 and "seed 2" in again and "seed 1" not in again
    with pytest.raises(CommandError, match="lacks the other"):
        put_into(page.replace("<!-- end of results by seat -->", ""), written)


def test_an_unknown_bot_is_refused_in_a_line(tmp_path, capsys):
    assert main(["nobody", "random", "--out", str(tmp_path / "page.md")]) == 2
    assert "unknown bot 'nobody'" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()
