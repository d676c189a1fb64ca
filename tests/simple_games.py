"""Small games in plain Python, as an author would write them."""

from __future__ import annotations

import numpy as np

from wotr_env.core.chance import draw, shuffle
from wotr_env.core.declared import StateField
from wotr_env.core.simple_game import NOBODY, OWNER, SimpleGame

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(SimpleGame):
    name, title, players = "tic-tac-toe", "Tic-tac-toe", ("Crosses", "Noughts")
    ends = {"line_of_crosses": (1, -1), "line_of_noughts": (-1, 1), "full": (0, 0)}
    fields = (StateField("board", 0, 2, "0, or 1 + whose mark", (9,)),)
    actions = {"mark": [f"{column}{row}" for row in "123" for column in "abc"]}

    def start(self, state):
        """The board is empty."""

    def legal(self, state):
        return np.flatnonzero(state.board == 0)

    def play(self, state, action):
        state.board[action] = 1 + state.seat
        if any((state.board[list(line)] == 1 + state.seat).all() for line in LINES):
            return list(self.ends)[state.seat]
        state.seat = 1 - state.seat
        return None if (state.board == 0).any() else "full"


class KuhnPoker(SimpleGame):
    """H. Kuhn, 1950: three cards, a coin each, one bet."""

    name, title, players = "kuhn-poker", "Kuhn poker", ("First", "Second")
    ends = {"first_1": (0.5, -0.5), "second_1": (-0.5, 0.5), "first_2": (1, -1), "second_2": (-1, 1)}
    fields = (StateField("card", 1, 3, "jack, queen or king", (2,)), StateField("bet", 0, 1, "has bet", (2,)))
    hidden = {"card": OWNER}
    actions = {"say": ("pass", "bet")}
    decisions = ("bet", "answer")

    def start(self, state):
        cards = np.array([1, 2, 3])
        shuffle(state, cards, 0, 3)
        state.card[:] = cards[:2]

    def legal(self, state):
        return 0, 1

    def decision(self, state):
        return int(state.bet.any())

    def play(self, state, action):
        seat = int(state.seat)
        state.bet[seat] = action
        if not action and state.bet.any():
            return ("second_1", "first_1")[seat]
        if state.bet.all() or (state.turn == 1 and not action):
            return f"{('first', 'second')[int(state.card.argmax())]}_{1 + int(state.bet.all())}"
        state.seat = 1 - seat
        return None

    def imagine(self, state, seat):
        others = [card for card in (1, 2, 3) if card != state.card[seat]]
        state.card[1 - seat] = others[draw(state, 2)]


class HighDraw(SimpleGame):
    """Three players draw from a deck that nobody sees; the highest cards share."""

    name, title, players = "high-draw", "High draw", ("One", "Two", "Three")
    ends = {f"best_{won}": tuple(1 if won >> seat & 1 else -1 for seat in range(3)) for won in range(1, 7)}
    ends |= {"all_equal": (0, 0, 0)}
    fields = (
        StateField("deck", 0, 2, "cards from the top", (6,), np.int16),
        StateField("drawn", 0, 6, "cards taken"),
        StateField("best", 0, 3, "1 + the highest card of each", (3,)),
    )
    hidden = {"deck": NOBODY}
    actions = {"do": ("draw", "stay")}

    def start(self, state):
        state.deck[:] = np.array([0, 0, 1, 1, 2, 2])
        shuffle(state, state.deck, 0, 6)

    def legal(self, state):
        return (0, 1) if state.drawn < 6 else (1,)

    def play(self, state, action):
        if action == 0:
            state.best[state.seat] = max(state.best[state.seat], 1 + state.deck[state.drawn])
            state.drawn += 1
        if state.seat < 2:
            state.seat += 1
            return None
        won = sum(1 << seat for seat in range(3) if state.best[seat] == state.best.max())
        return "all_equal" if won == 7 else f"best_{won}"

    def imagine(self, state, seat):
        rest = state.deck[int(state.drawn) :]
        rest.sort()  # their order is what nobody knows
        shuffle(state, rest, 0, rest.size)
