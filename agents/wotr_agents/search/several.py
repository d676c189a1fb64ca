"""Simulations in games of more than two teams: each node stores the value of the team that chose its action.

These templates replace some of those of ``simulations.py``. Each team is assumed to maximise its own winning
chance (max^n: C. Luckhardt and K. Irani, "An Algorithmic Solution of N-Person Games", 1986). A node also
stores the team that chose its action, because in another world another team may choose the same action. The
value of a node is the winning chance of this team, from 0 to 1.
"""

from __future__ import annotations

import math

from wotr_agents.search.simulations import _descend, _roll_out, expect, simulate
from wotr_agents.search.stand_ins import last_team, value_position
from wotr_agents.search.tree import NO_NODE
from wotr_env.core.codes import GOING_ON


def _select(tree, node, team, scratch, count, selection):
    """The legal action with the highest upper bound for a team; an untried action has the reduced mean
    value."""
    legal, tally, priors = scratch.legal, scratch.tally, scratch.scores
    for place in range(count):
        tally[legal[place]].visits = 0.0
    visits = 0.0
    total = 0.0
    child = tree.nodes[node].first_child
    while child != NO_NODE:
        if tree.nodes[child].question == team:
            action = tree.nodes[child].action
            tally[action].visits = tree.nodes[child].visits
            tally[action].value_sum = tree.nodes[child].value_sum
            visits += tree.nodes[child].visits
            total += tree.nodes[child].value_sum
        child = tree.nodes[child].next_sibling
    own = total / visits if visits > 0.0 else 1.0 / (last_team + 1)
    root = selection.exploration * math.sqrt(max(1.0, visits))
    best = -1
    best_bound = -1.0
    for place in range(count):
        action = legal[place]
        tries = tally[action].visits
        value = tally[action].value_sum / tries if tries > 0.0 else own - selection.reduction
        bound = value + root * priors[action] / (1.0 + tries)
        if bound > best_bound:
            best = action
            best_bound = bound
    return best


def _question_of(team):
    """The team, whose value the child node stores."""
    return team


def _value_for(scratch, team):
    """The chance that a team wins; at the end of the game the result."""
    winner = int(scratch.states[0].winner)
    if winner == GOING_ON:
        return value_position(scratch, team)
    if winner > last_team:
        return 1.0 / (last_team + 1)  # shared, as in tournaments
    return 1.0 if winner == team else 0.0


def _back_up_result(tree, node, scratch):
    """Adds to a node and its ancestors the value for the team that chose the action of each."""
    for team in range(last_team + 1):
        scratch.values[team] = _value_for(scratch, team)
    while node != NO_NODE:
        tree.nodes[node].visits += 1
        tree.nodes[node].value_sum += scratch.values[tree.nodes[node].question]
        node = tree.nodes[node].parent


TEMPLATES = (_select, _question_of, _descend, _roll_out, _value_for, _back_up_result, simulate, expect)
