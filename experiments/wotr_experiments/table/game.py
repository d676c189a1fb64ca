"""A table: a game with its players, takebacks, and the messages for each viewer."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wotr_agents.identity import with_identity
from wotr_env.core.codes import GOING_ON, PUBLIC
from wotr_env.core.descriptions import Tone
from wotr_env.core.errors import IllegalAction, RecordError
from wotr_env.core.kind import GameKind
from wotr_env.play.game_text import turn_of
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments import games
from wotr_experiments.chance import draw
from wotr_experiments.persons import PERSON, person_of_study
from wotr_experiments.table.line import Line
from wotr_experiments.table.meeting import SocialAction, SocialState
from wotr_experiments.table.meeting_store import with_clock, with_deeds, with_shortened
from wotr_experiments.table.messages import VERSION, Look, Odds, Refused, refusing, to_json
from wotr_experiments.table.pending import Pending, UndoOffer
from wotr_experiments.table.store import Header, Played, Progress, Store, TakenBack, Work
from wotr_experiments.table.story import Story
from wotr_experiments.table.viewer_messages import seats_shown, sight, tell, tell_hand
from wotr_experiments.table.viewers import Eyes, name_of_view, view_of_name


class Table:
    """A game of people and bots; it changes only after the change is stored.

    Args:
        header: the settings of the table.
        store: stores the actions.
        played: the actions so far.
        undos: the actions taken back so far.
        identities: identities of bots by names of seats.
        meeting: makes the ``SocialState`` (everything other than playing), for the game and its ruleset;
            None: no earlier actions of this kind.

    Raises:
        RecordError: the game was played by another version of the rules.
    """

    def __init__(
        self,
        header: Header,
        store: Store,
        played: Sequence[Played] = (),
        undos: Sequence[TakenBack] = (),
        identities: Mapping[str, str] | None = None,
        meeting: Callable[[GameKind, Any, Mapping[str, str]], SocialState] | None = None,
    ) -> None:
        self.header = header
        self.kind = game_kind(header.game)
        if header.rules != self.kind.rules_version:
            raise RecordError(
                f"table {header.id} was played with version {header.rules} of the rules; this package has "
                f"version {self.kind.rules_version}"
            )
        self.ruleset = self.kind.ruleset.from_dict(header.ruleset)
        try:
            actions = [each.action for each in played]
            tapes = {number: each.tape for number, each in enumerate(played) if each.tape}
            self.line = Line(self.kind, self.ruleset, header.seed, actions, tapes)
        except (IllegalAction, ValueError) as error:
            raise RecordError(f"table {header.id} is damaged: {error}") from None
        make = SocialState if meeting is None else meeting
        self.meeting = make(self.kind, self.ruleset, header.seats)
        if self.meeting.clock is not None:
            self.meeting.clock.resume(self.seat)
        self.gestures = [each.gesture for each in played]
        """For each action, the number of the first action of its gesture."""
        self.undos = list(undos)
        self.identities = dict(identities or {})
        """For each seat, the identity of its bot, with earlier identities if the bot has changed."""
        self.pending: Pending | None = None
        """The choice that waits for dice, at a table with own dice."""
        self.stuck: set[int] = set()
        """Seats of bots that failed twice in the current position."""
        self.changing = asyncio.Lock()
        """The lock for changes of the table."""
        self._store = store
        self._stories: dict[int | None, Story] = {}
        self._seats = seats_shown(self.kind, self.ruleset, header.seats)
        self._quiet: dict[int, bool] = {}

    @property
    def id(self) -> str:
        """The id in links."""
        return self.header.id

    @property
    def hash(self) -> str:
        """A tag that identifies the present position among all positions of this table; it reveals nothing
        about the position."""
        return self.hash_for(0)

    def hash_for(self, delay: int) -> str:
        """The tag for a delayed view: undos of actions that the view had not shown do not change it."""
        undos = sum(len(undo.taken) > delay for undo in self.undos)
        count = f"{self.shown(delay)}:{undos}".encode()
        if self.pending is not None and not delay:
            count += self.pending.key
        if self.meeting.ended is not None:
            count += b":ended"
        return hashlib.blake2b(count, digest_size=16, key=self.header.secret).hexdigest()

    def shown(self, delay: int) -> int:
        """The number of actions visible with a delay; all of them once the game is over."""
        return self.line.number if self.over else max(0, self.line.number - delay)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules or by the players."""
        return self.line.over or self.meeting.ended is not None

    @property
    def seat(self) -> int | None:
        """The deciding seat; None if the game is over."""
        return None if self.over else self.line.seat

    @property
    def time_is_out(self) -> bool:
        """Whether the deciding seat has no time left on the clock."""
        return self.meeting.clock is not None and self.meeting.clock.fallen is not None

    @property
    def progress(self) -> Progress:
        """The progress for the list of tables."""
        return Progress(_progress(self.line).turn, self.over)

    @property
    def bot(self) -> str | None:
        """The spec of the deciding bot; None if a person or nobody decides, or if the table waits for
        dice."""
        if self.seat is None or self.pending is not None:
            return None
        player = self.player(self.seat)
        return None if player == PERSON else player

    def player(self, seat: int) -> str:
        """The player of a seat: ``person`` or the spec of a bot."""
        return self.header.seats[self.ruleset.seats[seat].name]

    # --- Changes, by who holds ``changing``. ---

    async def play(self, actions: Sequence[int]) -> None:
        """Plays a gesture of the deciding seat: choices until one is illegal or reveals something.

        Raises:
            Refused: the first choice is illegal, or the table waits for dice.
            sqlite3.Error: the gesture cannot be stored; the table is unchanged.
        """
        if self.pending is not None:
            raise Refused("dice", "enter the dice first")
        if self.time_is_out:
            raise Refused("turn", "your time has run out")
        line, first, seat = self.line.copy(), self.line.number + 1, self.line.seat
        quiet, pending = {}, None
        for action in actions:
            if line.seat != seat or not line.is_legal(action):
                break
            pending, tape = self._tried(line, action, first, ())
            if pending is not None:
                break
            if tape:
                quiet[line.number] = False
                line.step(action, tape)
                break
            quiet[line.number] = not self.kind.who_learns(line.state, action)
            line.step(action)
            if not quiet[line.number - 1]:
                break
        if not quiet and pending is None:
            raise Refused("illegal", f"action {actions[0]} is not legal now")
        if quiet:
            await self._adopt(line, first, quiet)
        self.pending = pending

    async def play_bot(self, actions: Sequence[int]) -> None:
        """Plays the choices of the deciding bot, which it made with the dice that it had seen.

        At a table with own dice, plays only the first choice, which may have to wait for dice.

        Raises:
            IllegalAction: a choice is not legal.
            sqlite3.Error: the choices cannot be stored; the table is unchanged.
        """
        line, first = self.line.copy(), self.line.number + 1
        if self.header.own_dice:
            if not line.is_legal(actions[0]):
                raise IllegalAction(f"action {actions[0]} is not legal after {line.number} actions")
            pending, tape = self._tried(line, actions[0], first, ())
            if pending is not None:
                self.pending = pending
                return
            line.step(actions[0], tape)
        else:
            for action in actions:
                line.step(action)
        await self._adopt(line, first, {})

    async def note(self, *deeds: SocialAction, also: Sequence[Work] = ()) -> None:
        """Stores and adds deeds: something other than playing that a seat did.

        Args:
            deeds: the deeds.
            also: work of the store that is done in the same transaction.

        Raises:
            sqlite3.Error: something cannot be stored; then nothing is stored, and the table is unchanged.
        """
        ends = any(map(self.meeting.ends, deeds))
        await self._store.do_all(with_deeds(self.id, self.meeting.count + 1, deeds, ends), *also)
        for deed in deeds:
            self.meeting.add(deed)
        if ends:
            self.pending = None
            if self.meeting.clock is not None:
                self.meeting.clock.pass_on(None)

    async def note_identity(self, seat: int, now: str) -> None:
        """Stores the identity of a seat's bot; raises sqlite3.Error if it cannot be stored."""
        name = self.ruleset.seats[seat].name
        before = self.identities.get(name, "")
        known = with_identity(before, now)
        if known != before:
            await self._store.note_identity(self.id, name, known)
            self.identities[name] = known

    async def enter(self, outcomes: Sequence[int] | None) -> None:
        """Continues the choice that waits for dice.

        Args:
            outcomes: the entered outcomes; None: the computer draws them.

        Raises:
            Refused: the table does not wait for dice, or the outcomes are impossible; then the same dice are
                requested again.
            sqlite3.Error: the choice cannot be stored; the same dice are requested again.
        """
        if (pending := self.pending) is None:
            raise Refused("dice", "no dice are needed now")
        asked = pending.asked
        if outcomes is None:
            outcomes = draw(asked)
        elif len(outcomes) != asked.number:
            raise Refused("dice", f"{asked.text}: {asked.number} needed, not {len(outcomes)}")
        elif wrong := [value for value in outcomes if value not in asked.possible]:
            names = ", ".join(dict.fromkeys(asked.possible.values()))
            raise Refused("dice", f"{asked.text}: {wrong[0]} is none of {names}")
        line, first = self.line.copy(), pending.gesture
        following, tape = self._tried(line, pending.action, first, (*pending.tape, *outcomes))
        if following is None:
            number = line.number
            line.step(pending.action, tape)
            await self._adopt(line, first, {number: False})
        self.pending = following

    def _tried(
        self, line: Line, action: int, gesture: int, tape: tuple[int, ...]
    ) -> tuple[Pending | None, tuple[int, ...]]:
        """Tries a legal choice with some outcomes. Returns the choice if it needs more outcomes from people,
        otherwise None and all outcomes."""
        given = self.kind.given_chance if self.header.own_dice else None
        if given is None:
            return None, ()
        state = line.state
        while (asked := given.asked(state, action, tape)) is not None:
            if not asked.secret:
                return Pending(action, gesture, tape, asked, secrets.token_bytes(16)), tape
            tape += tuple(draw(asked))
        return None, tape

    async def undo(self, seat: int) -> None:
        """Takes back the last gesture of a seat, and all later actions.

        Raises:
            Refused: the undo is not allowed.
            sqlite3.Error: the undo cannot be stored; the table is unchanged.
        """
        offer = self.undo_offer(seat)
        if offer is None:
            raise Refused("undo", "there is nothing to take back")
        pending = self.pending
        if pending is not None and offer == UndoOffer(self.line.number, "free"):
            self.pending = None
            return
        line = self.line.shortened(offer.number)
        taken = tuple(self.line.actions[offer.number :]) + (() if pending is None else (pending.action,))
        undo = TakenBack(self.ruleset.seats[seat].name, offer.number, taken, offer.kind == "study")
        also = with_shortened(self.id, offer.number)
        await self._store.take_back(self.id, len(self.undos) + 1, undo, _progress(line), also)
        self.line, self.pending = line, None
        self.undos.append(undo)
        del self.gestures[offer.number :]
        for story in self._stories.values():
            story.shorten(offer.number)
        self._quiet = {number: quiet for number, quiet in self._quiet.items() if number < offer.number}
        self.meeting.shorten(offer.number)
        self.stuck.clear()

    async def _adopt(self, line: Line, first: int, quiet: dict[int, bool]) -> None:
        before = self.line.number
        played = [
            Played(line.actions[number], first, line.tapes.get(number, ()))
            for number in range(before, line.number)
        ]
        clock = None if self.meeting.clock is None else self.meeting.clock.copy()
        if clock is None:
            await self._store.append(self.id, before + 1, played, _progress(line))
        else:
            seconds = clock.pass_on(line.seat)
            also = with_clock(self.id, clock.to_json(), before + 1, seconds)
            await self._store.append(self.id, before + 1, played, _progress(line), also)
            self.meeting.clock = clock
            self.meeting.times[before + 1] = seconds
        self.line = line
        self.gestures += [first] * len(played)
        self._quiet |= quiet
        self.stuck.clear()

    # --- What may be taken back, and what is told. ---

    def undo_offer(self, seat: int) -> UndoOffer | None:
        """The possible undo of a seat; None if the seat may not take back anything."""
        if self.player(seat) != PERSON or self.meeting.ended is not None:
            return None
        if self.pending is not None and self.line.seat == seat:
            if self.pending.is_fresh:
                return UndoOffer(self.line.number, "free")
            return UndoOffer(self.line.number, "study") if self.header.study else None
        if not self.gestures:
            return None
        last = self.gestures[-1] - 1
        secret = self.pending is None and not self.line.over  # the end shows all to everybody
        unseen = secret and all(map(self._is_quiet, range(last, self.line.number)))
        if unseen and self.line.deciders[last] == seat:
            return UndoOffer(last, "free")
        if not self.header.study:
            return None
        own = (number for number in reversed(range(self.line.number)) if self.line.deciders[number] == seat)
        latest = next(own, None)
        return None if latest is None else UndoOffer(self.gestures[latest] - 1, "study")

    def _is_quiet(self, number: int) -> bool:
        """Whether the action after ``number`` other actions revealed no information."""
        if number not in self._quiet:
            self._quiet[number] = not self.kind.who_learns(self.line.at(number), self.line.actions[number])
        return self._quiet[number]

    def kept(self, after: int, delay: int) -> int:
        """The number of actions at the start of the ``after`` known actions that were never taken back."""
        return min([after, self.shown(delay), *(undo.number for undo in self.undos)])

    def has_told(self, view: int | None, number: int) -> bool:
        """Whether the texts of the first ``number`` actions for a view are ready."""
        return len(self._stories.get(view, ())) >= number

    def tell_next(self, view: int | None) -> None:
        """Prepares the texts of the next action for a view; about a millisecond each."""
        story = self._stories.setdefault(view, Story())
        number = len(story)
        state, action = self.line.before(number), self.line.actions[number]
        story.add(tell(self.kind, self.ruleset, state, action, number + 1, view))

    def message(
        self, eyes: Eyes, after: int, here: set[int], events: bool = True, again: bool = False
    ) -> bytes:
        """The ``state`` message for a viewer whose texts are ready.

        Args:
            eyes: the view.
            after: the number of actions that the viewer knows.
            here: the seats of connected people.
            events: whether to include events.
            again: whether the viewer has already received a state, and so its first hand.
        """
        number = self.shown(eyes.delay)
        dice = self._dice(eyes.view) if eyes.sits else None
        seen = self._sight(number, eyes)
        offer = self.undo_offer(eyes.view) if eyes.sits and eyes.view is not None else None
        return to_json(
            {
                "type": "state",
                **self._frame(eyes, number, here),
                "hash": self.hash_for(eyes.delay),
                **(seen if dice is None else seen | {"legal": []}),
                "dice": dice,
                "undo": None if offer is None else offer.kind,
                "leave": eyes.sits and eyes.view is not None and self.may_be_left(eyes.view),
                "after": after,
                **self._told(eyes.view, after, number, events, hand=not again),
                **self.meeting.shown(eyes, number, after, self.is_late(eyes)),
            }
        )

    def may_be_left(self, seat: int) -> bool:
        """Whether the person at a seat may release it: the seat is of the lobby, and has not decided
        anything."""
        name = self.ruleset.seats[seat].name
        return not self.over and name in self.meeting.taken and seat not in self.line.deciders

    def is_late(self, eyes: Eyes) -> bool:
        """Whether a viewer sees the table with a delay, and so gets no present information."""
        return eyes.delay > 0 and not self.over

    def _sight(self, number: int, eyes: Eyes) -> dict[str, Any]:
        """The position after some actions, with the end if people ended the game there."""
        ended = self.meeting.ended is not None and number == self.line.number
        state = self.line.at(number)
        seen = sight(self.kind, self.ruleset, state, eyes, open_hands=ended)
        if not ended:
            return seen
        return seen | self.meeting.end_for(eyes) | {"question": None, "legal": []}

    def _dice(self, view: int | None) -> dict[str, Any] | None:
        """The awaited outcomes, in the format of the protocol."""
        if self.pending is None or self.line.seat is None:
            return None
        asked = self.pending.asked
        return {
            "text": asked.text,
            "number": asked.number,
            "possible": [{"value": value, "words": words} for value, words in asked.possible.items()],
            "seat": self.ruleset.seats[self.line.seat].name,
            "choice": self._choice_in_words(self.pending, view),
        }

    def _choice_in_words(self, pending: Pending, view: int | None) -> str | None:
        """The choice that waits for dice, in words for a view; None if it is hidden from the view."""
        assert self.kind.given_chance is not None
        state = self.kind.given_chance.with_tape(self.line.state, pending.tape)
        told = self.kind.step_of(state, pending.action, view).sentences
        return next((each.text for each in told[:1] if each.tone is Tone.CHOICE), None)

    @property
    def choice_tree(self) -> list[dict[str, Any]]:
        """The choice tree of the current question (``GameKind.choice_tree``); empty if the game has none."""
        return [] if self.kind.choice_tree is None else self.kind.choice_tree(self.line.state)

    def odds(self, eyes: Eyes, said: Odds) -> dict[str, Any]:
        """The odds of a battle, in the format of the protocol, from public information only.

        Raises:
            Refused: there is no such battle, or the client's side does not attack in it.
        """
        page = games.page_of(self.kind)
        if self.kind.picture is None or page is None:
            raise Refused("message", "this game has no battles")
        shown = self.kind.picture(self.line.at(self.shown(eyes.delay)), PUBLIC)
        asked = {
            "type": "odds",
            "v": VERSION,
            "hash": said.hash,
            "origin": said.origin,
            "target": said.target,
            "figures": said.figures,
        }
        with refusing():
            if said.origin is None or said.target is None:
                return asked | page.odds_under_way(shown)
            if not eyes.sits or eyes.view is None:
                raise Refused("message", "a spectator cannot attack")
            side = shown["seats"][self.ruleset.seats[eyes.view].name]["side"]
            return asked | page.odds_of(shown, side, said.origin, said.target, said.figures)

    def eyes_of_look(self, eyes: Eyes, said: Look) -> Eyes:
        """The view with which a client looks at an earlier position.

        Raises:
            Refused: there is no such view, it is not allowed, or the client has not seen this many actions
                yet.
        """
        if said.number > (number := self.shown(eyes.delay)):
            raise Refused("number", f"the table has {number} actions, not {said.number}")
        if said.eyes is None:
            return eyes._replace(sits=False)
        view = view_of_name(said.eyes, self.ruleset)
        if view != eyes.view and not self.over:
            raise Refused("eyes", "you may change the view only after the game")
        return eyes._replace(view=view, sits=False, delay=0 if self.over else eyes.delay)

    def look(self, eyes: Eyes, said: Look, here: set[int], seat: int | None) -> bytes:
        """The message with an earlier position, and the texts since ``after``, which must be ready.

        Args:
            eyes: the view from ``eyes_of_look``.
            said: the request.
            here: seats of connected people.
            seat: the seat of the client; None for a spectator.
        """
        number = said.number
        after = number if said.after is None else min(said.after, number)
        seen = self._sight(number, eyes)
        sitting = Eyes(seat, sits=True) if seat is not None else eyes
        frame = self._frame(sitting, number, here) | {"view": name_of_view(eyes.view, self.ruleset)}
        told = self._told(eyes.view, after, number, said.after is not None)
        nothing = {"hash": None, "dice": None, "undo": None, "after": after}
        return to_json({"type": "look", **frame, **seen, **nothing, **told})

    def _told(
        self, view: int | None, after: int, number: int, events: bool, hand: bool = False
    ) -> dict[str, Any]:
        new = self._stories.get(view, Story()).between(after, number)
        first = tell_hand(self.kind, self.ruleset, self.line.at(0), view) if hand and not after else []
        return {
            "told": [*first, *(sentence for each in new for sentence in each.sentences)],
            "events": [each.events for each in new if each.events is not None] if events else [],
        }

    def _frame(self, eyes: Eyes, number: int, here: set[int]) -> dict[str, Any]:
        """The players in the format of the protocol; only views without a delay show that a bot is stuck."""
        stuck = set() if eyes.delay and not self.over else self.stuck
        seats = [
            {
                **shown,
                "here": seat in here if shown["kind"] == PERSON else seat not in stuck,
                "called": self.meeting.names.get(shown["name"]) or None,
            }
            for seat, shown in enumerate(self._seats)
        ]
        return {
            "v": VERSION,
            "number": number,
            "ruleset": self.ruleset.title,
            "study": self.header.study,
            "own_dice": self.header.own_dice,
            "seat": self.ruleset.seats[eyes.view].name if eyes.sits and eyes.view is not None else None,
            "view": name_of_view(eyes.view, self.ruleset),
            "delay": eyes.delay,
            "seats": seats,
            "links": [link._asdict() for link in self.header.watch],
        }

    def study(self, eyes: Eyes) -> dict[str, str | None]:
        """The text that the analysis board opens for a viewer, and the seat whose information it contains.

        After the end, the text is the record. During the game, it is the position shown to the viewer,
        because a record contains the seed and all actions, which reveal all hidden information.

        Raises:
            Refused: the game is not over, and the table is not a study table or the viewer sees no hand.
        """
        if self.over:
            return {"text": self.record().to_json() + "\n", "eyes": None}
        if not self.header.study or self.kind.positions is None:
            raise Refused("early", "the analysis board opens this table after the game")
        if eyes.view is None or eyes.view == PUBLIC:
            raise Refused("early", "the analysis board opens this link after the game: it shows no hand")
        try:
            text = self.kind.positions.write(self.line.at(self.shown(eyes.delay)), eyes.view)
        except ValueError as error:
            raise Refused("early", str(error)) from None
        return {"text": text, "eyes": name_of_view(eyes.view, self.ruleset)}

    def record(self) -> GameRecord:
        """The game, finished or not, as a record; in a study game, names of players include the number of
        takebacks."""
        players = []
        for seat in self.ruleset.seats:
            player = self.header.seats[seat.name]
            if player == PERSON and self.header.study:
                times = sum(undo.study and undo.seat == seat.name for undo in self.undos)
                player = person_of_study(times)
            players.append(player)
        identities = [self.identities.get(seat.name, "") for seat in self.ruleset.seats]
        return dataclasses.replace(self.line.record(players, identities), ended=self.meeting.ended)


def _progress(line: Line) -> Progress:
    state = line.state
    return Progress(turn_of(state) or 0, int(state["winner"]) != GOING_ON)
