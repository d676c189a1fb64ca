"""Conformance checks of a game by random play, for authors of games; and random games as readable text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.codes import GOING_ON, PUBLIC
from wotr_env.core.errors import IllegalAction
from wotr_env.core.game import Game
from wotr_env.core.kind import GameKind
from wotr_env.core.luck import NO_SOURCE
from wotr_env.core.observation_layout import EntitySet
from wotr_env.core.states import bytes_of, copy_states, state_hash
from wotr_env.play.games import game_kinds
from wotr_env.play.record import GameRecord

HASH_EVERY = 10
"""Number of decisions between two state hashes in a playthrough."""


class GameContractError(AssertionError):
    """A game violates its contract; the message says how and where."""


GameFault = GameContractError
"""The name of ``GameContractError`` in 0.2."""


class Checked(NamedTuple):
    """The coverage of ``check_game``."""

    positions: int
    ended: int
    """Number of games played to the end."""
    hidden: int
    """Number of sampled worlds that differ from the true state, apart from the random stream (fields ``key``
    and ``counter``); 0 if nothing is hidden."""


def check_game(
    kind: GameKind,
    ruleset: Any = None,
    *,
    games: int = 8,
    seed: int = 1,
    decisions: int = 400,
    text_every: int = 2,
) -> Checked:
    """Plays random games of a kind and checks the contract of games.

    It checks that the declarations are consistent; that the same seed gives the same bytes, and that games of
    a batch are independent; that masks, lists of legal actions and refusals agree; that no position breaks an
    invariant; that steps are the same in a batch, alone and in ``GameKind.game``; that observations, texts
    and sampled worlds of a seat do not depend on hidden information; and that results, rulesets, positions
    and (for registered games) records survive writing and reading.

    Args:
        kind: the game.
        ruleset: the ruleset, in any form that ``GameKind.read_ruleset`` accepts.
        games: number of games in the batch.
        seed: the seed of the games and of the choices.
        decisions: maximal number of decisions per game.
        text_every: at every ``text_every``-th step, the words, the drawing and the text form of one position
            are checked; these checks are the slowest part. 0: no position is checked in this way.

    Raises:
        GameContractError: the first violation.
    """
    rules = kind.read_ruleset(ruleset)
    _check_declarations(kind, rules)
    checks = _Positions(kind, rules, np.random.default_rng(seed))
    kind.kernels.prepare()
    states, masks = _check_new_games(kind, rules, games, seed)
    for step in range(decisions + 1):
        checks.step = step
        checks.look(states, masks)
        if text_every and step % text_every == 0:
            row = step // text_every % games
            checks.tell(states[row], masks[row], row)
        if step == decisions or not masks.any():
            break
        checks.play(states, masks)
    for each in range(2):
        _one_game(kind, rules, seed + each, decisions)
    _check_batches(kind, rules, games, seed, min(decisions, 50))
    ended = int((states["winner"] != GOING_ON).sum())
    return Checked(checks.positions, ended, checks.hidden)


def _require(holds: Any, fault: str) -> None:
    if not holds:
        raise GameContractError(fault)


def _choices(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for each game; 0 if there is none."""
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)


def _same(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whether two arrays of states are equal, byte by byte: ``bool[N]``."""
    return (bytes_of(one) == bytes_of(other)).all(axis=1)


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of states as one array."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([bytes_of(part) for part in parts]).reshape(-1).view(parts[0].dtype)


def _without_chance(states: np.ndarray) -> np.ndarray:
    states = copy_states(states)
    for name in {"key", "counter"} & set(states.dtype.names or ()):
        states[name] = 0
    return states


def _check_declarations(kind: GameKind, rules: Any) -> None:
    """Checks the declarations of a kind."""
    names, seats = kind.actions.names, rules.seats
    _require(len(set(names)) == len(names), "two actions have the same name")
    placed = sorted(action for block in kind.actions.blocks.values() for action in block)
    _require(
        placed == list(range(len(names))), "the blocks of actions do not contain each action exactly once"
    )
    _require(len({seat.name for seat in seats}) == len(seats), "two seats have the same name")
    _require({seat.team for seat in seats} <= set(range(len(kind.teams))), "a seat belongs to no team")
    _require(len({end.name for end in kind.ends}) == len(kind.ends), "two ends have the same name")
    _require(kind.worths.shape == (len(kind.ends), len(kind.teams)), "an end needs one value for each team")
    _require((np.abs(kind.worths) <= 1).all(), "the value of an end is outside -1 to 1")
    _require({"seat", "winner"} <= set(kind.state.names or ()), "the state has no seat or no winner")
    again = kind.ruleset.from_dict(json.loads(json.dumps(rules.to_dict())))
    _require(again == rules, "a ruleset changes in a round trip by to_dict, JSON and from_dict")
    for entities in kind.layout.entities:
        _entities(kind, entities)


def _entities(kind: GameKind, entities: EntitySet) -> None:
    """Checks the declaration of similar objects."""
    try:
        count = len(kind.layout.columns(entities))
    except (KeyError, ValueError) as error:
        raise GameContractError(
            f"the fields of {entities.name} do not describe the same objects: {error}"
        ) from error
    for block, named in entities.actions.items():
        objects, actions = np.asarray(named), kind.actions.blocks.get(block, range(0))
        _require(
            len(objects) == len(actions), f"{entities.name} do not name an object for each action of {block}"
        )
        fits = (objects >= -1).all() and (objects < count).all()
        _require(fits, f"an action of {block} names an object that {entities.name} do not have")
    if entities.near is not None:
        fits = entities.near.shape == (count, count) and entities.near.dtype == np.bool_
        _require(fits, f"near of {entities.name} is not bool[{count}, {count}]")


def _check_new_games(kind: GameKind, rules: Any, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """New games; checks that each equals a game that is made alone. Returns the states and masks."""
    seeds = np.arange(games) + seed
    states, masks = kind.new_states(seeds, rules)
    for row in range(games):
        alone, mask = kind.new_states(seeds[row : row + 1], rules)
        same = alone.tobytes() == states[row : row + 1].tobytes() and (mask == masks[row]).all()
        _require(same, f"game {row} of a batch begins differently from a single game with the same seed")
    return states, masks


class _Positions:
    """Checks of positions and steps of many games."""

    def __init__(self, kind: GameKind, rules: Any, rng: np.random.Generator) -> None:
        self.kind, self.rules, self.rng = kind, rules, rng
        self.step = self.positions = self.hidden = 0

    def must(self, holds: Any, fault: str, row: int | None = None) -> None:
        """As ``_require``, for all games (``bool[N]``) or for one game."""
        if np.all(holds):
            return
        game = int(np.argmin(holds)) if row is None and np.ndim(holds) else row or 0
        raise GameContractError(f"{fault}: game {game} after {self.step} decisions")

    def look(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Checks invariants, masks, observations and worlds."""
        kernels, seats = self.kind.kernels, len(self.rules.seats)
        self.positions += len(states)
        self._valid([("a position", states)])
        going = states["winner"] == GOING_ON
        self.must(masks.any(axis=1) == going, "a mask must be empty exactly when the game is over")
        self.must(
            ~going | ((states["seat"] >= 0) & (states["seat"] < seats)), "the deciding seat is out of range"
        )
        self.must(
            (states["winner"] >= GOING_ON) & (states["winner"] <= self.kind.draw),
            "the winner is out of range",
        )
        again, written = copy_states(states), np.zeros_like(masks)
        kernels.refresh(again, written)
        self.must((written == masks).all(axis=1), "refresh writes a different mask")
        self.must(_same(again, states), "refresh changes a state that waits for a decision")
        self._check_end_records(states)
        deciders = states["seat"].astype(np.int64)
        renewed = copy_states(states)
        if self.kind.luck is not None:
            self.kind.luck.renew(renewed, self._seeds(len(states)))
        seated = [(deciders + turn) % seats for turn in range(seats)]
        drawn = [self._worlds(states, own) for own in seated]
        worlds_of_seats = [("a world", worlds) for worlds in drawn]
        self._valid([("a position with resampled random outcomes", renewed), *worlds_of_seats])
        for turn, (own, worlds) in enumerate(zip(seated, drawn, strict=True)):
            self._independent(states, worlds, own)
            seen = kernels.observe(states, own)
            self.must(_same(again, states), "observe changes the game")
            fits = seen.shape == (len(states), self.kind.layout.size) and seen.dtype == np.int8
            self.must(
                fits, f"observations have dtype {seen.dtype} and shape {seen.shape}, not those of the layout"
            )
            self.must(
                (kernels.observe(worlds, own) == seen).all(axis=1),
                "an observation shows information hidden from its seat",
            )
            self.must(
                (kernels.observe(renewed, own) == seen).all(axis=1),
                "an observation shows future random outcomes",
            )
            if turn == 0:
                asked = seen[:, self.kind.layout.decision.start : self.kind.layout.decision.stop]
                self.must(
                    ~going | (asked.sum(axis=1) == 1), "an observation does not show the kind of the decision"
                )
                kernels.refresh(worlds, written)
                self.must(
                    (written == masks).all(axis=1),
                    "other actions are legal in a sampled world of the deciding seat",
                )

    def _worlds(self, states: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Worlds of a seat of each game."""
        worlds = copy_states(states)
        self.kind.kernels.sample_worlds(worlds, own, self.rng.integers(0, 2**62, len(states)))
        self.hidden += int((~_same(_without_chance(worlds), _without_chance(states))).sum())
        return worlds

    def _independent(self, states: np.ndarray, worlds: np.ndarray, own: np.ndarray) -> None:
        """Checks that worlds of a seat do not depend on hidden information."""
        seeds = self.rng.integers(0, 2**62, len(states))
        one, other = copy_states(states), copy_states(worlds)
        for each in (one, other):
            self.kind.kernels.sample_worlds(each, own, seeds)
        self.must(_same(one, other), "the worlds sampled for a seat depend on information hidden from it")

    def _valid(self, positions: Sequence[tuple[str, np.ndarray]]) -> None:
        """Checks states, by what they are; all together, because a check of many takes hardly longer."""
        try:
            self.kind.kernels.check(_joined([states for _, states in positions]))
        except ValueError as together:
            for what, states in positions:
                try:
                    self.kind.kernels.check(states)
                except ValueError as error:
                    place = f"after {self.step} decisions"
                    raise GameContractError(f"{what} is not a valid state {place}: {error}") from error
            raise GameContractError(f"states are valid alone and not together: {together}") from together

    def _check_end_records(self, states: np.ndarray) -> None:
        end_records = self.kind.conclude(states)
        over = states["winner"] != GOING_ON
        self.must(
            end_records["winner"] == states["winner"],
            "the winner of the end record is not that of the state",
        )
        self.must(
            (end_records["reason"] > 0) == over,
            "an end record must have a reason if and only if the game is over",
        )
        self.must(end_records["reason"] <= len(self.kind.ends), "the reason is not an end of the game")
        won = self.kind.winning_seats(states, self.rules)
        teams = np.array([seat.team for seat in self.rules.seats])
        self.must(won.shape == (len(states), len(teams)), "winning_seats does not have a value for each seat")
        of_winner = teams == states["winner"][:, None]
        single = over & (states["winner"] != self.kind.draw)
        self.must(~single[:, None] | ~won | of_winner, "a seat outside the winning team wins")

    def play(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Plays a random step of each game in place. Checks that a range of games and a single game give the
        same result."""
        kernels, games = self.kind.kernels, len(states)
        actions = _choices(masks, self.rng)
        before, over = copy_states(states), states["winner"] != GOING_ON
        part, part_masks, before_masks = copy_states(states), masks.copy(), masks.copy()
        first, last = sorted(self.rng.integers(0, games + 1, 2).tolist())
        alone = int(self.rng.integers(games))
        one, one_mask = copy_states(states[alone : alone + 1]), masks[alone : alone + 1].copy()
        kernels.step(states, masks, actions)
        kernels.step(part, part_masks, actions, first, last)
        kernels.step(one, one_mask, actions[alone : alone + 1])
        self.must(~over | _same(states, before), "a step changes a finished game")
        inside = (np.arange(games) >= first) & (np.arange(games) < last)
        self.must(
            np.where(inside, _same(part, states), _same(part, before)),
            "a step of a range of games changes other games",
        )
        kept = np.where(inside[:, None], masks, before_masks)
        self.must((part_masks == kept).all(axis=1), "a step of a range of games writes other masks")
        same = _same(one, states[alone : alone + 1]).all() and (one_mask[0] == masks[alone]).all()
        self.must(same, "a game depends on the other games of its batch", alone)
        self._luck(before, before_masks, actions, states)

    def _seeds(self, games: int) -> np.ndarray:
        return self.rng.integers(0, 2**63, games).astype(np.uint64)

    def _luck(self, before: np.ndarray, masks: np.ndarray, actions: np.ndarray, after: np.ndarray) -> None:
        """Checks the luck of a step: repeats the step with other random outcomes, and with the original
        ones."""
        luck, kernels = self.kind.luck, self.kind.kernels
        if luck is None:
            return
        stages = luck.stages(before, after)
        again, written = copy_states(before), masks.copy()
        luck.renew(again, self._seeds(len(before)))
        renewed, repeated = copy_states(again), copy_states(again)
        kernels.step(again, written, actions)
        decides = (stages != NO_SOURCE).any(axis=1)
        other = (luck.stages(renewed, again) != NO_SOURCE).any(axis=1)
        self.must(other == decides, "whether a step has random outcomes depends on random outcomes")
        for seat in range(len(self.rules.seats)):
            own = np.full(len(before), seat)
            seen = (kernels.observe(again, own) == kernels.observe(after, own)).all(axis=1)
            self.must(decides | seen, "a step has random outcomes that GameKind.luck does not report")
        if luck.repeat is not None:
            luck.repeat(repeated, after, (stages != NO_SOURCE).sum(axis=1))
            written = masks.copy()
            kernels.step(repeated, written, actions)
            same = luck.stages(renewed, repeated)
            self.must((same == stages).all(axis=1), "a step repeated with the same outcomes has other stages")

    def tell(self, state: np.record, mask: np.ndarray, row: int) -> None:
        """Checks the descriptions of a position, and its text form."""
        kind, seats = self.kind, len(self.rules.seats)
        before, decider = state.tobytes(), int(state["seat"])
        legal = np.flatnonzero(mask).tolist()
        for seat in range(seats):
            world = copy_states(np.array([state], dtype=kind.state))
            kind.kernels.sample_worlds(world, np.array([seat]), self.rng.integers(0, 2**62, 1))
            for name, look in self._looks(seat, legal if seat == decider else None):
                self.must(
                    look(state) == look(world[0]), f"{name} reveals hidden information to seat {seat}", row
                )
        if legal:
            action = int(self.rng.choice(legal))
            learns = kind.who_learns(state, action)
            self.must(learns <= frozenset(range(seats)), "who_learns names a seat that does not exist", row)
            for viewer in (None, PUBLIC, *range(seats)):
                json.dumps(kind.step_of(state, action, viewer).events)
        if kind.positions is not None:
            read = kind.positions.read(kind.positions.write(state, None), None, None)
            self.must(
                read.hash() == state_hash(np.array([state])),
                "a position changes when it is written as text and read",
                row,
            )
        self.must(state.tobytes() == before, "a function that describes a position changes it", row)

    def _looks(self, seat: int, legal: Sequence[int] | None) -> Iterator[tuple[str, Callable[[Any], Any]]]:
        """The descriptions of a state for a seat; with legal actions, also the descriptions for the deciding
        seat."""
        kind = self.kind
        for name, look in (("picture", kind.picture), ("drawing", kind.drawing)):
            if look is not None:
                yield f"{name} for PUBLIC", lambda state, look=look: look(state, PUBLIC)
                yield name, lambda state, look=look: look(state, seat)
        if kind.positions is not None:
            write = kind.positions.write
            yield "positions.write", lambda state: write(state, seat)
        text, image = kind.environments.text, kind.environments.image
        if text is not None:
            yield "environments.text", lambda state: text(state, seat)
        if image is not None:
            yield "environments.image", lambda state: image(state, seat).tobytes()
        if legal is None:
            return
        words = kind.words
        yield "words.position", words.position
        yield "words.decision", words.decision
        yield "words.action", lambda state: [words.action(state, action) for action in legal]
        optional = {
            "words.layout": words.layout,
            "words.parts": words.parts,
            "decision": kind.decision,
            "choice_tree": kind.choice_tree,
            "guide.question": kind.guide and legal and kind.guide.question,
            "guide.why": kind.guide and legal and kind.guide.why,
        }
        yield from ((name, look) for name, look in optional.items() if look)


def _one_game(kind: GameKind, rules: Any, seed: int, decisions: int) -> None:
    """Checks a single game: it equals the batch, refuses illegal actions, and has records and a result."""
    rng = np.random.default_rng(seed)
    states, masks = kind.new_states([seed], rules)
    game = kind.game(seed, rules)
    for number in range(decisions):
        where = f"after {number} decisions of seed {seed}"
        legal = np.flatnonzero(masks[0]).tolist()
        _require(
            game.state.tobytes() == states.tobytes(), f"the game differs from the game of its kernels {where}"
        )
        _require(game.legal() == legal, f"the list of legal actions does not match the mask {where}")
        if not legal:
            break
        wrong = np.flatnonzero(~masks[0])
        for action in (-1, kind.actions.size, *map(int, rng.choice(wrong, min(2, wrong.size)))):
            _check_refusal(game, action, where)
        action = int(rng.choice(legal))
        copy = game.clone()
        game.step(action)
        _require(
            copy.state.tobytes() == states.tobytes(), f"a step changes an earlier copy of the game {where}"
        )
        _require(
            copy.step(action).to_bytes() == game.to_bytes(), f"a copy of a game continues differently {where}"
        )
        kind.kernels.step(states, masks, np.array([action]))
    if isinstance(game, Game) and kind.positions is not None:
        again = type(game).of_bytes(kind, game.to_bytes())
        _require(again.to_bytes() == game.to_bytes(), "a game changes when it is written as bytes and read")
    _require(
        (game.result is not None) == (states[0]["winner"] != GOING_ON),
        "a game must have a result exactly when it is over",
    )
    if game.result is not None:
        read = kind.result.from_dict(json.loads(json.dumps(game.result.to_dict())))
        _require(read == game.result, "a result changes in a round trip by to_dict, JSON and from_dict")
    if game_kinds().get(kind.name) is kind:
        _check_record(GameRecord.from_game(game))


def _check_record(record: GameRecord) -> None:
    record.verify()
    for comments in (True, False):
        (again,) = GameRecord.from_text(record.to_text(comments))
        _require(again == record, "a record changes when it is written as text and read")


def _check_refusal(game: Any, action: int, where: str) -> None:
    before = game.hash()
    try:
        game.step(action)
    except IllegalAction:
        _require(game.hash() == before, f"action {action} is refused but changes the game {where}")
        return
    raise GameContractError(f"action {action} is illegal but is played {where}")


def _check_batches(kind: GameKind, rules: Any, games: int, seed: int, decisions: int) -> None:
    """Checks batches with auto-reset: they are reproducible, and their arrays match the states."""
    rng = np.random.default_rng(seed)
    one, other = (kind.games(games, seed, rules) for _ in range(2))
    for number in range(decisions):
        where = f"after {number} steps of GameKind.games"
        _require(
            one.states.tobytes() == other.states.tobytes(), f"the same seed gives a different game {where}"
        )
        seats = one.states["seat"].astype(np.int64)
        _require((one.seats == seats).all(), f"the seats do not match the states {where}")
        seen = kind.kernels.observe(copy_states(np.ascontiguousarray(one.states)), seats)
        _require((one.observations == seen).all(), f"the observations do not match the states {where}")
        actions = _choices(one.masks, rng)
        one.step(actions)
        other.step(actions)
        ended = one.end_records["winner"] != GOING_ON
        _require((ended == one.terminated).all(), f"a game ends without an end record {where}")


def playthrough(kind: GameKind, ruleset: Any = None, seed: int = 1, decisions: int | None = None) -> str:
    """A random game as readable text, one line per decision. The text changes with the rules, the names and
    the random outcomes.

    The choices come from a hash, because the stream of a library's generator may change.

    Args:
        kind: the game.
        ruleset: the ruleset, in any form that ``GameKind.read_ruleset`` accepts.
        seed: the seed of the game and of the choices.
        decisions: maximal number of decisions; None: to the end.
    """
    rules = kind.read_ruleset(ruleset)
    game = kind.game(seed, rules)
    lines = [f"# {kind.title}, {rules.title}, seed {seed}: number, seat, decision, action (legal actions)"]
    number = 0
    while game.result is None and number != decisions:
        state = game.state
        if number % HASH_EVERY == 0:
            lines.append(_fingerprint(kind, game))
        legal = game.legal()
        word = hashlib.blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
        action = legal[int.from_bytes(word, "big") % len(legal)]
        asked = "" if kind.decision is None else f"{kind.decision(state):20} "
        seat = rules.seats[int(state["seat"])].name
        lines.append(f"{number:3} {seat:12} {asked}{kind.actions.names[action]} ({len(legal)})")
        game.step(action)
        number += 1
    lines.append(_fingerprint(kind, game))
    if game.result is not None:
        lines.append(f"-- {game.result.to_dict()}")
    return "\n".join([*lines, ""])


def _fingerprint(kind: GameKind, game: Any) -> str:
    """A line with hashes of a state and of all its observations."""
    seats = np.arange(len(game.ruleset.seats))
    states = np.array([game.state] * seats.size, dtype=kind.state)
    seen = hashlib.blake2b(kind.kernels.observe(states, seats).tobytes(), digest_size=8).hexdigest()
    return f"-- state {game.hash()}, seen {seen}"
