"""The answers of the server to requests of the analysis board. The page holds its lines; the server stores
none.

The page sends the whole line, its start and its actions, with every request. Recent lines are cached, so that
a further step is fast. All work is done in one separate thread.
"""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wotr_agents.registry import CHANCE
from wotr_env.core.codes import GOING_ON
from wotr_env.core.errors import IllegalAction, RecordError
from wotr_env.core.kind import GameKind
from wotr_env.core.values import check_seed
from wotr_env.play.game_text import OPENS, turn_of
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments import games
from wotr_experiments.chance import new_seed
from wotr_experiments.table import bot_process
from wotr_experiments.table.analysis_board.messages import (
    MOST_ACTIONS,
    MOST_BYTES,
    AdviceRequest,
    CheckRequest,
    Open,
    OutlineRequest,
    PositionRequest,
    RecordRequest,
    SetupRequest,
    Start,
    TextsRequest,
    game_of,
)
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.line import Line
from wotr_experiments.table.messages import Refused, read_json, refusing, to_json
from wotr_experiments.table.requests import read_body
from wotr_experiments.table.viewer_messages import board_of, choice, sight, tell
from wotr_experiments.table.viewers import Eyes, form_of_name
from wotr_experiments.table.workers import BotFailed, Workers

TOLD_AT_ONCE = 200
"""Maximal number of actions whose effects are described in one answer; each takes about two milliseconds."""
_LINES = 12
"""Maximal number of cached lines; a long game takes half a megabyte."""
_WAITING = 40
"""Maximal number of requests that wait for the thread."""
_ASKING = 20
"""Maximal number of simultaneous requests to bots."""
_PER_SECOND = 200.0
_GONE = 0.5
"""Seconds between checks whether a page is still waiting for a bot."""
_GRACE = 2.0
"""Seconds until the process of a bot is ended after the last page has stopped waiting for it."""

_Answer = TypeVar("_Answer")


class _Known(NamedTuple):
    start: Start
    line: Line


class AnalysisBoard:
    """Answers requests of the analysis board.

    Args:
        workers: processes for the bots.
        check_bot: returns the meaning of a bot's values; raises Refused for a bot that is not allowed.
    """

    def __init__(self, workers: Workers, check_bot: Callable[[str, GameKind], str]) -> None:
        self._workers = workers
        self._check_bot = check_bot
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="study")
        self._waiting = 0
        self._rate = Rate(_PER_SECOND, 2 * _PER_SECOND)
        self._known: collections.deque[_Known] = collections.deque(maxlen=_LINES)
        self._asking = 0
        self._bots = asyncio.Semaphore(max(1, workers.number - 1))

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def call(self, answer: Callable[[Any], _Answer], asked: Any) -> _Answer:
        """Computes an answer in the thread.

        Raises:
            Refused: the request is invalid, or there are too many requests.
        """
        if self._waiting >= _WAITING or not self._rate.take():
            raise Refused("full", "the server is busy; try again")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, answer, asked)
        finally:
            self._waiting -= 1

    # --- Answers, in the thread. ---

    def opened(self, asked: Open) -> dict[str, Any]:
        """The start and the actions of a record or an empty game, and its board."""
        if asked.record is None:
            kind = _kind(asked.game)
            with refusing((TypeError, ValueError)):
                ruleset = kind.find_ruleset(asked.ruleset)
            seed = int(asked.seed) if asked.seed is not None else new_seed()
            actions, players, text, ended = (), ("",) * len(ruleset.seats), "", None
            played, tapes = [], []
        else:
            record = _read_record(asked.record)
            kind, ruleset, seed, text = record.kind, record.ruleset, record.seed, record.position
            actions, players = record.actions, record.players
            ended = None if record.ended is None else record.ended.words(kind, ruleset)
            tapes = [(number, list(tape)) for number, tape in record.tapes]
            played = list(actions) if tapes else []
        start = Start(ruleset.to_dict(), str(seed), kind.name, None, text, played, tapes)
        line = self._line(start, actions)
        return {
            "start": start,
            "actions": actions,
            "players": players,
            "ended": ended,
            "board": board_of(kind, ruleset),
            **_outline(line),
        }

    def outline(self, asked: OutlineRequest) -> dict[str, Any]:
        """An outline of the line: its marks, openings and result."""
        line = self._line(asked.start, asked.actions)
        board = {"board": board_of(line.kind, line.ruleset)} if asked.board else {}
        return {**board, **_outline(line)}

    def position(self, asked: PositionRequest) -> dict[str, Any]:
        """A position in a chosen view, with the effects of the last actions."""
        line = self._line(asked.start, asked.actions)
        number = _check_number(asked.number, line)
        viewer = _viewer(line, asked.eyes)
        state = line.at(number)
        over = int(state["winner"]) != GOING_ON
        seat = int(state["seat"])
        after = number if asked.after is None else max(asked.after, number - TOLD_AT_ONCE)
        return {
            "number": number,
            "eyes": asked.eyes,
            "asks": None if over else line.ruleset.seats[seat].name,
            **sight(line.kind, line.ruleset, state, Eyes(viewer, sits=True, form=form_of_name(asked.form))),
            **_told(line, after, number, viewer, events=True),
        }

    def told(self, asked: TextsRequest) -> dict[str, Any]:
        """Sentences about the next actions after a number of actions."""
        line = self._line(asked.start, asked.actions)
        after = _check_number(asked.after, line)
        number = min(line.number, after + TOLD_AT_ONCE)
        return {"number": number, **_told(line, after, number, _viewer(line, asked.eyes), events=False)}

    def record(self, asked: RecordRequest) -> str:
        """The line as a record."""
        line = self._line(asked.start, asked.actions)
        seats = len(line.ruleset.seats)
        players = asked.players if len(asked.players) == seats else [""] * seats
        with refusing(RecordError):
            return line.record(players).to_json() + "\n"

    def notation(self, asked: PositionRequest) -> dict[str, Any]:
        """A position as text, in a chosen view."""
        line = self._line(asked.start, asked.actions)
        number, viewer = _check_number(asked.number, line), _viewer(line, asked.eyes)
        if line.kind.positions is None:
            raise Refused("message", f"{line.kind.title} has no text form of positions")
        return {"text": line.kind.positions.write(line.at(number), viewer)}

    def setup(self, asked: SetupRequest) -> dict[str, Any]:
        """A start from an editable position."""
        line = self._line(asked.start, asked.actions)
        with refusing():
            position = _page(line.kind).setup_of(line.at(_check_number(asked.number, line)))
        start = asked.start
        return {"start": Start(start.ruleset, start.seed, start.game, position)}

    def check(self, asked: CheckRequest) -> dict[str, Any]:
        """Checks an edited position: its picture, or a one-line error."""
        kind = _kind(asked.start.game)
        _page(kind)
        try:
            line = self._line(asked.start, [])
        except Refused as refused:
            return {"why": refused.text, "picture": None}
        assert kind.picture is not None
        return {"why": None, "picture": kind.picture(line.state, None)}

    def thought_of(self, asked: AdviceRequest) -> tuple[Line, list[tuple[int, np.record, int | None]]]:
        """The positions to evaluate, for a bot: each with its number, its state, and the played action."""
        line = self._line(asked.start, asked.actions)
        found = []
        for number in asked.numbers:
            state = line.at(_check_number(number, line))
            if int(state["winner"]) == GOING_ON:
                played = line.actions[number] if number < line.number else None
                found.append((number, state, played))
        return line, found

    def _line(self, start: Start, actions: Sequence[int]) -> Line:
        """The line, extended from the cached line with the longest common start."""
        actions = list(actions)
        best, common = None, -1
        for known in self._known:
            if known.start == start and (shared := _shared(known.line.actions, actions)) > common:
                best, common = known, shared
        if best is not None and common == best.line.number == len(actions):
            return best.line
        if best is None:
            line = _begin(start)
        else:
            line = best.line.copy() if common == best.line.number else best.line.shortened(common)
        tapes, as_played = dict(start.tapes), _shared(start.played, actions)
        for number, action in enumerate(actions[line.number :], start=line.number + 1):
            given = tapes.get(number - 1, ()) if number <= as_played else ()
            try:
                line.step(action, given)
            except IllegalAction:
                raise Refused("illegal", f"action number {number}, {action}, is not legal") from None
            except ValueError as error:  # the outcomes given to it do not fit
                raise Refused("illegal", f"action number {number}, {action}: {error}") from None
        if best is not None and common == best.line.number:
            self._known.remove(best)
        self._known.append(_Known(start, line))
        return line

    # --- Bots. ---

    async def advice(self, asked: AdviceRequest, gone: Callable[[], Any]) -> dict[str, Any]:
        """A bot's advice for positions; when the page stops waiting, positions not yet started are skipped.

        Raises:
            Refused: the bot is not allowed, or failed.
        """
        kind = _kind(asked.start.game)
        values = self._check_bot(asked.bot, kind)
        if self._asking >= _ASKING:
            raise Refused("full", "too many bots are running; try again")
        line, positions = await self.call(self.thought_of, asked)
        answers = []
        self._asking += 1
        try:
            async with self._bots:
                for number, state, played in positions:
                    if await gone():
                        break
                    arguments = (kind.name, asked.bot, state.tobytes(), played)
                    tried = await self._patiently(self._workers.call(bot_process.review, *arguments), gone)
                    answers.append(_advice(line, number, state, played, tried))
        except BotFailed as error:
            raise Refused("bot", f"{asked.bot} failed: {error}") from None
        finally:
            self._asking -= 1
        return {"bot": asked.bot, "values": values, "chances": values == CHANCE, "answers": answers}

    async def _patiently(self, call: Any, gone: Callable[[], Any]) -> Any:
        """Calls a bot and returns the result; ends the call if no page waits for it any more."""
        task = asyncio.ensure_future(call)
        try:
            while not (await asyncio.wait({task}, timeout=_GONE))[0]:
                if await gone():
                    await asyncio.wait({task}, timeout=_GRACE)
                    break
            if not task.done():
                raise Refused("bot", "the answer is no longer needed")
            return task.result()
        finally:
            task.cancel()


def _kind(name: str) -> GameKind:
    with refusing():
        return game_kind(name)


def _read_record(text: str) -> GameRecord:
    """Reads a record from a line of JSON, a game as text, or a position, which is a game without actions."""
    with refusing(RecordError):
        if text.startswith(OPENS):
            records = GameRecord.from_text(text)
            if len(records) != 1:
                raise Refused("message", f"it contains {len(records)} games; you can open one at a time")
            record = records[0]
        elif ":" not in text or text.startswith("{"):
            record = GameRecord.from_json(text)
        else:
            record = _position_record(text)
        if len(record.actions) > MOST_ACTIONS:
            raise Refused("size", f"a line may have at most {MOST_ACTIONS} actions")
        record.verify()
    return record


def _position_record(text: str) -> GameRecord:
    kind = _kind(text.partition(":")[0].strip() or DEFAULT_GAME)
    if kind.positions is None:
        raise Refused("message", f"{kind.title} has no text form of positions")
    with refusing():
        return GameRecord.from_game(kind.positions.read(text, None, None))


def _begin(start: Start) -> Line:
    kind = _kind(start.game)
    with refusing((TypeError, ValueError)):
        ruleset, seed = kind.ruleset.from_dict(start.ruleset), check_seed(int(start.seed))
        if start.text and start.position is None:
            game = _position_record(start.text).begun()
            return Line(kind, game.ruleset, seed, start=game.state)
        if start.position is None:
            return Line(kind, ruleset, seed)
        kind.kernels.prepare()
        return Line(kind, ruleset, seed, start=_page(kind).position_from(start.position, ruleset, seed))


def _page(kind: GameKind) -> games.OwnPage:
    if (page := games.page_of(kind)) is None:
        raise Refused("message", f"positions of {kind.title} cannot be set up by hand")
    return page


def _shared(one: list[int], other: list[int]) -> int:
    """The length of the common start of two lines."""
    least = min(len(one), len(other))
    if one[:least] == other[:least]:
        return least
    low, high = 0, least
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle)
    return low


def _check_number(number: int, line: Line) -> int:
    if number > line.number:
        raise Refused("number", f"the line has {line.number} actions, not {number}")
    return number


def _viewer(line: Line, eyes: str | None) -> int | None:
    names = [seat.name for seat in line.ruleset.seats]
    if eyes is not None and eyes not in names:
        raise Refused("message", f"eyes must be null or one of {', '.join(names)}, not {eyes!r}")
    return None if eyes is None else names.index(eyes)


def _told(line: Line, after: int, number: int, viewer: int | None, events: bool) -> dict[str, Any]:
    found = [
        tell(line.kind, line.ruleset, line.before(each), line.actions[each], each + 1, viewer)
        for each in range(after, number)
    ]
    told: dict[str, Any] = {"told": [sentence for each in found for sentence in each.sentences]}
    if events:
        told["events"] = [each.events for each in found if each.events is not None]
    return told


def _outline(line: Line) -> dict[str, Any]:
    seats = line.ruleset.seats
    page = games.page_of(line.kind)
    find_marks = None if page is None else page.marks()
    marks: list[dict[str, Any]] = []
    openings: list[int] = []
    for number, state in enumerate(line.states()):
        if int(state["winner"]) == GOING_ON and line.kind.opens(state):
            openings.append(number)
        if find_marks is not None:
            marks += [{"number": number, "kind": kind} for kind in find_marks(state)]
    return {
        "title": line.ruleset.title,
        "seats": [
            {"name": seat.name, "title": seat.title, "team": line.kind.teams[seat.team].name}
            for seat in seats
        ],
        "teams": [{"name": team.name, "title": team.title} for team in line.kind.teams_of(line.ruleset)],
        "number": line.number,
        "deciders": "".join(map(str, line.deciders)),
        "turn": turn_of(line.at(0)) or 1,
        "marks": marks,
        "openings": openings,
        "result": None if line.result is None else line.result.to_dict(),
    }


def _advice(
    line: Line, number: int, state: np.record, played: int | None, tried: list[tuple[int, float | None]]
) -> dict[str, Any]:
    def shown(action: int, value: float | None) -> dict[str, Any]:
        return {**choice(line.kind, state, action), "value": value}

    values = dict(tried)
    seat = line.ruleset.seats[int(state["seat"])]
    return {
        "number": number,
        "seat": seat.name,
        "team": line.kind.teams[seat.team].name,
        "actions": [shown(*each) for each in tried[: bot_process.BEST]],
        "played": None if played is None else shown(played, values.get(played)),
    }


# --- Over HTTP. ---


def board_routes() -> list[BaseRoute]:
    """The routes for the page."""
    return [
        _route("open", Open, AnalysisBoard.opened),
        _route("line", OutlineRequest, AnalysisBoard.outline),
        _route("position", PositionRequest, AnalysisBoard.position),
        _route("notation", PositionRequest, AnalysisBoard.notation),
        _route("told", TextsRequest, AnalysisBoard.told),
        _route("record", RecordRequest, AnalysisBoard.record),
        _route("setup", SetupRequest, AnalysisBoard.setup),
        _route("check", CheckRequest, AnalysisBoard.check),
        Route("/api/study/advice", _advise, methods=["POST"]),
    ]


def _route(name: str, asked: type[Any], answer: Callable[[AnalysisBoard, Any], Any]) -> Route:
    async def respond(request: Request) -> Response:
        study: AnalysisBoard = request.app.state.study
        wanted = read_json(asked, await read_body(request, MOST_BYTES))
        await request.app.state.preparing.ready(game_of(wanted))
        found = await study.call(lambda wanted: _encoded(answer(study, wanted)), wanted)
        return Response(found, media_type="application/json")

    return Route(f"/api/study/{name}", respond, methods=["POST"])


def _encoded(found: Any) -> bytes:
    return found.encode() if isinstance(found, str) else to_json(found)


async def _advise(request: Request) -> Response:
    study: AnalysisBoard = request.app.state.study
    asked = read_json(AdviceRequest, await read_body(request, MOST_BYTES))
    await request.app.state.preparing.ready(game_of(asked))
    return Response(
        to_json(await study.advice(asked, request.is_disconnected)), media_type="application/json"
    )
