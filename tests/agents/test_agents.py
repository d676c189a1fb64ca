"""Bots: specs, registry, the random bot."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from typing import Literal

import numpy as np
import pytest

from wotr_agents import BotError, BotKind, BotView, canonical_spec, make_bot, parse_spec, registry
from wotr_agents.parameters import parameters_of
from wotr_agents.ranges import check_at_least
from wotr_agents.registry import bot_plugins, built_in_kinds
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.play import plugins
from wotr_env.play.bots import choose


@dataclasses.dataclass(frozen=True)
class SearchParameters:
    sims: int = 100
    noise: float = 0.5
    fast: bool = False
    book: str = "none"

    def __post_init__(self):
        if self.sims < 1:
            raise ValueError(f"sims must be at least 1, not {self.sims}")


@dataclasses.dataclass(frozen=True)
class NetParameters:
    path: str


class FixedBot:
    """Answers what it was made with."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, view):
        return self.answer


class EntryPoint:
    group = registry.ENTRY_POINTS
    dist = None

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind

    def load(self):
        if isinstance(self.kind, BaseException):
            raise self.kind
        return self.kind


SEARCH = BotKind(
    "seeker", "for tests", SearchParameters, lambda parameters, seed: FixedBot((parameters, seed))
)
NET = BotKind("model", "for tests", NetParameters, lambda parameters, seed: FixedBot(parameters))


@pytest.fixture
def entry_points(monkeypatch):
    """Sets the entry points that other packages would have."""

    def install(*points):
        monkeypatch.setattr(plugins.importlib.metadata, "entry_points", lambda group: list(points))
        bot_plugins.cache_clear()

    yield install
    monkeypatch.undo()
    bot_plugins.cache_clear()


@pytest.fixture
def more_bots(entry_points):
    entry_points(EntryPoint("seeker", SEARCH), EntryPoint("model", NET))


def view_of(masks):
    masks = np.asarray(masks, dtype=np.bool_)
    nothing_seen = np.zeros((len(masks), OBSERVATION_SIZE), dtype=np.int8)
    return BotView(masks, np.zeros(len(masks), dtype=np.int8), nothing_seen)


def test_the_random_bot_chooses_legal_actions_only():
    masks = np.random.default_rng(0).random((200, NUM_ACTIONS)) < 0.02
    masks[:, 5] = True
    actions = make_bot("random", 1).act(view_of(masks))
    assert actions.dtype == np.int64
    assert actions.shape == (200,)
    assert masks[np.arange(200), actions].all()


def test_the_random_bot_is_uniform():
    masks = np.zeros((30_000, 10), dtype=np.bool_)
    masks[:, [2, 3, 9]] = True
    counts = np.bincount(make_bot("random", 3).act(view_of(masks)), minlength=10)
    assert counts[[2, 3, 9]].sum() == 30_000
    assert np.abs(counts[[2, 3, 9]] - 10_000).max() < 400  # 4.9 standard deviations


def test_the_random_bot_repeats_itself_with_its_seed():
    view = view_of(np.ones((50, 20)))
    first, again, other = make_bot("random", 7), make_bot("random", 7), make_bot("random", 8)
    runs = [[bot.act(view).tolist() for _ in range(3)] for bot in (first, again, other)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_the_random_bot_needs_a_legal_action():
    with pytest.raises(ValueError, match="game 1 of the view has no legal action"):
        make_bot("random", 0).act(view_of([[1, 1], [0, 0]]))


def test_the_random_bot_answers_an_empty_view():
    assert make_bot("random", 0).act(view_of(np.zeros((0, 4)))).shape == (0,)


@pytest.mark.usefixtures("more_bots")
def test_parameters_are_typed():
    kind, parameters = parse_spec("seeker:sims=20,fast=true,noise=1e-2")
    assert kind is SEARCH
    assert parameters == SearchParameters(sims=20, noise=0.01, fast=True)
    assert make_bot("seeker:sims=20", 5).answer == (SearchParameters(sims=20), 5)


@pytest.mark.usefixtures("more_bots")
def test_the_first_parameter_needs_no_name():
    assert parse_spec("model:some/where.safetensors")[1] == NetParameters("some/where.safetensors")
    assert parse_spec("seeker:20,fast=yes")[1] == SearchParameters(sims=20, fast=True)


@pytest.mark.usefixtures("more_bots")
def test_canonical_specs_leave_out_defaults():
    assert canonical_spec("random") == "random"
    assert canonical_spec("seeker:fast=YES,sims=20,noise=0.50") == "seeker:sims=20,fast=true"
    assert canonical_spec("model:a/b") == "model:path=a/b"


@pytest.mark.usefixtures("more_bots")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rando", "unknown bot 'rando'; known: random, "),
        ("", "unknown bot ''"),
        ("random:sims=3", "bot random: unknown parameter 'sims'; it has no parameters"),
        ("random:3", "bot random: '3' does not have the form key=value; it has no parameters"),
        ("seeker:sim=3", "unknown parameter 'sim'; known: sims, noise, fast, book; did you mean sims?"),
        ("seeker:sims=many", "parameter sims must be a whole number, not 'many'"),
        ("seeker:noise=", "parameter noise must be a number, not ''"),
        ("seeker:fast=maybe", "parameter fast must be true or false, not 'maybe'"),
        ("seeker:sims=1,sims=2", "parameter sims is given twice"),
        ("seeker:sims=1,fast", "'fast' does not have the form key=value"),
        ("seeker:sims=0", "bot seeker: sims must be at least 1, not 0"),
        ("model", "parameter path is missing; give model:path=VALUE"),
    ],
)
def test_bad_specs_are_refused_in_one_line(spec, message):
    with pytest.raises(BotError) as caught:
        make_bot(spec, 0)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        (
            EntryPoint("broken", ImportError("no such module")),
            "cannot be loaded: ImportError: no such module",
        ),
        (EntryPoint("broken", SystemExit(3)), "cannot be loaded: SystemExit: 3"),
        (EntryPoint("broken", object), "must be a BotKind"),
        (
            EntryPoint("broken", BotKind("random", "", SearchParameters, SEARCH.build)),
            "has the name random, which is taken",
        ),
    ],
)
def test_a_broken_entry_point_harms_nobody_else(entry_points, caplog, point, message):
    entry_points(point, EntryPoint("seeker", SEARCH))
    for _ in range(2):
        assert parse_spec("seeker")[0] is SEARCH
        assert parse_spec("random")[0].name == "random"
    (warned,) = caplog.messages
    assert message in warned and warned.endswith("; it is ignored")
    with pytest.raises(BotError, match=f"entry point broken of wotr.bots {message}"):
        parse_spec("broken")


def test_the_name_of_an_entry_point_leads_to_that_of_its_bot(entry_points):
    entry_points(EntryPoint("mine", SEARCH))
    assert parse_spec("seeker")[0] is SEARCH
    with pytest.raises(BotError, match=r"entry point mine of wotr\.bots has the name seeker$"):
        parse_spec("mine")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([2, 1], "chose the illegal action 1 for seat 0"),
        ([2, -1], "chose the illegal action -1"),
        ([2, 4], "chose the illegal action 4"),
        ([2], "must answer with 2 integers"),
        ([2.0, 0.0], "not with float64"),
    ],
)
def test_answers_of_bots_are_checked(answer, message):
    view = view_of([[0, 0, 1, 0], [1, 0, 0, 0]])
    assert choose(FixedBot([2, 0]), view, "fixed").tolist() == [2, 0]
    with pytest.raises(BotError, match=message):
        choose(FixedBot(answer), view, "fixed")


def test_no_game_of_another_package_is_loaded_with_the_bots():
    """A bot's process has its own path only later. Neither is torch, which takes seconds."""
    check = "import sys, wotr_agents, wotr_env.play.games as g; assert 'torch' not in sys.modules; "
    check += "assert not g.game_plugins.cache_info().currsize"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_torch_is_not_loaded_before_a_network_is_opened():
    code = "from wotr_experiments.cli.main import main; main(['bots', '--json'])"
    check = f"{code}; import sys; sys.exit('torch is loaded' if 'torch' in sys.modules else 0)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@dataclasses.dataclass(frozen=True)
class _Base:
    often: int = 3
    """How often; ``0`` is
    never."""


@dataclasses.dataclass(frozen=True)
class _Told(_Base):
    name: str = dataclasses.field(kw_only=True)
    how: Literal["well", "badly"] = "well"
    """How it plays."""

    def __post_init__(self) -> None:
        check_at_least(1, self, "often")


def test_what_parameters_are_is_read_from_their_class():
    often, name, how = parameters_of(_Told)
    assert often.to_dict() == {
        "name": "often",
        "type": "int",
        "choices": [],
        "range": {"low": 1, "high": None, "above": False},
        "required": False,
        "default": 3,
        "help": "How often; 0 is never.",
    }
    assert name.required and name.default is None and name.help == ""
    assert name.range is None and how.range is None
    assert (how.type, how.choices, how.help) == ("str", ("well", "badly"), "How it plays.")


@pytest.mark.parametrize("kind", built_in_kinds().values(), ids=lambda kind: kind.name)
def test_every_number_of_ours_has_a_range_which_is_checked(kind):
    for each in parameters_of(kind.parameters):
        if each.type not in ("int", "float"):
            assert each.range is None
            continue
        assert each.range is not None and each.range.has(each.default)
        given = [f"{other.name}=zoo/x" for other in parameters_of(kind.parameters) if other.required]
        low = each.range.low if each.range.above else each.range.low - 1
        for outside in (low, each.range.high + 1):
            if math.isinf(outside) and each.type == "int":
                continue
            spec = f"{kind.name}:{','.join([*given, f'{each.name}={outside}'])}"
            with pytest.raises(BotError, match=f"{each.name} must be ({each.range}|finite), not "):
                parse_spec(spec)


@pytest.mark.parametrize("kind", built_in_kinds().values(), ids=lambda kind: kind.name)
def test_every_parameter_of_ours_says_what_it_means(kind):
    assert all(each.help.endswith(".") for each in parameters_of(kind.parameters))


@pytest.mark.parametrize("spec", ["mcts:rollout=Random", "mcts:rollout=", "queller:strategy=both"])
def test_a_choice_is_one_of_those_offered(spec):
    with pytest.raises(BotError, match=r"parameter (rollout|strategy) is one of \w+, \w+, \w+, not '"):
        parse_spec(spec)
    assert parse_spec("mcts:rollout=none")[1].rollout == "none"
