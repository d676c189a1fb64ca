"""Nothing that is hidden from a viewer changes a byte of what the server sends to it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.web_tables import PEOPLE
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.table.clocks import Clock, ClockRule
from wotr_experiments.table.game import Table
from wotr_experiments.table.meeting import Options, SocialAction, SocialState, StoredSocialState
from wotr_experiments.table.messages import Look, Odds, Refused
from wotr_experiments.table.store import Header, Played, TakenBack
from wotr_experiments.table.viewer_messages import tell_hand
from wotr_experiments.table.viewers import Eyes, name_of_view


def table_in_play(ruleset, seed, actions, study=False, kind=WAR_OF_THE_RING, bot=False):
    """A table of people, or with a bot at the first seat, after random choices."""
    rules = kind.find_ruleset(ruleset)
    seats = dict.fromkeys((seat.name for seat in rules.seats), next(iter(PEOPLE.values())))
    if bot:
        seats[rules.seats[0].name] = "random"
    header = Header(
        "table",
        kind.name,
        kind.rules_version,
        rules.to_dict(),
        seed,
        seats,
        study,
        (),
        0.0,
        b"s",
    )
    rng = np.random.default_rng(seed)
    game = kind.game(seed, rules)
    while game.result is None and len(game.actions) < actions:
        game.step(int(rng.choice(game.legal())))
    return table_of(header, [Played(action, n) for n, action in enumerate(game.actions, start=1)])


def table_of(header, played):
    """A table whose people have names and a clock, one of whom offers a draw and waits for the others."""

    def meeting(kind, ruleset, seats):
        name = ruleset.seats[0].name
        kept = StoredSocialState(
            Options(ClockRule(600), "all"), [SocialAction("draw", name, 0)], {name: "Ann"}, "", {1: 2.0}
        )
        clock = Clock(kept.options.clock, len(ruleset.seats), lambda: 50.0)
        clock.begin()
        return SocialState(kind, ruleset, seats, kept, clock)

    return Table(header, None, played, meeting=meeting)


def tell(table, views, number):
    """Prepares texts of a table, those of all views of an action together, for which they are read once."""
    for played in range(1, number + 1):
        for view in views:
            if not table.has_told(view, played):
                table.tell_next(view)


def messages(table, eyes):
    """All that somebody is sent of a position, who was told the game."""
    now = table.shown(eyes.delay)
    tell(table, [eyes.view], now)
    looks = [Look(1, now, view, 0) for view in (None, name_of_view(eyes.view, table.ruleset))]
    looked = [table.look(table.eyes_of_look(eyes, look), look, set(), None) for look in looks]
    sent = table.message(eyes, 0, set()), *looked
    picture = table.kind.picture
    fought = picture is not None and picture(table.line.at(now), PUBLIC)["battle"]
    return (*sent, table.odds(eyes, Odds(v=1, hash=table.hash)) if fought else None)


def play_on(table, actions, rng):
    """Random choices at a table until it has so many."""
    while not table.line.over and table.line.number < actions:
        table.gestures.append(table.line.number + 1)
        table.line.step(int(rng.choice(table.line.legal)))


@pytest.mark.parametrize("ruleset", ["first", "second", "first:players=4", "second:players=3"])
def test_a_seat_is_sent_the_same_bytes_in_all_worlds_that_it_thinks_possible(ruleset):
    changed = dict.fromkeys((0, 60, 200, 333), 0)
    for seed in range(2):
        table, rng = table_in_play(ruleset, seed, 0), np.random.default_rng(seed)
        for actions in changed:
            play_on(table, actions, rng)
            tell(table, range(len(table.ruleset.seats)), table.line.number)
            truth = table.line._states.copy()
            for viewer in range(len(table.ruleset.seats)):
                eyes = Eyes(viewer, sits=viewer % 2 == 0)
                sent = messages(table, eyes)
                for world in range(2):
                    states = truth.copy()
                    seats, seeds = np.array([viewer]), np.array([1000 * seed + world])
                    WAR_OF_THE_RING.kernels.sample_worlds(states, seats, seeds)
                    changed[actions] += states.tobytes() != truth.tobytes()
                    table.line._states = states
                    assert messages(table, eyes) == sent
                table.line._states = truth
    assert min(changed.values()) >= 6, changed


@pytest.mark.parametrize(("game", "ruleset"), [("duel", ""), ("two-towers", ""), ("two-towers", "four")])
@pytest.mark.parametrize("actions", [0, 20, 45])
@pytest.mark.parametrize("form", Form)
def test_drawings_are_the_same_in_all_worlds_that_a_seat_thinks_possible(game, ruleset, actions, form):
    kind, changed = game_kind(game), 0
    for seed in range(2):
        table = table_in_play(ruleset, seed, actions, kind=kind)
        truth = table.line._states.copy()
        for viewer in range(len(table.ruleset.seats)):
            for eyes in (Eyes(viewer, sits=True, form=form), Eyes(viewer, form=form)):
                sent = messages(table, eyes)
                assert all(list(json.loads(each)["drawing"]) == [form] for each in sent[:2])
                for world in range(3):
                    states = truth.copy()
                    kind.kernels.sample_worlds(states, np.array([viewer]), np.array([1000 * seed + world]))
                    changed += states.tobytes() != truth.tobytes()
                    table.line._states = states
                    assert messages(table, eyes) == sent
                table.line._states = truth
    assert changed > 10


def test_who_looks_on_is_sent_what_does_not_depend_on_any_hand():
    table = table_in_play("first:players=4", 5, 150)
    sent, truth = messages(table, Eyes(PUBLIC)), table.line._states.copy()
    for viewer in range(4):
        states = truth.copy()
        WAR_OF_THE_RING.kernels.sample_worlds(states, np.array([viewer]), np.array([7]))
        table.line._states = states
        assert messages(table, Eyes(PUBLIC)) == sent


@pytest.mark.parametrize(
    ("game", "ruleset"), [("war-of-the-ring", "first:players=4"), ("two-towers", "four"), ("duel", "")]
)
def test_the_first_hand_is_told_to_its_seat_and_to_nobody_else(game, ruleset):
    table = table_in_play(ruleset, 4, 0, kind=game_kind(game))
    kind, rules, truth = table.kind, table.ruleset, table.line.state
    changed = 0
    for viewer, seat in enumerate(rules.seats):
        told = tell_hand(kind, rules, truth, viewer)
        assert [each["seat"] for each in told] == ([] if game == "duel" else [seat.name])
        for world in range(3):
            states = np.array([truth], dtype=kind.state)
            kind.kernels.sample_worlds(states, np.array([viewer]), np.array([world]))
            changed += states.tobytes() != truth.tobytes()
            assert tell_hand(kind, rules, states[0], viewer) == told
        first = [each for each in _told(table, Eyes(viewer, sits=True)) if each["number"] == 0]
        assert first == told
    assert changed
    assert tell_hand(kind, rules, truth, PUBLIC) == tell_hand(kind, rules, truth, None) == []
    assert _told(table, Eyes(PUBLIC)) == []


def _told(table, eyes):
    return json.loads(messages(table, eyes)[0])["told"]


def test_the_hash_is_of_the_count_of_changes_and_a_secret():
    one, other = table_in_play("first", 1, 40), table_in_play("first", 2, 40)
    assert one.line.state.tobytes() != other.line.state.tobytes()
    assert one.hash == other.hash
    assert one.hash != table_in_play("first", 1, 41).hash


def play_anew(table, number, rng):
    """The table after other choices since an action, as many as there were."""
    header, actions = table.header, table.line.actions[:number]
    line = table.line.shortened(number)
    while line.number < table.line.number and not line.over:
        line.step(int(rng.choice(np.flatnonzero(line._mask[0]))))
    played = [Played(action, n) for n, action in enumerate([*actions, *line.actions[number:]], start=1)]
    return table_of(header, played)


@pytest.mark.parametrize("delay", [1, 64])
def test_who_sees_it_with_a_delay_is_sent_the_same_bytes_whatever_came_since(delay):
    rng, views = np.random.default_rng(delay), (PUBLIC, 0, 1)
    for actions in (10, 100, 260):
        table, now = table_in_play("first", actions, actions, study=True, bot=True), max(0, actions - delay)

        def sent(table, now=now):
            tell(table, views, now)
            return [messages(table, Eyes(view, delay=delay)) for view in views], table.kept(now, delay)

        assert table.shown(delay) == now
        wanted = sent(table)
        table.stuck.add(0)
        assert sent(table) == wanted
        differ = 0
        for _ in range(3):
            other = play_anew(table, now, rng)
            other.undos += [TakenBack("shadow", number, (1,), True) for number in range(now, actions)]
            if other.line.number == actions and not other.line.over:
                differ += other.line.actions != table.line.actions
                assert sent(other) == wanted
        assert differ


def test_who_comes_back_with_a_delay_is_told_again_what_many_short_undos_took_back():
    table = table_in_play("first", 3, 30, study=True)
    table.undos += [TakenBack("shadow", number, (1,), True) for number in range(29, 14, -1)]
    assert table.shown(10) == 20 and table.kept(20, 10) == 15


@pytest.mark.parametrize("eyes", [Eyes(0, sits=True), Eyes(1), Eyes(PUBLIC), Eyes(1, delay=5)])
def test_other_eyes_are_refused_until_the_end_and_then_all_is_open(eyes):
    names = {0: "free_peoples", 1: "shadow", PUBLIC: "public", None: "all"}
    table = table_in_play("first:max_turns=2", 3, 40)
    for view, name in names.items():
        look = Look(1, 10, name, 0)
        if view == eyes.view:
            assert table.eyes_of_look(eyes, look) == Eyes(view, delay=eyes.delay)
            continue
        with pytest.raises(Refused, match="view only after the game") as refused:
            table.eyes_of_look(eyes, look)
        assert refused.value.code == "eyes"
    table = table_in_play("first:max_turns=2", 3, 5000)
    assert table.line.over
    for view, name in names.items():
        assert table.eyes_of_look(eyes, Look(1, table.line.number, name, 0)) == Eyes(view)


def test_the_end_shows_all_so_that_nothing_is_taken_back_after_it():
    quiet = 0
    for seed in range(12):
        table = table_in_play("first:max_turns=1", seed, 5000)
        assert table.line.over
        quiet += table._is_quiet(table.line.number - 1)
        assert [table.undo_offer(seat) for seat in (0, 1)] == [None, None]
    assert quiet


@pytest.mark.parametrize("eyes", [Eyes(PUBLIC, delay=20), Eyes(1, delay=20)])
def test_what_people_do_now_is_not_sent_to_who_sees_it_with_a_delay(eyes):
    table = table_in_play("first", 3, 100)
    sent, prompt = messages(table, eyes), messages(table, eyes._replace(delay=0))
    table.meeting.add(SocialAction("refuse", "shadow", 100, 1))
    table.meeting.add(SocialAction("draw", "shadow", 100))
    table.meeting.add(SocialAction("said", "shadow", 100, text="now"))
    table.meeting.clock.pass_on(1 - table.line.seat)
    table.meeting.times[100] = 9.0
    assert messages(table, eyes) == sent
    assert messages(table, eyes._replace(delay=0)) != prompt
    assert not table.meeting.may_read(eyes, table.is_late(eyes))


def test_partners_who_propose_to_resign_tell_nobody_else():
    table = table_in_play("first:players=4", 5, 60)
    names = [seat.name for seat in table.ruleset.seats]
    views = [Eyes(seat, sits=True) for seat in range(4)]
    views += [Eyes(PUBLIC), *(Eyes(seat) for seat in range(4))]
    before = [messages(table, eyes)[0] for eyes in views]
    table.meeting.add(SocialAction("resign", "gondor", 60))
    told = [eyes for eyes, sent in zip(views, before, strict=True) if messages(table, eyes)[0] != sent]
    assert all(eyes.sits for eyes in told)
    assert sorted(names[eyes.view] for eyes in told) == ["gondor", "rohan"]


def test_an_early_end_shows_all_as_the_end_of_the_rules_does():
    table = table_in_play("first", 3, 60)
    look = Look(1, 10, "all", 0)
    with pytest.raises(Refused, match="view only after the game"):
        table.eyes_of_look(Eyes(PUBLIC, delay=5), look)
    table.meeting.add(SocialAction("resign", "shadow", 60))
    assert table.eyes_of_look(Eyes(PUBLIC, delay=5), look) == Eyes(None)
    assert table.shown(5) == 60
    assert table.undo_offer(0) is None and table.undo_offer(1) is None and table.bot is None
