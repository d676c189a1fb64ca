"""Sets up a game, draws and lays cards, and runs a game to its next decision (TT1 to TT3)."""

from __future__ import annotations

from wotr_env.compiler.memory import local_numbers
from wotr_env.games.two_towers.actions import HIDDEN, Act
from wotr_env.games.two_towers.components import (
    BEST_TOKEN,
    COPIES,
    DISPLAY,
    FANGORN,
    GANDALF,
    HAND,
    LAST_LOCATION,
    LONGEST_DRAWN,
    MOST_PLAYERS,
    MOST_SYMBOLS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_QUALITIES,
    NUM_TOKENS,
    SHORTEST_DRAWN,
    TOKEN_VALUES,
)
from wotr_env.games.two_towers.kernels import draw, is_last_turn, kernel, seed_chance, shuffle
from wotr_env.games.two_towers.masks import clear, write_mask
from wotr_env.games.two_towers.scoring import end_game, score_location
from wotr_env.games.two_towers.state import (
    GOING_ON,
    NONE,
    NUM_OPTIONS,
    Ask,
    Opt,
    Phase,
    drop_row,
    next_player,
    only_kind,
    reshuffle,
    take_any,
    total,
)


@kernel
def _draw_qualities(state, location, count):
    """Draws ``count`` different qualities; all sets and orders are equally likely."""
    row = state.symbols[location]
    for symbol in range(MOST_SYMBOLS):
        row[symbol] = NONE
    for symbol in range(count):
        quality = draw(state, NUM_QUALITIES - symbol)
        for other in range(NUM_QUALITIES):
            taken = False
            for before in range(symbol):
                if row[before] == other:
                    taken = True
            if not taken:
                if quality == 0:
                    row[symbol] = other
                    break
                quality -= 1


@kernel
def _lay_out_locations(state):
    """Sets the qualities of the locations and the paths between them, from the ruleset or by drawing (TT1.2,
    TT1.3)."""
    for location in range(NUM_LOCATIONS):
        for symbol in range(MOST_SYMBOLS):
            place = Opt.SYMBOLS + MOST_SYMBOLS * location + symbol
            state.symbols[location, symbol] = state.options[place]
        state.path[location] = state.options[Opt.PATHS + location]
    if state.options[Opt.DRAWN_QUALITIES]:
        for location in range(NUM_LOCATIONS):
            if location == FANGORN:
                if draw(state, 2) == 1:
                    first = int(state.symbols[location, 0])
                    state.symbols[location, 0] = state.symbols[location, 1]
                    state.symbols[location, 1] = first
            else:
                count = MOST_SYMBOLS if location == LAST_LOCATION else 1 + draw(state, 2)
                _draw_qualities(state, location, count)
    if state.options[Opt.DRAWN_PATHS]:
        for location in range(NUM_LOCATIONS):
            state.path[location] = SHORTEST_DRAWN + draw(state, LONGEST_DRAWN - SHORTEST_DRAWN + 1)
    shuffle(state, state.path, 0, NUM_LOCATIONS)


@kernel
def symbols_at(state, location):
    """The number of qualities of a location."""
    count = 0
    for symbol in range(MOST_SYMBOLS):
        if state.symbols[location, symbol] != NONE:
            count += 1
    return count


@kernel
def tokens_at(state, location):
    """The number of tokens beside a location (TT1.4, TT6.1)."""
    return symbols_at(state, location) if state.players == 2 else int(state.players) - 1


@kernel
def _lay_out_tokens(state):
    """Draws the tokens; all sets with a 5 at the last location are equally likely (TT1.4)."""
    tokens = local_numbers(NUM_TOKENS)
    best = False
    while not best:
        for place in range(NUM_TOKENS):
            tokens[place] = TOKEN_VALUES[place]
        place = 0
        for location in range(NUM_LOCATIONS):
            for token in range(tokens_at(state, location)):
                other = place + draw(state, NUM_TOKENS - place)
                value = tokens[other]
                tokens[other] = tokens[place]
                place += 1
                state.token[location, token] = value
                if location == LAST_LOCATION and value == BEST_TOKEN:
                    best = True
    if state.players > 2:
        for location in range(NUM_LOCATIONS):
            _sort_tokens(state, location, int(state.players) - 1)


@kernel
def _sort_tokens(state, location, count):
    """Sorts tokens in descending order."""
    for last in range(count - 1, 0, -1):
        for token in range(last):
            value = int(state.token[location, token])
            if state.token[location, token + 1] > value:
                state.token[location, token] = state.token[location, token + 1]
                state.token[location, token + 1] = value


@kernel
def set_up(state, options, seed):
    """Sets up a new game in a blank record (TT1.1, TT1.5)."""
    seed_chance(state, seed)
    for place in range(NUM_OPTIONS):
        state.options[place] = options[place]
    state.max_turns = options[Opt.MAX_TURNS]
    state.players = options[Opt.PLAYERS]
    state.winner = GOING_ON
    _lay_out_locations(state)
    _lay_out_tokens(state)
    for kind in range(NUM_KINDS):
        state.pile[kind] = COPIES[kind]
    for seat in range(MOST_PLAYERS):
        for colour in range(NUM_COLOURS):
            state.quality[seat, colour] = NONE
        if seat < state.players:
            for _ in range(HAND):
                state.hand[seat, take_any(state, state.pile)] += 1
    for _ in range(DISPLAY):
        state.display[take_any(state, state.pile)] += 1
    state.starter = draw(state, int(state.players))
    state.seat = state.starter


@kernel
def _end_turn(state):
    """Ends a turn: begins the next turn, or counts the points at the turn limit (TT2.6, TT4.6, TT7.4)."""
    _next_turn(state)
    if state.winner == GOING_ON and is_last_turn(state):
        end_game(state, int(state.starter))


@kernel
def _next_turn(state):
    """Counts the turn and moves on to the next player, the next space, the location, or the next round
    (TT2.6, TT4.6)."""
    state.turn += 1
    state.swapped = 0
    state.drawn = 0
    for colour in range(NUM_COLOURS):
        state.fresh[colour] = 0
    state.acted += 1
    if state.acted < state.players:
        state.seat = next_player(state, int(state.seat))
        return
    state.acted = 0
    if state.phase == Phase.WALK:
        state.space += 1
        if state.space == state.path[int(state.stage)]:
            state.phase = Phase.LAY
    else:
        first = int(state.starter)
        score_location(state)
        if state.stage == LAST_LOCATION:
            end_game(state, first)
            return
        state.stage += 1
        state.space = 0
        state.phase = Phase.WALK
    state.seat = state.starter


@kernel
def _take_open(state, seat, kind):
    """Takes a card of the display. All players see this card, and the display is not refilled (TT2.7)."""
    state.display[kind] -= 1
    state.hand[seat, kind] += 1
    state.known[seat, kind] += 1


@kernel
def _take_hidden(state, seat):
    """Draws a card of the pile; an empty pile is renewed immediately (TT5.1).

    If all cards of a renewed pile are of a single kind, all players know which card was drawn (TT8.3).
    """
    known = only_kind(state.renewed)
    kind = take_any(state, state.pile)
    state.hand[seat, kind] += 1
    if known != NONE:
        state.known[seat, kind] += 1
        state.renewed[kind] -= 1
    elif total(state.renewed) > 0:
        state.drew[seat, kind] += 1
    reshuffle(state)


@kernel
def leave_hand(state, seat, kind):
    """Shows a card of the hand, and removes it from the cards that are known to be in the hand (TT8.1).

    If the card was not known to all, and the player has drawn from a renewed pile, the card may come from
    this pile (TT8.3).
    """
    state.hand[seat, kind] -= 1
    if state.known[seat, kind] > 0:
        state.known[seat, kind] -= 1
    elif total(state.drew[seat]) > 0:
        state.revealed[seat, kind] += 1


@kernel
def _draw_cards(state, seat, action):
    if action == Act.END:
        _end_turn(state)
    elif action >= Act.SWAP:
        kind = action - Act.SWAP
        leave_hand(state, seat, kind)
        state.display[kind] += 1
        state.swapped = 1 + kind
    elif action == HIDDEN:
        _take_hidden(state, seat)
        if state.swapped > 0 and state.drawn == 0 and total(state.pile) > 0:
            _take_hidden(state, seat)  # two hidden cards are drawn at once (TT2.3)
        _end_turn(state)
    else:
        _take_open(state, seat, action - Act.TAKE)
        state.drawn += 1
        if state.swapped == 0 or state.drawn == 2:
            _end_turn(state)


@kernel
def _lay_cards(state, seat, action):
    """Lays a card in a row; a row of another quality is first put aside (TT3.4)."""
    if action == Act.END:
        _end_turn(state)
        return
    headed = action >= Act.BEGIN
    kind = action - Act.BEGIN if headed else action - Act.LAY
    colour = kind // NUM_QUALITIES
    quality = kind % NUM_QUALITIES
    if state.quality[seat, colour] != quality:
        drop_row(state, seat, colour)
        state.quality[seat, colour] = quality
        state.fresh[colour] = 1
        if headed:
            leave_hand(state, seat, GANDALF)
            state.gandalf[seat, colour] = 1
    leave_hand(state, seat, kind)
    state.row[seat, colour] += 1
    reshuffle(state)


@kernel
def apply(state, action):
    """Applies a legal action; a finished game does not change."""
    if state.winner != GOING_ON:
        return
    seat = int(state.seat)
    if state.phase == Phase.LAY:
        _lay_cards(state, seat, action)
    else:
        _draw_cards(state, seat, action)


@kernel
def run(state, mask):
    """Runs the game to the next decision and writes its mask. A player who cannot draw is skipped (TT5.2)."""
    while state.winner == GOING_ON:
        if state.phase == Phase.LAY:
            state.decision = Ask.LAY
        elif state.swapped == 0:
            state.decision = Ask.DRAW
        else:
            state.decision = Ask.FIRST if state.drawn == 0 else Ask.SECOND
        if write_mask(state, mask) > 0:
            return
        _end_turn(state)
    clear(mask)
    state.decision = Ask.NOTHING
