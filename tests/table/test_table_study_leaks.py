"""A study table in play: nothing that is hidden from the view of a link changes what the link gets."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

from tests.clocks import LONG
from tests.web_tables import server, sit, table_of
from wotr_env.play.games import game_kind

GAMES = [
    ("war-of-the-ring", "first", 0),
    ("war-of-the-ring", "first", 154),  # in a battle
    ("war-of-the-ring", "second:players=3", 186),  # in a battle
    ("duel", "", 12),
    ("two-towers", "", 20),
]
WORLDS = 2
DELAY = 4
ADVISER = "scripted"
ASKED = ("record", "study", "luck")


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wotr_experiments.table.tables._HINT", LONG)  # no hint is cut short on a slow machine
        with server(tmp_path_factory.mktemp("tables")) as asks:
            yield asks


class StudyTable:
    """A study table of people, with links for every view, at once and with a delay."""

    def __init__(self, asks, game, ruleset, actions=0, seed=5):
        self.asks, self.kind = asks, game_kind(game)
        self.seats = [seat.name for seat in self.kind.find_ruleset(ruleset).seats]
        views = [(view, delay) for view in (*self.seats, "public") for delay in (0, DELAY)]
        wanted = {"game": game, "ruleset": ruleset, "study": True, "seed": seed}
        wanted["watch"] = [{"view": view, "delay": delay} for view, delay in views]
        answer = asks.post("/api/tables", json={"seats": dict.fromkeys(self.seats, "person"), **wanted})
        assert answer.status_code == 201, answer.text
        opened = answer.json()
        self.id = opened["table"]
        self.links = [(seat, 0, token) for seat, token in opened["tokens"].items()]
        self.links += [(each["view"], each["delay"], each["token"]) for each in opened["links"]]
        self.table = table_of(asks, self.id, opened["tokens"])
        self.answers: dict[str, list] = {}
        self.play(np.random.default_rng(seed), actions)

    def play(self, rng, actions):
        """Plays random choices, so many or up to the end."""
        for _ in range(actions):
            if self.table.line.over:
                return
            self.asks.portal.call(self.table.play, [int(rng.choice(self.table.line.legal))])

    def get(self, what, token):
        headers = {"Authorization": f"Bearer {token}"}
        return self.asks.get(f"/api/tables/{self.id}/{what}", headers=headers)

    @contextlib.contextmanager
    def in_another_world(self, viewer, delay, world):
        """The seed, and everything hidden from a viewer in the position that it sees, are different."""
        line = self.table.line
        shown, before, seed = self.table.shown(delay), line._states.copy(), line.seed
        truth = np.array([line.at(shown)], dtype=self.kind.state)
        states = truth.copy()
        self.kind.kernels.sample_worlds(states, np.array([viewer]), np.array([world]))
        at, line.seed = line.at, seed + 1 + world
        if shown == line.number:
            line._states = states
        else:
            line.at = lambda number: states.copy()[0] if number == shown else at(number)
        try:
            yield states.tobytes() != truth.tobytes()
        finally:
            line._states, line.seed = before, seed
            line.__dict__.pop("at", None)

    def sent_to(self, view, token):
        """Everything that the server sends to a link."""
        found = [(each.status_code, each.text) for each in (self.get(what, token) for what in ASKED)]
        with sit(self.asks, self.id, {view: token}, view, after=0) as person:
            person.say("look", number=person.state["number"], after=0)
            found += [person.state, person.hear("look")]
            if (person.state["picture"] or {}).get("battle"):
                person.say("odds", hash=person.state["hash"])
                found.append(person.hear("odds"))
            if person.state["legal"]:
                person.say("choice_tree", hash=person.state["hash"])
                person.say("hint", hash=person.state["hash"], bot=ADVISER)
                found += [person.hear("choice_tree"), person.hear("hint")]
        if found[1][0] == 200:
            self.study(json.loads(found[1][1])["text"])
        return found

    def study(self, text):
        """Asks the analysis board about a text, which is all that it is given, in two worlds."""
        answers = self.answers.setdefault(text, [])
        if len(answers) < 2:
            answers.append(self.studied(text))
            assert answers[0] == answers[-1]

    def studied(self, text):
        """Everything that the analysis board answers about a text."""

        def ask(what, **body):
            answer = self.asks.post(f"/api/study/{what}", json=body)
            assert answer.status_code == 200 or what == "setup", answer.text
            return answer.status_code, answer.text

        start = {"ruleset": self.table.ruleset.to_dict(), "seed": "0", "game": self.kind.name, "text": text}
        line = {"start": start, "actions": []}
        eyes = (None, *self.seats)
        return [
            ask("open", record=text),
            ask("line", **line),
            *(ask(what, **line, number=0, eyes=each) for what in ("position", "notation") for each in eyes),
            *(ask("position", **line, number=0, eyes=each, form="upright") for each in eyes),
            *(ask("told", **line, after=0, eyes=each) for each in eyes),
            ask("record", **line),
            ask("setup", **line, number=0),
            ask("advice", **line, bot=ADVISER, numbers=[0]),
            ask("luck", **line),
        ]


@pytest.mark.parametrize(("game", "ruleset", "actions"), GAMES)
def test_no_link_of_a_study_table_gets_what_is_hidden_from_its_view(asks, game, ruleset, actions):
    table, changed = StudyTable(asks, game, ruleset, actions), 0
    for view, delay, token in table.links:
        sent = table.sent_to(view, token)
        for world in range(WORLDS):
            viewer = table.seats.index(view) if view in table.seats else world % len(table.seats)
            with table.in_another_world(viewer, delay, world) as differs:
                assert table.sent_to(view, token) == sent
                changed += differs
    assert changed > WORLDS
    assert all(len(answers) == 2 for answers in table.answers.values())
    assert len(table.answers) >= len(table.seats) or not table.kind.positions


@pytest.mark.parametrize(("game", "ruleset"), [("war-of-the-ring", "first:max_turns=1"), ("duel", "")])
def test_after_the_end_every_link_of_a_study_table_gets_the_whole_game(asks, game, ruleset):
    table = StudyTable(asks, game, ruleset)
    for what in ("record", "luck"):
        assert {table.get(what, token).status_code for *_, token in table.links} == {403}
    table.play(np.random.default_rng(2), 3000)
    assert table.table.line.over
    record = table.table.record().to_json() + "\n"
    assert {table.get("record", token).text for *_, token in table.links} == {record}
    (luck,) = {table.get("luck", token).text for *_, token in table.links}
    assert "Luck " in luck
