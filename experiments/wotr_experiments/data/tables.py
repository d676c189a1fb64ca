"""Makes the tables of games that are replayed together, each as a dictionary of columns."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_agents import Bot
from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.play.bots import BotError, view_of
from wotr_env.play.record import FORMAT
from wotr_env.play.replaying import Replay
from wotr_experiments.arena.played_games import STOPPED
from wotr_experiments.data.columns import observation_columns
from wotr_experiments.data.luck import luck_of_decisions, luck_of_games
from wotr_experiments.data.sources import FORFEIT, UNFINISHED, SourceGame
from wotr_experiments.data.values import Coded, Known, Lists, Table
from wotr_experiments.games.war_of_the_ring.turns import TurnNotes
from wotr_experiments.isolation.bots import explanation
from wotr_experiments.luck.measure import LuckMethod, measure


@dataclasses.dataclass(frozen=True)
class ValueBot:
    """A bot whose values of decisions are exported."""

    spec: str
    bot: Bot
    """A bot from ``Bots.seat``, already made."""
    game: str
    """The name of the board game that the bot plays (``GameKind``)."""
    meaning: str
    """The meaning of the bot's values."""


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The requested tables and columns, besides the table of games."""

    turns: bool = False
    decisions: bool = False
    observations: bool = False
    masks: bool = False
    judge: ValueBot | None = None
    """The bot that gives the values of each decision's actions; None: no values."""
    luck: LuckMethod | None = None
    """The settings of the measurement of luck, for games of two teams; None: no luck."""


def tables_of(numbers: Sequence[int], games: Sequence[SourceGame], wanted: Wanted) -> dict[str, Table]:
    """The tables of games by name. The games are replayed, and so verified.

    Args:
        numbers: the numbers of the games in the export.
        games: at least one game, all of one kind and one ruleset.
        wanted: the requested tables and columns.

    Raises:
        RecordError: a record does not replay to its hash.
        BotError: the judge failed, or has no values.
    """
    replay = Replay([game.record for game in games])
    kind, order = replay.kind, np.array(replay.order)
    end_records = np.zeros(len(games), dtype=kind.end_record)
    lengths = np.array([len(game.record.actions) for game in games], dtype=np.int64)
    firsts = np.cumsum(lengths) - lengths
    decisions = _Decisions(replay, firsts[order], wanted) if wanted.decisions else None
    turns = TurnNotes(replay.states) if wanted.turns else None
    for number in range(int(lengths.max())):
        actions = replay.chosen(number)
        if decisions is not None:
            decisions.note(number, actions)
        if turns is not None:
            turns.before(len(actions))
        replay.step(number)
        if turns is not None:
            turns.after(number, actions)
        kind.kernels.note(replay.states, end_records, np.arange(len(actions)))
    replay.check()
    kind.kernels.conclude(replay.states, end_records)
    by_game = np.argsort(order)
    ids = np.array(numbers, dtype=np.int64)
    won = kind.winning_seats(replay.states, games[0].record.ruleset)[by_game]
    ended = [
        _end(kind, game, int(row["winner"])) for game, row in zip(games, end_records[by_game], strict=True)
    ]
    tables = {"games": _games(kind, ids, games, end_records[by_game], ended, won)}
    lucks = [] if wanted.luck is None else measure([game.record for game in games], wanted.luck)
    if lucks:
        tables["games"] |= luck_of_games(kind, lucks)
    if turns is not None:
        tables["turns"] = turns.table(order, ids, lengths)
    if decisions is not None:
        tables["decisions"] = table = decisions.table(ids, ended, lengths)
        if lucks:
            table["luck"] = luck_of_decisions(lucks, lengths, decisions.teams)
    return tables


def _end(kind: GameKind, game: SourceGame, by_rules: int) -> int | None:
    """The team that won or ``GameKind.draw``: by the rules, by forfeit, or because players ended the game.

    None if the result is unknown.
    """
    if game.quitter is not None:
        return kind.forfeit_result(game.quitter, game.record.ruleset)[0]
    if game.stopped:
        return kind.draw
    if game.record.ended is not None:
        return game.record.ended.winner(kind, game.record.ruleset)
    return None if game.record.result is None else by_rules


def _games(
    kind: GameKind,
    ids: np.ndarray,
    games: Sequence[SourceGame],
    end_records: np.ndarray,
    ended: Sequence[int | None],
    won: np.ndarray,
) -> Table:
    """The table of games. ``ended`` has the results of ``_end``; ``won``, ``bool[N, S]``, the seats that won
    by the rules."""
    records = [game.record for game in games]
    seats = records[0].ruleset.seats
    names = [seat.name for seat in seats]
    winning = [
        _winning(kind, game, np.flatnonzero(row).tolist()) for game, row in zip(games, won, strict=True)
    ]
    table: Table = {
        "game": ids,
        "kind": _coded([record.game for record in records]),
        "source": _coded([game.source for game in games]),
        "pairing": _known([game.pairing for game in games], np.int32),
        "number": np.array([game.number for game in games], dtype=np.int32),
        "format": np.full(len(games), FORMAT, dtype=np.int16),
        "rules": np.full(len(games), kind.rules_version, dtype=np.int16),
        "ruleset": _coded([compact(record.ruleset.to_dict()) for record in records]),
        "seed": np.array([record.seed for record in records], dtype=np.int64),
        "position": [record.position for record in records],
        "tapes": [compact(record.tapes) if record.tapes else "" for record in records],
        "ended": [_ended(record) for record in records],
        "seats": [names] * len(games),
        "players": [list(record.players) for record in records],
        "identities": [list(record.identities) for record in records],
    }
    for number, team in enumerate(kind.teams):
        places = [place for place, seat in enumerate(seats) if seat.team == number]
        table[f"player_{team.name}"] = _coded([_who(record, places) for record in records])
    table |= {
        "decisions": np.array([len(record.actions) for record in records], dtype=np.int32),
        "winner": _coded([None if end is None else kind.winner_name(end) for end in ended]),
        "winning_seats": [[names[seat] for seat in each] for each in winning],
        "reason": _coded(
            [_reason(kind, game, int(row["reason"])) for game, row in zip(games, end_records, strict=True)]
        ),
        "forfeit": _coded([game.forfeit for game in games]),
        "quitter": _coded(["" if game.quitter is None else names[game.quitter] for game in games]),
        "message": [game.message for game in games],
    }
    table |= {column.name: end_records[column.name].astype(np.int32) for column in kind.columns}
    ends = np.concatenate([[0], np.cumsum([len(record.actions) for record in records])])
    flat = np.concatenate([np.array(record.actions, dtype=np.int16) for record in records])
    results = [record.result for record in records]
    return table | {
        "actions": Lists(ends.astype(np.int64), flat),
        "result": [None if result is None else compact(result.to_dict()) for result in results],
        "hash": [record.hash for record in records],
    }


def _ended(record: GameRecord) -> str:
    return "" if record.ended is None else compact(record.ended.to_dict(record.ruleset.seats))


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))


def _who(record: GameRecord, places: Sequence[int]) -> str:
    """The names of the players of some seats: ``scripted``, or for several bots ``scripted + random``."""
    return " + ".join(dict.fromkeys(record.players[place] for place in places)) if record.players else ""


def _reason(kind: GameKind, game: SourceGame, reason: int) -> str:
    if game.quitter is not None:
        return FORFEIT
    if game.stopped:
        return STOPPED
    if game.record.ended is not None:
        return game.record.ended.reason
    return UNFINISHED if game.record.result is None else kind.reason_name(reason)


def _winning(kind: GameKind, game: SourceGame, by_rules: list[int]) -> list[int]:
    """The seats that won; after a forfeit or a resignation all seats of other teams."""
    if game.quitter is not None:
        return list(kind.forfeit_result(game.quitter, game.record.ruleset)[1])
    if game.record.ended is not None:
        return list(game.record.ended.winning_seats(kind, game.record.ruleset))
    return by_rules if game.record.result is not None else []


def _coded(words: Sequence[str | None]) -> Coded:
    known = {
        word: code for code, word in enumerate(dict.fromkeys(each for each in words if each is not None))
    }
    codes = [-1 if word is None else known[word] for word in words]
    return Coded(np.array(codes, dtype=np.int32), list(known))


def _known(values: Sequence[int | None], dtype: type) -> Known:
    valid = np.array([value is not None for value in values], dtype=np.bool_)
    return Known(np.array([value or 0 for value in values], dtype=dtype), valid)


class _Decisions:
    """Collects the decisions of games step by step.

    Args:
        replay: the games.
        firsts: ``int64[N]``: the row of each game's first decision, in the order of the replay.
        wanted: the requested columns.
    """

    def __init__(self, replay: Replay, firsts: np.ndarray, wanted: Wanted) -> None:
        from wotr_experiments.data.changes import Changes, SetPlaces  # loads numba

        self._replay, self._firsts, self._wanted = replay, firsts, wanted
        kind, total = replay.kind, int(replay.lengths.sum())
        self._kind = kind
        self._steps, self._turns = np.zeros(total, dtype=np.int32), np.zeros(total, dtype=np.int16)
        self._seats, self._codes = np.zeros(total, dtype=np.int8), np.zeros(total, dtype=np.int16)
        self._actions = np.zeros(total, dtype=np.int16)
        self._names: list[str | None] = [None] * len(kind.layout.decision)
        self._seen = np.zeros(len(kind.layout.decision), dtype=np.bool_)
        self._legal = SetPlaces(kind.actions.size, total)
        self._changes = None
        if wanted.observations:
            places = observation_columns(kind)[0].item
            self._changes = Changes(len(replay.states), kind.layout.size, total, places)
        self._values: list[list[tuple[int, float]]] = [[]] * total if wanted.judge else []

    def note(self, number: int, actions: np.ndarray) -> None:
        """Adds the decisions of step ``number``, before its actions are played."""
        running, kind = len(actions), self._kind
        states, masks = self._replay.states[:running], self._replay.masks[:running]
        rows = self._firsts[:running] + number
        seats = states["seat"].copy()
        seen = kind.kernels.observe(states, seats)
        codes = seen[:, kind.layout.decision.start : kind.layout.decision.stop].argmax(axis=1)
        self._steps[rows], self._seats[rows], self._codes[rows] = number, seats, codes
        self._actions[rows] = actions
        if kind.counts_turns:
            self._turns[rows] = states["turn"]
        if kind.decision is not None and not self._seen[codes].all():
            for game in np.flatnonzero(~self._seen[codes]).tolist():
                self._names[codes[game]] = kind.decision(states[game])
            self._seen[codes] = True
        self._legal.note(masks, rows)
        if self._changes is not None:
            self._changes.note(seen, rows)
        if self._wanted.judge is not None:
            judge = self._wanted.judge
            found = explanation(judge.bot, view_of(copy_states(states), masks.copy(), kind), judge.spec)
            if found is None:
                raise BotError(f"bot {judge.spec} has no values of actions")
            for row, values in zip(rows.tolist(), found, strict=True):
                self._values[row] = values

    @property
    def teams(self) -> np.ndarray:
        """The deciding teams, ``int8``, in the order of the table."""
        seats = self._replay.records[0].ruleset.seats
        return np.array([seat.team for seat in seats], dtype=np.int8)[self._seats]

    def table(self, ids: np.ndarray, ended: Sequence[int | None], lengths: np.ndarray) -> Table:
        """The table of decisions, one game after another in the order of the table of games.

        Args:
            ids: ``int64[N]``: the numbers of the games.
            ended: the results of ``_end``.
            lengths: ``int64[N]``: the number of decisions of each game.
        """
        kind = self._kind
        teams = self.teams
        unknown = -1
        winners = np.array([unknown if end is None else end for end in ended], dtype=np.int8)
        winner = np.repeat(winners, lengths)
        outcome = np.where(winner == kind.draw, 0, np.where(winner == teams, 1, -1)).astype(np.int8)
        turns = {"turn": self._turns} if kind.counts_turns else {}
        named = [name or "" for name in self._names]
        without = np.array([name is None for name in self._names])[self._codes]
        table: Table = {
            "game": np.repeat(ids, lengths),
            "step": self._steps,
            **turns,
            "seat": self._seats,
            "team": Coded(teams, [team.name for team in kind.teams]),
            "decision": self._codes,
            "decision_name": Coded(np.where(without, -1, self._codes), named),
            "legal_count": self._legal.counts.astype(np.int16),
            "action": self._actions,
            "action_name": Coded(self._actions, kind.actions.names),
            "winner": Coded(winner, [kind.winner_name(each) for each in range(kind.draw + 1)]),
            "outcome": Known(outcome, winner != unknown),
        }
        if self._changes is not None:
            ends, places, values = self._changes.gathered()
            table |= {"observation_places": Lists(ends, places), "observation_values": Lists(ends, values)}
        if self._wanted.masks:
            table["legal"] = Lists(*self._legal.gathered())
        if self._wanted.judge is not None:
            table |= self._judged()
        return table

    def _judged(self) -> Table:
        ends = np.concatenate([[0], np.cumsum([len(row) for row in self._values])]).astype(np.int64)
        pairs = [pair for row in self._values for pair in row]
        actions = np.array([action for action, _ in pairs], dtype=np.int16)
        values = np.array([value for _, value in pairs], dtype=np.float32)
        return {"bot_actions": Lists(ends, actions), "bot_values": Lists(ends, values)}
