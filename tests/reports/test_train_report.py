"""The report of a training run: self-contained, well formed, with the numbers of its metrics."""

from __future__ import annotations

import json
import math
import re

import pytest

from tests.reports.test_report import Page, numbers_in
from tests.tiny_training import TINY, config_of
from wotr_agents.networks.checkpoint import network_bytes
from wotr_experiments.errors import CommandError
from wotr_experiments.reports import charts
from wotr_experiments.reports.training import REPORT, write_train_report
from wotr_experiments.training.run_folder import FORMAT

CONFIG = config_of(32).to_dict()
ENDS = ("corruption", "ring_destroyed", "shadow_military", "free_peoples_military", "turn_limit")


def update(number, **changes):
    return {
        "kind": "update",
        "update": number,
        "decisions": 1000 * number,
        "seconds": 2.0 * number,
        "speed": 500,
        "shares": {"engine": 0.2, "inference": 0.3, "opponents": 0.1, "update": 0.3, "storage": 0.05},
        "policy_loss": -0.01,
        "value_loss": 1.5,
        "entropy": 1.2,
        "approx_kl": 0.01,
        "clip_fraction": 0.05,
        "gradient_norm": 0.3,
        "explained_variance": 0.4,
        "games": 4,
        "ends": dict(zip(ENDS, (1, 0, 2, 1, 0), strict=True)),
    } | changes


def evaluation(number, **changes):
    return {
        "kind": "evaluation",
        "update": number,
        "decisions": 1000 * number,
        "seconds": 2.0 * number,
        "games": 100,
        "scores": {
            "random": {"free_peoples": 0.9, "shadow": 0.85},
            "scripted": {"free_peoples": 0.25, "shadow": 0.125},
        },
        "elo": -123.4,
    } | changes


def write_run(folder, lines, config=None):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"format": FORMAT, **(config or CONFIG)}))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def run(tmp_path):
    return write_run(
        tmp_path / "run",
        [
            update(1),
            update(2),
            evaluation(2),
            update(3),
            evaluation(3, elo=45.6, elo_interval_95=[-2.2, 93.4]),
        ],
    )


def report_of(folder):
    path = write_train_report(folder)
    assert path == folder / REPORT
    text = path.read_text(encoding="utf-8")
    return text, Page(text)


def test_the_report_is_one_file_with_everything_in_it(run):
    text, page = report_of(run)
    words = " ".join(page.texts)
    for shown in (
        "training, 3,000 decisions",
        "3,000 of 4,096 (73.2%)",
        "0:00:06",
        "Elo above scripted",
        "score against random, %",
        "score against scripted, %",
        "policy loss",
        "value loss",
        "entropy of the policy",
        "clip fraction",
        "explained variance of the returns",
        "decisions per second",
        "where the time goes, %",
        "how games end, %",
        "90.0%",
        "12.5%",
        "-123",
        "+46 (-2 to +93)",
        "25.0% (17.5% to 34.3%)",
        "85.0% (76.7% to 90.7%)",
        "ppo.learning_rate",
        "random, scripted",
    ):
        assert shown in words, shown
    assert page.links == []
    assert str(run) not in text
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_heading_and_the_scores_are_those_of_the_game(tmp_path):
    lines = [update(1), evaluation(1, scores={"random": {"sauron": 0.5}})]
    text, page = report_of(write_run(tmp_path / "run", lines, CONFIG | {"game": "duel"}))
    assert "<h1>Duel for Middle-earth: training, 1,000 decisions</h1>" in text
    assert "score against random, %" in page.texts
    assert '<line class="interval shadow"' in text


def test_intervals_are_drawn_where_there_are_any(tmp_path):
    lines = [
        update(1),
        evaluation(1),
        evaluation(2, elo=500.0, elo_interval_95=[400.5, None]),
        evaluation(3, elo_interval_95=[-150.0, -99.5]),
        evaluation(4, elo_interval_95="wide"),
        evaluation(5, games=0),
    ]
    text, page = report_of(write_run(tmp_path / "run", lines))
    assert text.count('<line class="interval ink"') == 1
    assert text.count('<line class="interval free_peoples"') == 2 * 5
    assert "+500 (+400 to +inf)" in page.texts and "90.0% (0.0% to 100.0%)" in page.texts


def test_the_best_network_is_told(tmp_path):
    lines = [update(1), evaluation(1, best=True), evaluation(2, best=True), evaluation(3, best=False)]
    _, page = report_of(write_run(tmp_path / "run", lines))
    assert "best.safetensors the network after 2,000 decisions" in " ".join(page.texts)
    assert page.texts.count("best") == 2


def test_the_device_is_that_of_the_last_checkpoint(run):
    assert "threads that play and learn 2 device -" in " ".join(report_of(run)[1].texts)
    (run / "last.safetensors").write_bytes(network_bytes({}, TINY.network, {"device": "cuda"}))
    assert "device cuda" in " ".join(report_of(run)[1].texts)
    for broken in (b"no tensors", network_bytes({}, TINY.network, {})):
        (run / "last.safetensors").write_bytes(broken)
        assert "device -" in " ".join(report_of(run)[1].texts)


def test_text_is_escaped(tmp_path):
    config = TINY.to_dict() | {"opponents": ["net:<b>&"], "start": "<i>"}
    scores = {"<u>&bot": {"free_peoples": 0.5, "<s>": 0.5}}
    lines = [update(1, shares={"<q>": 0.5}, ends={"<em>": 3}), evaluation(1, scores=scores)]
    text, page = report_of(write_run(tmp_path / "run", lines, config))
    for tag in ("<b>", "<i>", "<u>", "<s>", "<q>", "<em>"):
        assert tag not in text
        assert tag in " ".join(page.texts)


def test_half_a_character_is_shown_as_a_question_mark(tmp_path):
    config = TINY.to_dict() | {"start": "net-\ud800"}
    assert "net-?" in report_of(write_run(tmp_path / "run", [update(1)], config))[1].texts


def test_a_run_that_has_just_begun(tmp_path):
    _, page = report_of(write_run(tmp_path / "run", [update(1, games=0, ends=dict.fromkeys(ENDS, 0))]))
    assert "There is no evaluation yet." in page.texts


def test_an_unfinished_last_line_is_left_out(run):
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "upda')
    assert "3,000 of 4,096 (73.2%)" in " ".join(report_of(run)[1].texts)


def test_learning_from_an_expert_has_its_own_numbers(tmp_path):
    with_expert = update(1, agreement=0.5)
    for name in ("approx_kl", "clip_fraction"):
        del with_expert[name]
    _, page = report_of(write_run(tmp_path / "run", [with_expert, update(2)]))
    assert "agreement with the expert" in page.texts
    assert any(text.startswith("approximate KL divergence") for text in page.texts)


def test_a_critic_and_foresight_have_losses_of_their_own(tmp_path):
    _, page = report_of(write_run(tmp_path / "run", [update(1, critic_loss=0.5, foresight_loss=0.25)]))
    assert {"critic loss", "foresight loss"} <= set(page.texts)
    _, page = report_of(write_run(tmp_path / "without", [update(1)]))
    assert not {"critic loss", "foresight loss"} & set(page.texts)


def test_numbers_that_are_none_are_left_out(tmp_path):
    lines = [
        update(number, gradient_norm=math.nan, policy_loss=math.inf if number % 2 else 0.5)
        for number in range(1, 6)
    ]
    text, _ = report_of(write_run(tmp_path / "run", lines))
    assert "nan" not in text
    assert "inf" not in text.replace("inference", "")


def test_long_series_are_thinned(tmp_path):
    lines = [update(number, speed=number) for number in range(1, 3001)]
    text, _ = report_of(write_run(tmp_path / "run", lines))
    lengths = [len(points.split()) for points in re.findall(r'points="([^"]*)"', text)]
    assert max(lengths) == 400
    assert len(text) < 200_000


def without(line, *names):
    return {key: value for key, value in line.items() if key not in names}


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"kind": "other"},
        {"kind": ["update"]},
        without(update(2), "decisions"),
        without(update(2), "shares"),
        update(2, decisions="many"),
        update(2, speed=None),
        update(2, seconds=math.nan),
        update(2, policy_loss="low"),
        update(2, ends=[1, 2]),
        update(2, ends={"corruption": "1"}),
        without(evaluation(2), "elo"),
        evaluation(2, scores={"random": 0.5}),
        evaluation(2, scores={"random": {"shadow": None}}),
        evaluation(2, scores="good"),
    ],
)
def test_broken_metrics_are_an_error(tmp_path, line):
    with pytest.raises(CommandError, match="metrics.jsonl, line 2 is not a line of metrics"):
        write_train_report(write_run(tmp_path / "run", [update(1), line]))


def test_folders_of_no_run_are_an_error(run, tmp_path):
    with pytest.raises(CommandError, match="there is no training run in"):
        write_train_report(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (run / "metrics.jsonl").write_text("")
    with pytest.raises(CommandError, match="has no update yet"):
        write_train_report(run)
    (run / "metrics.jsonl").write_text("no JSON\n")
    with pytest.raises(CommandError, match="line 1 is damaged: it is not JSON"):
        write_train_report(run)
    (run / "metrics.jsonl").unlink()
    with pytest.raises(CommandError, match="has no metrics.jsonl"):
        write_train_report(run)
    assert not (run / REPORT).exists()


def places_in(svg):
    return [tuple(map(float, place.split(","))) for place in re.search(r'points="([^"]*)"', svg)[1].split()]


def test_lines_are_drawn_inside_their_chart():
    series = {"a <b>": [(0.0, -5.0), (50.0, 7.0), (100.0, 1e9)], "c": [(3.0, 0.25)]}
    svg = charts.lines(series, {"a <b>": "ink", "c": "shadow"}, "decisions")
    Page(svg)
    assert "a &lt;b&gt;" in svg
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places_in(svg))
    assert all(0 <= y <= height for y in numbers_in(svg, "y"))
    assert svg.count("<circle") == 1


def test_points_beyond_the_bounds_lie_on_them():
    svg = charts.lines(
        {"a": [(0.0, -9.0), (1.0, 0.0), (2.0, 9.0)]}, {"a": "ink"}, "decisions", bounds=(-1, 1)
    )
    (_, low), (_, middle), (_, high) = places_in(svg)
    assert low - middle == pytest.approx(middle - high)
    same = charts.lines(
        {"a": [(0.0, -1.0), (1.0, 0.0), (2.0, 1.0)]}, {"a": "ink"}, "decisions", bounds=(-1, 1)
    )
    assert places_in(svg) == places_in(same)


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-9, 1e12])
def test_a_constant_line_is_level(value):
    series = {"a": [(0.0, value), (1.0, value * (1 + 1e-15)), (2.0, value)]}
    heights = {y for _, y in places_in(charts.lines(series, {"a": "ink"}, "decisions", dots=True))}
    assert len(heights) == 1
    Page(charts.lines({"a": [(0.0, value)]}, {"a": "ink"}, "decisions"))
