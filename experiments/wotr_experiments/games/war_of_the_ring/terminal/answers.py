"""The question of a decision: its answers with labels and groups, and questions that are not asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wotr_env.core.codes import NO_ACTION
from wotr_env.core.game import Game
from wotr_env.core.spelling import capital
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Verb
from wotr_env.games.war_of_the_ring.components import NATION_NAMES, REGION_NAMES, REGION_NATION
from wotr_env.games.war_of_the_ring.events import Trace
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_experiments.terminal.choices import Answer, Question

MANY = 10
"""Number of answers from which regions are grouped by nation."""
FREE_LANDS = "Free lands"
OTHERS = ""

_NOTHING_PICKED = ("nothing", "nobody")
_SHORT = ("which", "where", "how", "who", "whom", "whose", "to", "from", "what")


def question(state: np.record, legal: Sequence[int]) -> Question:
    """The question to the deciding seat.

    Args:
        state: one record of dtype ``STATE`` with a pending decision.
        legal: the ids of the legal actions.
    """
    many = len(legal) >= MANY
    groups = {action: _group(action) if many else OTHERS for action in legal}
    order = list(dict.fromkeys([*NATION_NAMES, FREE_LANDS, OTHERS]))
    ordered = sorted(legal, key=lambda action: (_is_last(action), order.index(groups[action]), action))
    counts = any(action >= Block.COUNT for action in legal)
    answers = []
    for number, action in enumerate(ordered, start=1):
        label = str(number)
        if counts:
            label = str(action - Block.COUNT) if action >= Block.COUNT else ""
        answers.append(_answer(state, action, label, groups[action]))
    picking = "picked: " in decision_text(state)
    default = _default(state, answers)
    return Question(_sentence(state), tuple(answers), default, int(state["decision"]), picking)


def forced_answers(trace: Trace) -> list[Answer]:
    """The answers that the rules gave for the deciding seat after its decision, because there was no
    alternative."""
    taken = zip(trace.states[1:], trace.actions[1:], strict=False)
    return [
        answer_of(before, action)
        for before, action in taken
        if action != NO_ACTION and before["seat"] == trace.before["seat"]
    ]


def answer_of(state: np.record, action: int) -> Answer:
    """A single answer, without a number in a list."""
    label = str(action - Block.COUNT) if action >= Block.COUNT else ""
    return _answer(state, action, label, OTHERS)


def idle_answer(game: Game) -> int | None:
    """The answer to a question that need not be asked, because all answers have the same effect; None for
    other questions.

    This is the case with a single legal answer, and if declaring the Fellowship would change nothing.
    """
    legal = game.legal()
    if len(legal) == 1:
        return legal[0]
    # Of the Fellowship all lies open: whether this is asked tells nothing that is hidden.
    if int(game.state["decision"]) != Decision.DECLARE_FELLOWSHIP or len(legal) > 2:
        return None
    return legal[0] if len({_after(game, action).hash() for action in legal}) == 1 else None


def pickable(game: Game, asked: Question) -> dict[int, int]:
    """For each offered figure, the number of such figures that can be selected one after the other, by
    action."""
    counts = {}
    for answer in asked.answers:
        if Block.FIGURE <= answer.action < Block.COUNT:
            tried, count, picked = game.clone(), 0, _picked(game)
            while _picked(tried) == picked + count and answer.action in tried.legal():
                tried.step(answer.action)
                count += 1
            counts[answer.action] = count
    return counts


def short(answer: Answer) -> str:
    """A short form of the words: in a group only the region, if the words end with it."""
    region = answer.action - Block.REGION
    if answer.group and answer.words.endswith(REGION_NAMES[region]):
        return REGION_NAMES[region]
    return answer.words


def _picked(game: Game) -> int:
    """Number of figures selected so far."""
    state = game.state
    return sum(int(state[f"chosen_{kind}"].sum()) for kind in ("regular", "elite", "leader"))


def _after(game: Game, action: int) -> Game:
    after = game.clone()
    after.step(action)
    return after


def _answer(state: np.record, action: int, label: str, group: str) -> Answer:
    name = ACTION_NAMES[action]
    return Answer(action, label, say(state, action), (name, name.partition(":")[2]), group)


def _is_last(action: int) -> bool:
    """Whether an answer goes last: verbs, and wasting a die."""
    return action <= Block.PLAN + Plan.SKIP


def _group(action: int) -> str:
    if not Block.REGION <= action < Block.CARD:
        return OTHERS
    nation = REGION_NATION[action - Block.REGION]
    return NATION_NAMES[nation] if nation >= 0 else FREE_LANDS


def _sentence(state: np.record) -> str:
    """The decision as a short sentence to the deciding player."""
    words = decision_text(state).rstrip(".").partition(" to decide ")[2] or decision_text(state).rstrip(".")
    first = words.partition(" ")[0]
    if first not in _SHORT:
        return f"Decide {words}"
    asked, _, detail = words.partition("; ")
    detail = "" if detail.rpartition(": ")[2] in _NOTHING_PICKED else detail
    asked, colon, rest = asked.partition(": ")
    ends = f"{capital(asked)}?"
    details = [part for part in (rest if colon else "", detail) if part]
    return f"{ends} ({'; '.join(details)})" if details else ends


def _default(state: np.record, answers: Sequence[Answer]) -> Answer | None:
    """The default answer: to end picking, or not to declare the Fellowship; never an answer that gives
    something up."""
    _, picking, picked = decision_text(state).rstrip(".").partition("picked: ")
    for answer in answers:
        if answer.action == Block.VERB + Verb.DONE and picking and picked not in _NOTHING_PICKED:
            return answer
        declare = int(state["decision"]) == Decision.DECLARE_FELLOWSHIP
        if answer.action == Block.VERB + Verb.DECLINE and declare:
            return answer
    return None
