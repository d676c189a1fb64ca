"""The people at a table, and their actions other than playing: names, resignations, draw offers, chat, and
the clock."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wotr_env.core.kind import GameKind
from wotr_env.play.early_ends import AGREED, OUT_OF_TIME, RESIGNED, EarlyEnd
from wotr_experiments.persons import PERSON
from wotr_experiments.table.clocks import Clock, ClockRule
from wotr_experiments.table.messages import Refused
from wotr_experiments.table.viewers import Eyes

MOST_OF_NAME = 24
"""Maximal length of a person's name."""
MOST_OF_LINE = 300
"""Maximal length of a line of chat."""
MOST_LINES = 500
"""Maximal number of lines of chat at a table."""
LINES_SHOWN = 100
PATIENCE = 10
"""Number of actions after which a seat may offer a draw again."""

OFF, SEATS, ALL = "off", "seats", "all"
CHATS = (OFF, SEATS, ALL)
"""The readers of the chat: nobody, the seats, or the seats and spectators."""

DRAW, RESIGN, AGREE, REFUSE, TIME, SAID, REMATCH, TAKEN, SAT, LEFT = (
    "draw",
    "resign",
    "agree",
    "refuse",
    "time",
    "said",
    "rematch",
    "taken",
    "sat",
    "left",
)
OF_SEATS = (TAKEN, SAT, LEFT)
"""Deeds at a seat of the lobby: a person took the seat, was connected for the first time, or released the
seat."""


class Options(NamedTuple):
    """Settings of a table that do not concern the rules."""

    clock: ClockRule | None = None
    chat: str = OFF
    lobby: tuple[str, ...] = ()
    """The seats that anybody may take from the list of tables."""

    def to_dict(self) -> dict[str, Any]:
        """The options for JSON."""
        return {"clock": self.clock, "chat": self.chat, "lobby": self.lobby}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Options:
        """The inverse of ``to_dict``."""
        clock = values["clock"]
        lobby = tuple(map(str, values["lobby"]))
        return cls(None if clock is None else ClockRule(*map(float, clock)), str(values["chat"]), lobby)


class SocialAction(NamedTuple):
    """An action of a seat other than playing."""

    kind: str
    seat: str
    number: int
    """The number of actions before the deed."""
    about: int = 0
    """The serial number of the proposal that the deed answers."""
    text: str = ""


class Proposal(NamedTuple):
    """An open proposal of a draw or, within a team, of a resignation."""

    serial: int
    kind: str
    seat: int
    waits: frozenset[int]
    """The seats that have to agree."""


class Line(NamedTuple):
    """A sentence about a deed."""

    number: int
    seat: str
    text: str
    team: int | None = None
    """The team whose members may read the line; None: everybody."""


class StoredSocialState(NamedTuple):
    """The stored data of a meeting."""

    options: Options = Options()
    deeds: Sequence[SocialAction] = ()
    names: Mapping[str, str] = {}
    clock: str = ""
    times: Mapping[int, float] = {}


class SocialState:
    """The people and bots of a table, and their agreements.

    Args:
        kind: the game.
        ruleset: the ruleset of the game.
        seats: for each seat, by name, ``person`` or the spec of a bot.
        kept: the stored earlier deeds; None: there are none.
        clock: the clock of the table; None: there is none.

    Raises:
        ValueError: a deed is damaged.
    """

    def __init__(
        self,
        kind: GameKind,
        ruleset: Any,
        seats: Mapping[str, str],
        kept: StoredSocialState | None = None,
        clock: Clock | None = None,
    ) -> None:
        kept = kept or StoredSocialState()
        self.options = kept.options
        self.clock = clock
        self.names = dict(kept.names)
        """Names of people, by names of their seats."""
        self.times = dict(kept.times)
        """At a table with a clock: the seconds used for each action, by its number."""
        self.ended: EarlyEnd | None = None
        self.rematch: str | None = None
        """The id of the next table of these people, followed by ``swapped`` if they have changed sides
        there."""
        self.chat: list[dict[str, Any]] = []
        self.proposals: list[Proposal] = []
        self.lines: list[Line] = []
        self.taken: dict[str, bool] = {}
        """The seats of the lobby that a person has taken, each with whether this person has ever been
        connected."""
        self.count = 0
        """The number of deeds."""
        self._kind, self._ruleset = kind, ruleset
        self._seats = [seat.name for seat in ruleset.seats]
        self._titles = [seat.title for seat in ruleset.seats]
        self._teams = [seat.team for seat in ruleset.seats]
        self._people = [seats[name] == PERSON for name in self._seats]
        self._offered: dict[int, int] = {}
        for deed in kept.deeds:
            self.add(deed)

    @property
    def people(self) -> set[int]:
        """The seats of people."""
        return {seat for seat, person in enumerate(self._people) if person}

    # --- What a seat may do. Each returns the deed to store. ---

    def resign(self, seat: int, number: int) -> SocialAction:
        """Returns the deed with which a seat resigns, or proposes this to its partners; partners who are
        people must agree.

        Raises:
            Refused: the seat has already proposed this.
        """
        if any(each.kind == RESIGN and each.seat == seat for each in self.proposals):
            raise Refused("offer", "your partners have not yet agreed to resign")
        if other := next((p for p in self.proposals if p.kind == RESIGN and seat in p.waits), None):
            return SocialAction(AGREE, self._seats[seat], number, other.serial)
        return SocialAction(RESIGN, self._seats[seat], number)

    def offer(self, seat: int, number: int) -> SocialAction:
        """Returns the deed with which a seat offers a draw.

        Raises:
            Refused: a draw is already offered, or the seat has offered one a short time ago.
        """
        if any(each.kind == DRAW for each in self.proposals):
            raise Refused("offer", "a draw has already been offered; answer this offer")
        if seat in self._offered and (wait := self._offered[seat] + PATIENCE - number) > 0:
            raise Refused("offer", f"you may offer a draw again after {wait} more actions")
        return SocialAction(DRAW, self._seats[seat], number)

    def answer(self, seat: int, serial: int, agree: bool, number: int) -> SocialAction:
        """Returns the deed with which a seat answers a proposal, or withdraws its own.

        Raises:
            Refused: there is no such proposal, or it does not concern the seat.
        """
        proposal = next((each for each in self.proposals if each.serial == serial), None)
        if proposal is None or (seat not in proposal.waits and (agree or seat != proposal.seat)):
            raise Refused("offer", "there is no such offer for you any more")
        return SocialAction(AGREE if agree else REFUSE, self._seats[seat], number, serial)

    def say(self, seat: int, text: str, number: int) -> SocialAction:
        """Returns the deed with which a seat writes in the chat.

        Raises:
            Refused: there is no chat at this table, the chat is full, or the text is empty or too long.
        """
        if self.options.chat == OFF:
            raise Refused("chat", "there is no chat at this table")
        if len(self.chat) >= MOST_LINES:
            raise Refused("chat", f"the chat of this table is full: {MOST_LINES} lines")
        if not (said := clean(text, MOST_OF_LINE, "a line of chat")):
            raise Refused("chat", "a line of chat is empty")
        return SocialAction(SAID, self._seats[seat], number, text=said)

    # --- What follows from deeds. ---

    def add(self, deed: SocialAction) -> None:
        """Adds a deed (an act of a person, such as a resignation or an offer).

        Raises:
            ValueError: there is no such seat or kind of deed.
        """
        self.count += 1
        seat = self._seats.index(deed.seat)
        if deed.kind == SAID:
            self.chat.append({"number": deed.number, "seat": deed.seat, "text": deed.text})
        elif deed.kind == REMATCH:
            self.rematch = deed.text
        elif deed.kind in OF_SEATS:
            self.taken = taken_seats([(deed.kind, deed.seat)], self.taken)
        elif deed.kind == TIME:
            self._end(EarlyEnd(OUT_OF_TIME, seat), deed)
        elif deed.kind == DRAW:
            self._offered[seat] = deed.number
            others = frozenset(range(len(self._seats))) - {seat}
            self._propose(Proposal(self.count, DRAW, seat, others), deed, "offers a draw")
        elif deed.kind == RESIGN:
            proposal = Proposal(self.count, RESIGN, seat, self._partners(seat))
            self._propose(proposal, deed, "proposes to resign")
        elif deed.kind in (AGREE, REFUSE):
            self._answered(seat, deed)
        else:
            raise ValueError(f"unknown deed {deed.kind!r}")

    def ends(self, deed: SocialAction) -> bool:
        """Whether a deed would end the game."""
        seat = self._seats.index(deed.seat)
        if deed.kind == AGREE:
            return any(each.serial == deed.about and each.waits == {seat} for each in self.proposals)
        return deed.kind == TIME or (deed.kind == RESIGN and not self._partners(seat))

    def shorten(self, number: int) -> None:
        """Drops the times of all actions after the first ``number``. Deeds after these actions are from now
        on deeds after the first ``number``."""
        self.times = {at: seconds for at, seconds in self.times.items() if at <= number}
        self.lines = [line._replace(number=min(line.number, number)) for line in self.lines]
        self.chat = [said | {"number": min(said["number"], number)} for said in self.chat]
        self._offered = {seat: min(at, number) for seat, at in self._offered.items()}

    def _partners(self, seat: int) -> frozenset[int]:
        """The people of the same team."""
        return frozenset(each for each in self.people if self._teams[each] == self._teams[seat]) - {seat}

    def _propose(self, proposal: Proposal, deed: SocialAction, words: str) -> None:
        if proposal.waits:
            self.proposals.append(proposal)
            self._tell(deed, words, proposal)
        else:
            self._settle(proposal, deed)

    def _answered(self, seat: int, deed: SocialAction) -> None:
        proposal = next((each for each in self.proposals if each.serial == deed.about), None)
        if proposal is None:
            raise ValueError(f"there is no proposal {deed.about}")
        self.proposals.remove(proposal)
        what = "the draw" if proposal.kind == DRAW else "to resign"
        if deed.kind == REFUSE:
            words = f"declines {what}" if seat != proposal.seat else "withdraws the offer"
            self._tell(deed, words, proposal)
            return
        proposal = proposal._replace(waits=proposal.waits - {seat})
        self._tell(deed, "agrees to a draw" if proposal.kind == DRAW else "agrees to resign", proposal)
        if proposal.waits:
            self.proposals.append(proposal)
        else:
            self._settle(proposal, deed)

    def _settle(self, proposal: Proposal, deed: SocialAction) -> None:
        draw = proposal.kind == DRAW
        self._end(EarlyEnd(AGREED) if draw else EarlyEnd(RESIGNED, proposal.seat), deed)

    def _end(self, ended: EarlyEnd, deed: SocialAction) -> None:
        self.ended, self.proposals = ended, []
        self.lines.append(Line(deed.number, deed.seat, self.words or ""))

    def _tell(self, deed: SocialAction, words: str, proposal: Proposal) -> None:
        seat = self._seats.index(deed.seat)
        team = None if proposal.kind == DRAW else self._teams[proposal.seat]
        self.lines.append(Line(deed.number, deed.seat, f"{self._titles[seat]} {words}", team))

    @property
    def words(self) -> str | None:
        """Describes how people ended the game; None if they did not end it."""
        return None if self.ended is None else self.ended.words(self._kind, self._ruleset)

    def draw_waits_for(self, seat: int) -> Proposal | None:
        """The draw offer that a seat has to answer."""
        return next((each for each in self.proposals if each.kind == DRAW and seat in each.waits), None)

    # --- What a viewer is told. ---

    def shown(self, eyes: Eyes, number: int, after: int, late: bool) -> dict[str, Any]:
        """The fields of ``state`` about people.

        Args:
            eyes: the view.
            number: the number of actions before the shown position.
            after: the number of actions whose times the viewer knows.
            late: whether the viewer sees the table with a delay; then the fields contain no present
                information.
        """
        team = self._teams[eyes.view] if eyes.sits and eyes.view is not None else None
        seen = [each for each in self.proposals if each.kind == DRAW or self._teams[each.seat] == team]
        lines = [line for line in self.lines if line.team in (None, team) and line.number <= number]
        return {
            "proposals": [
                {
                    "id": each.serial,
                    "kind": each.kind,
                    "seat": self._seats[each.seat],
                    "waits": [self._seats[seat] for seat in sorted(each.waits)],
                }
                for each in ([] if late else seen)
            ],
            "deeds": [{"number": each.number, "seat": each.seat, "text": each.text} for each in lines],
            "clock": None if self.clock is None or late else self.clock.shown(self._seats),
            "times": [
                {"number": at, "seconds": round(seconds, 1)}
                for at, seconds in sorted(self.times.items())
                if after < at <= number
            ],
            "chat": self.options.chat if self.may_read(eyes, late) else OFF,
            "rematch": None if self.rematch is None else self.rematch.partition(" ")[0],
        }

    def may_read(self, eyes: Eyes, late: bool) -> bool:
        """Whether a viewer reads the chat."""
        return self.options.chat == ALL and not late if not eyes.sits else self.options.chat != OFF

    def end_for(self, eyes: Eyes) -> dict[str, Any]:
        """The end of the game by people: the fields ``result``, ``ending`` and ``verdict`` of the
        protocol."""
        assert self.ended is not None
        winner = self._kind.winner_name(self.ended.winner(self._kind, self._ruleset))
        winners = self.ended.winning_seats(self._kind, self._ruleset)
        verdict = None
        if eyes.sits and eyes.view is not None:
            lost = "Nobody has won" if not winners else "You have lost"
            verdict = "You have won" if eyes.view in winners else lost
        return {
            "result": {
                "winner": winner,
                "reason": self.ended.reason,
                "seats": [self._seats[seat] for seat in winners],
            },
            "ending": self.words,
            "verdict": verdict,
        }


def taken_seats(deeds: Iterable[tuple[str, str]], before: Mapping[str, bool] = {}) -> dict[str, bool]:
    """The value of ``SocialState.taken`` after deeds of ``OF_SEATS``, each given as its kind and its seat."""
    taken = dict(before)
    for kind, seat in deeds:
        if kind == LEFT:
            taken.pop(seat, None)
        else:
            taken[seat] = kind == SAT
    return taken


def clean(text: str, most: int, what: str) -> str:
    """A text of a person in one line, without invisible characters and without characters that change the
    direction of the text.

    Raises:
        Refused: the text is too long.
    """
    seen = "".join(
        " " if each.isspace() else each
        for each in unicodedata.normalize("NFC", text)
        if each.isspace() or unicodedata.category(each)[0] != "C"
    )
    said = " ".join(seen.split())
    if len(said) > most:
        raise Refused("message", f"{what} has at most {most} characters")
    return said
