"""The report: self-contained, well formed, with the numbers of the summary and pages of games."""

from __future__ import annotations

import html.parser
import io
import json
import re
import shutil
from types import SimpleNamespace

import pytest
import rich.console

from tests import arena_bots
from wotr_agents.registry import bot_plugins
from wotr_env import Ruleset
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.compare import CompareObserver, compare_tournament, run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live import LiveCompare, LiveTournament
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli.fitting import fitted
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.reports import charts
from wotr_experiments.reports.tournament import REPORT, Replays, page_of, write_report

QUICK = Ruleset.first_edition(max_turns=2)
HERE = Isolation("none")
ALONE = WorkerPool("threads", 1, HERE)
VOID = {"meta", "link", "br", "img", "input"}


class Page(html.parser.HTMLParser):
    """Checks that elements are closed in order; notes texts and links."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.texts = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module", autouse=True)
def bots(tmp_path_factory):
    """Bots that misbehave are known in all of the module."""
    with pytest.MonkeyPatch.context() as patch:
        arena_bots.install(tmp_path_factory.mktemp("bots"), patch)
        yield
    bot_plugins.cache_clear()


@pytest.fixture(scope="module")
def tournament():
    return Tournament(("random", "quitter:rate=0.02", "walker"), 4, 1, QUICK)


@pytest.fixture(scope="module")
def played(tournament, tmp_path_factory):
    """The folder of the tournament, without a report, and its summary."""
    out = tmp_path_factory.mktemp("played") / "out"
    return out, run_tournament(tournament, out, ALONE)


@pytest.fixture(scope="module")
def reported(tournament, played, tmp_path_factory):
    """A copy with the report and the first games as pages, and how the writing of pages went."""
    out, done = tmp_path_factory.mktemp("reported") / "out", []
    shutil.copytree(played[0], out)
    write_report(out, tournament, played[1], Replays.FIRST, lambda *pages: done.append(pages))
    return out, done


def test_the_report_is_one_file_with_links_to_games(played, reported):
    (out, done), summary = reported, played[1]
    page = Page((out / REPORT).read_text(encoding="utf-8"))
    assert len(page.links) == 6
    assert done[-1] == (6, 6)
    for link in page.links:
        assert re.fullmatch(r"games/[0-2]-\d{5}\.html", link)
        Page((out / link).read_text(encoding="utf-8"))
    text = " ".join(page.texts)
    for words in (
        "quitter:rate=0.02",
        "Cross table",
        "Ratings",
        "Kinds of victory",
        "Forfeits",
        "illegal action 322",
    ):
        assert words in text
    for row in summary["results"]:
        assert result_tables.share_text(row["wins"]) in text
    for row in summary["ratings"]["bots"]:
        assert result_tables.elo_text(row["shadow"]) in text


def test_the_cross_tables_tell_games_and_intervals(played, reported):
    """Wins counted once more from the games."""
    with read_store(played[0] / "games.sqlite") as store:
        games = store.games()
    text = (reported[0] / REPORT).read_text(encoding="utf-8")
    cells = re.findall(r'<td style="[^"]*" title="([^"]*)">([\d.]+%)', text)
    assert len(cells) == 6 + 6
    pairs = [(row, column) for row in range(3) for column in range(3) if row != column]
    for place, (row, column) in enumerate(pairs):
        both = [game for game in games if set(game.players) == {row, column}]
        won = sum(game.players[game.winner] == row for game in both if game.winner < 2)
        title, _ = cells[place]
        assert title.startswith(f"won {won} of {len(both)} games: ")
        as_team = [game for game in games if game.players == (row, column)]
        title, share = cells[6 + place]
        won = sum(game.winner == 0 for game in as_team)
        assert title.startswith(f"won {won} of {len(as_team)} games: ")
        assert share == f"{won / len(as_team):.1%}"
    assert "games that the row wins as Free Peoples against the column as Shadow" in text


def test_which_games_become_pages_and_how_any_other_is_seen(tournament, played, tmp_path):
    out, summary = shutil.copytree(played[0], tmp_path / "out"), played[1]

    def report(replays, pages):
        text = write_report(out, tournament, summary, replays).read_text(encoding="utf-8")
        links = Page(text).links
        assert len(links) == len(set(links)) == len(list(out.glob("games/*.html"))) == pages
        return text

    command = (
        "wotr replay DIR --pairing P --number N --html F. N counts from 0: N = 0 is game 1. "
        "P is the number of the pairing (0: "
    )
    assert f"To write the page of a game: {command}" in report(Replays.NONE, 0)
    first = "This page has the first pair of each pairing. To write the page of another game: "
    assert first + command in report(Replays.FIRST, 6)
    text = report(Replays.ALL, 12)
    assert "wotr replay DIR" not in text
    assert '<span class="command">' in text


def test_pages_that_are_there_are_kept(tournament, played, reported):
    out = reported[0]
    pages = {path: path.stat().st_mtime_ns for path in out.glob("games/*.html")}
    write_report(out, tournament, played[1])
    assert {path: path.stat().st_mtime_ns for path in out.glob("games/*.html")} == pages


def test_names_are_escaped(tmp_path):
    tournament = Tournament(("random", "killer:path=<b>&"), 2, 1, QUICK)
    (tmp_path / "<b>&").write_text("")
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.chdir(tmp_path)
        summary = run_tournament(tournament, tmp_path / "out", ALONE)
    text = write_report(tmp_path / "out", tournament, summary, Replays.NONE).read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "killer:path=<b>&" in " ".join(Page(text).texts)


def test_a_comparison_shows_its_test(tmp_path, monkeypatch):
    tournament = compare_tournament("random", "quitter:rate=0.02", 100, 4, ruleset=QUICK)
    summary = run_compare(tournament, Sprt(0, 200), tmp_path, ALONE)
    text = write_report(tmp_path, tournament, summary, Replays.NONE).read_text(encoding="utf-8")
    assert "random is stronger than quitter:rate=0.02" in text
    assert '<polyline class="trace"' in text
    Page(text)
    seen = []
    monkeypatch.setattr(charts, "trace", lambda ratios, *_: seen.append(len(ratios)) or "")
    summary["sprt"]["pairs"] = 2  # as after the same command with a smaller --max-games
    text = write_report(tmp_path, tournament, summary, Replays.ALL).read_text(encoding="utf-8")
    assert len(Page(text).links) == 4 and seen == [2]


def test_no_page_of_the_machine_or_the_network_is_named(reported):
    text = (reported[0] / REPORT).read_text(encoding="utf-8")
    assert str(reported[0]) not in text
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_name_of_a_page_does_not_depend_on_the_number_of_games():
    """So pages that are kept when games are added to a tournament are still those of their games."""
    games = [
        SimpleNamespace(pairing=pairing, number=number) for pairing in range(3) for number in (0, 3, 999)
    ]
    assert page_of(games[7]) == "games/2-00004.html"
    assert len({page_of(game) for game in games}) == len(games)


def numbers_in(svg, attribute):
    return [float(value) for value in re.findall(rf' {attribute}="([-\d.]+)"', svg)]


def test_intervals_are_drawn_inside_the_chart():
    svg = charts.intervals({"a <b>": [("both", 10.0, -200.0, 30.0, "words")], "c": []}, "Elo", 0.0)
    Page(svg)
    assert "a &lt;b&gt;" in svg
    assert all(0 <= x <= 760 for x in numbers_in(svg, "x1") + numbers_in(svg, "x2") + numbers_in(svg, "cx"))


def test_one_point_has_a_chart():
    Page(charts.intervals({"a": [("both", 0.0, 0.0, 0.0, "")]}, "Elo", 0.0))
    Page(charts.histogram({7: 3}, "turns", "plain"))
    Page(charts.trace([0.1], (-2.9, 2.9), "pairs"))


def test_shares_fill_the_bar():
    svg = charts.shares({"a": {"x": 3, "y": 1}, "nothing": {"x": 0, "y": 0}}, {"x": "shadow", "y": "plain"})
    wide, narrow = (numbers_in(each, "width")[3:] for each in svg.split("</svg>")[:2])  # behind the legend
    assert wide == pytest.approx([367.5, 122.5], abs=0.1)
    assert narrow == pytest.approx([238.5, 79.5], abs=0.1)


def test_histograms_have_a_bar_for_each_number():
    svg = charts.histogram({3: 1, 6: 4}, "turns", "plain")
    assert svg.count("<rect") == 4
    assert max(numbers_in(svg, "height")[1:]) == 140


def test_the_live_table_follows_the_games(tournament):
    watch = LiveTournament(tournament)
    with watch.shown():
        summary = run_tournament(tournament, crew=ALONE, watch=watch)
    console = rich.console.Console(width=160, record=True, file=io.StringIO())
    console.print(watch.picture())
    text = console.export_text()
    assert "12/12" in text and "now:" not in text
    for row, rating in zip(summary["results"], summary["ratings"]["bots"], strict=True):
        line = next(line for line in text.splitlines() if f" {row['bot']} " in line)
        assert f" {row['wins']['share']:.1%} (" in line
        assert int(line.split("│")[3]) == pytest.approx(rating["both"]["elo"], abs=1)


def test_the_live_table_tells_who_plays_now(tournament):
    watch = LiveTournament(tournament)
    batch = Batch(1, 2, 2)
    watch.taken(batch)
    first, second = (tournament.names[place] for place in tournament.pairings[1])
    console = rich.console.Console(width=80, record=True, file=io.StringIO())
    console.print(watch.picture())
    text = console.export_text()
    assert f"now: {first} against {second}, games 3 to 4" in text
    assert max(map(len, text.splitlines())) <= 80
    watch.over(batch)
    console.print(watch.picture())
    assert "now:" not in console.export_text()


def test_the_live_comparison_shows_the_ratio():
    tournament = compare_tournament("random", "quitter:rate=0.02", 100, 4, ruleset=QUICK)
    watch = LiveCompare(tournament)
    assert isinstance(watch, CompareObserver)
    watch.picture()
    summary = run_compare(tournament, Sprt(0, 200), crew=ALONE, watch=watch)
    console = rich.console.Console(width=160, record=True, file=io.StringIO())
    console.print(watch.picture())
    assert f"LLR {summary['sprt']['llr']:+.2f}" in console.export_text()


def test_tables_of_a_summary_can_be_printed(tournament):
    summary = json.loads(json.dumps(run_tournament(tournament, crew=ALONE)))
    console = rich.console.Console(width=200, record=True, file=io.StringIO())
    console.print(*result_tables.tournament_tables(summary))
    text = console.export_text()
    for words in (
        "12 games, seed 1",
        "ratings in Elo",
        "score of the row",
        "the row wins as Free Peoples",
        "illegal",
        "forfeits",
    ):
        assert words in text


def test_long_paths_are_shortened_in_tables_only(tournament):
    """The summary itself, which is the JSON output, keeps them."""
    path = "net:path=/home/somebody/projects/middle-earth/runs/first"
    played = run_tournament(tournament, crew=ALONE)
    summary = json.loads(json.dumps(played).replace('"random"', json.dumps(path)))
    before = json.dumps(summary)
    console = rich.console.Console(width=200, record=True, file=io.StringIO())
    thought = {"decisions": 1, "ms_per_decision": 1.0, "simulations_per_second": None}
    console.print(*result_tables.tournament_tables(summary), *result_tables.thinking_tables({path: thought}))
    text = console.export_text()
    assert path not in text and text.count("net:path=…/runs/first") > 5
    assert json.dumps(summary) == before
    two = [path, path.replace("middle-earth", "elsewhere")]
    assert result_tables.short_names(two) == two
    assert result_tables.short_names(["net:zoo/wide", "stdio:python3 my_bot.py"]) == [
        "net:zoo/wide",
        "stdio:python3 my_bot.py",
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_tables_of_a_summary_fit_the_terminal(tournament, width):
    summary = json.loads(json.dumps(run_tournament(tournament, crew=ALONE)))
    tables = result_tables.tournament_tables(summary)
    (pairings,) = (each for each in tables if each.columns[-1].header == "decisions")
    assert pairings.caption.endswith("corruption at the end: mean; decisions per game: mean")
    for table in tables:
        parts = fitted(table, width)
        heads = [column.header for part in parts for column in part.columns]
        assert set(heads) == {column.header for column in table.columns}
        assert parts[0].title == table.title and parts[-1].caption == table.caption
        console = rich.console.Console(width=width, record=True, file=io.StringIO())
        console.print(*parts)
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= width and "…" not in text
        for column in table.columns:
            if column.justify == "right":
                assert all(str(cell) in text for cell in column.cells)
