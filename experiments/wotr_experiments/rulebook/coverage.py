"""The coverage tables: the functions that implement each rule, the primitives of each card, and their tests.

A function implements a rule if its docstring or comments cite the id (``R7.4.2``, ``R7.4.1-R7.4.4``,
``R7.4.1-4``). A test tests a rule if its name or docstring cites the id (``test_R7_4_2_R7_4_3_one_elite``).
The ids and their short titles are in ``rule_ids.json``: chapters 2 to 14 of the rules, the rulings and the
golden examples. Those of the Duel (D5.3) and The Two Towers (TT2.4) are in ``rule_ids_of_games.json``.

An event card has two halves, each a program of primitives (``data/event_programs.toml``,
``data/combat_programs.toml``). Tests cite the id of a card in the same ways or in their parameters
(``@pytest.mark.parametrize("card", ["fp-char-01", ...])``). Parameters do not count for a test of a chapter
of the rules, where the card does not matter. Tests called ``test_combat...``, or in a module with such a
name, test the Combat half.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import json
import re
import string
import tokenize
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import wotr_env
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.cards.combat import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.games.war_of_the_ring.cards.events import EVENT_CONDITIONS, EVENT_OPS
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_NAMES, COMBAT_NAMES
from wotr_env.games.war_of_the_ring.data.combat_programs import OP, CombatOp
from wotr_env.games.war_of_the_ring.data.event_programs import Condition, Op

PACKAGE = Path(wotr_env.__file__).parent

_CARD = r"(?:fp|sh)-(?:char|strat)-\d\d"
_ID = rf"(?:R|D|TT)\d+(?:\.\d+)+|(?:RU|RG|GX)\d+|{_CARD}"
_CITATION = re.compile(rf"\b(?P<first>{_ID})(?:-(?P<last>{_ID}|\d+\b(?![.-])))?")
_CITING_COMMENT = re.compile(rf"#.*\b{_ID}")
_NAME_PART = re.compile(
    r"(?<![A-Za-z])(?:(?:R|D|TT)\d+(?:_\d+)+|(?:RU|RG|GX)\d+)|(?:fp|sh)_(?:char|strat)_\d\d"
)


def folder_of_rule_tests(
    package: Path = PACKAGE, here: Path = Path(__file__).parent, name: str = "war_of_the_ring/rules"
) -> Path:
    """The folder of the tests: in the source checkout, or the copy that an installed package contains.

    Args:
        package: the folder of ``wotr_env``.
        here: the folder with the installed tests.
        name: the name of the folder in ``tests/games``.
    """
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / "tests" / "games" / name
    return here / f"{Path(name).name}_tests"


TESTS = folder_of_rule_tests()


@dataclasses.dataclass(frozen=True)
class Coverage:
    """One row of the table."""

    id: str
    title: str
    functions: tuple[str, ...]
    """Names of functions, such as ``war_of_the_ring.rules.armies.controller``; the name of a module if the
    citation is outside functions."""
    tests: tuple[str, ...]
    """Names of tests, such as ``test_armies.py::test_R2_5_control``."""

    @property
    def missing(self) -> str:
        """Describes what an id of the rules lacks: a function or a test; empty if nothing is missing.

        A rule needs a function and a test; a ruling or a golden example needs a test.
        """
        lacks = []
        if not self.functions and self.id[:2] not in ("RU", "RG", "GX"):
            lacks.append("function")
        if not self.tests:
            lacks.append("test")
        return " and ".join(lacks)


@dataclasses.dataclass(frozen=True)
class CardCoverage:
    """One row of the table of the event cards."""

    id: str
    title: str
    conditions: tuple[str, ...]
    """The conditions for playing the event; words of ``event_programs.Condition``."""
    event: tuple[str, ...]
    """The operations of the event in order; words of ``event_programs.Op``."""
    combat_title: str
    combat: tuple[str, ...]
    """The effects of the Combat half in order; words of ``CombatOp``."""
    event_tests: tuple[str, ...]
    combat_tests: tuple[str, ...]

    @property
    def missing(self) -> str:
        """Names the halves without a test; empty if both have one."""
        halves = (("event", self.event_tests), ("combat", self.combat_tests))
        return " and ".join(f"{half} test" for half, tests in halves if not tests)


@functools.cache
def rule_titles() -> dict[str, str]:
    """The short title of every rule id, in the order of the rules."""
    return json.loads((Path(__file__).parent / "rule_ids.json").read_text(encoding="utf-8"))


@functools.cache
def rule_titles_of_games() -> dict[str, dict[str, str]]:
    """The short titles of the rule ids of each smaller game, by the name of the game."""
    text = (Path(__file__).parent / "rule_ids_of_games.json").read_text(encoding="utf-8")
    return json.loads(text)


def coverage_of_games(wanted: Collection[str] | None = None) -> list[Coverage]:
    """The table for the rules of the smaller games; ``wanted`` as for ``coverage``."""
    rows = []
    for game, titles in rule_titles_of_games().items():
        tests = folder_of_rule_tests(name=game.replace("-", "_"))
        rows += coverage(titles, tests=tests, wanted=wanted)
    return rows


def coverage(
    titles: dict[str, str],
    package: Path = PACKAGE,
    tests: Path = TESTS,
    wanted: Collection[str] | None = None,
) -> list[Coverage]:
    """The table for the given ids.

    Args:
        titles: all ids and their titles.
        package: folder whose modules implement the rules.
        tests: folder of the tests; one that does not exist gives no tests.
        wanted: the ids of the rows; None: all. Files that cite none of them are not parsed.
    """
    rows = titles if wanted is None else {name: titles[name] for name in titles if name in wanted}
    if not rows:
        return []
    functions: dict[str, set[str]] = {name: set() for name in rows}
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removeprefix("games.")
        for owner, name in _citations(path.read_text(encoding="utf-8"), rows):
            functions[name].add(f"{module}.{owner}" if owner else module)
    proofs: dict[str, set[str]] = {name: set() for name in rows}
    for path in sorted(tests.rglob("test_*.py")):
        for test, name in _tested(path.read_text(encoding="utf-8"), titles, rows):
            proofs[name].add(f"{path.relative_to(tests).as_posix()}::{test}")
    return [
        Coverage(name, title, tuple(sorted(functions[name])), tuple(sorted(proofs[name])))
        for name, title in rows.items()
    ]


def card_coverage(tests: Path = TESTS) -> list[CardCoverage]:
    """The table for the 96 event cards.

    Args:
        tests: folder of the tests; one that does not exist gives no tests.
    """
    proofs: dict[tuple[str, bool], set[str]] = {
        (card, half): set() for card in CARD_IDS for half in (False, True)
    }
    for path in sorted(tests.rglob("test_*.py")):
        by_parameter = not re.match(r"test_r\d\d_", path.name)
        for test, card in _tested(path.read_text(encoding="utf-8"), CARD_IDS, CARD_IDS, by_parameter):
            combat = test.startswith("test_combat") or path.name.startswith("test_combat")
            proofs[card, combat].add(f"{path.relative_to(tests).as_posix()}::{test}")
    return [
        CardCoverage(
            card,
            CARD_NAMES[number],
            tuple(_word(Condition(row[0])) for row in EVENT_CONDITIONS[number] if row[0]),
            _event_words(number),
            COMBAT_NAMES[number],
            tuple(_word(CombatOp(row[OP])) for row in COMBAT_PROGRAM[COMBAT_TITLE[number]] if row[OP]),
            tuple(sorted(proofs[card, False])),
            tuple(sorted(proofs[card, True])),
        )
        for number, card in enumerate(CARD_IDS)
    ]


def _word(code: Codes) -> str:
    return code.name.lower().replace("_", "-")


def _event_words(card: int) -> tuple[str, ...]:
    """The operations of an event; ``if`` is followed by the condition that it tests."""
    return tuple(
        f"if {_word(Condition(row[1]))}" if row[0] == Op.IF else _word(Op(row[0]))
        for row in EVENT_OPS[card]
        if row[0]
    )


def cited(text: str, known: Collection[str]) -> set[str]:
    """The known ids that a text cites, including ids in ranges."""
    return set(_cited(text).intersection(known))


@functools.cache
def _cited(text: str) -> frozenset[str]:
    """The ids that a text cites, known or not: the text is searched once for the rules of all games."""
    ids: set[str] = set()
    for match in _CITATION.finditer(text):
        first, last = match["first"], match["last"]
        ids.add(first)
        if last:
            ids.update(_range(first, last))
    return frozenset(ids)


def named(test: str, known: Collection[str]) -> set[str]:
    """The known ids in the name of a test. Digits after an id that belong to the following words are not part
    of the id."""
    ids = set()
    for part in _NAME_PART.findall(test):
        name = part.replace("_", "-" if part[:2] in ("fp", "sh") else ".")
        while name not in known and "." in name:
            name = name.rpartition(".")[0]
        ids.add(name)
    return ids.intersection(known)


def _range(first: str, last: str) -> Iterator[str]:
    """The ids of a range in the same group: R7.4.1 to R7.4.4, GX1 to GX5."""
    stem = first.rstrip(string.digits)
    if last.isdigit():
        last = stem + last
    if last.startswith(stem) and last[len(stem) :].isdigit():
        width = len(first) - len(stem) if first[len(stem)] == "0" else 0
        for number in range(int(first[len(stem) :]), int(last[len(stem) :]) + 1):
            yield f"{stem}{number:0{width}}"
    else:
        yield last


def _citations(source: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs (qualified function name or "", id) of the docstrings and comments of a module."""
    if not cited(source, known):  # parsing takes longer than all else
        return
    for owner, text in _prose_by_owner(source):
        for name in cited(text, known):
            yield owner, name


@functools.cache
def _prose_by_owner(source: str) -> list[tuple[str, str]]:
    """The docstrings and comments of a module, each after the qualified name of its function or ""."""
    tree = ast.parse(source)
    owners = _owners(tree)
    return [(owners.get(line, ""), text) for line, text in _prose(source, tree)]


def _tested(
    source: str, known: Collection[str], wanted: Collection[str], by_parameter: bool = False
) -> Iterator[tuple[str, str]]:
    """Pairs (test name, wanted id) of a test module; ``by_parameter`` also counts ids in decorators."""
    if not by_parameter and not (cited(source, wanted) or named(source, known).intersection(wanted)):
        return
    for test, docstring, parameters in _tests(source):
        texts = (docstring, *(parameters if by_parameter else ()))
        ids = named(test, known).intersection(wanted)
        for name in ids.union(*(cited(text, wanted) for text in texts)):
            yield test, name


@functools.cache
def _tests(source: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """The tests of a module: their names, docstrings, and the texts in their decorators."""
    return [
        (node.name, ast.get_docstring(node) or "", tuple(_parameters(node)))
        for node in statements(ast.parse(source).body)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements and those inside them; ``ast.walk`` visits expressions too, which takes long."""
    for node in nodes:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, ()))


def _parameters(test: ast.FunctionDef) -> Iterator[str]:
    """The texts in the decorators of a test; ``cards("fp-char", 1, 2)`` stands for two ids."""
    for decorator in test.decorator_list:
        for node in ast.walk(decorator):
            match node:
                case ast.Constant(value=str() as text):
                    yield text
                case ast.Call(args=[ast.Constant(value=str() as deck), *numbers]):
                    for number in numbers:
                        match number:
                            case ast.Constant(value=int() as place):
                                yield f"{deck}-{place:02}"


def _owners(tree: ast.Module) -> dict[int, str]:
    """The innermost function or class of each line; decorators belong to it."""
    owners: dict[int, str] = {}

    def visit(nodes: Iterable[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                for line in range(first, (node.end_lineno or first) + 1):
                    owners[line] = prefix + node.name
                visit(node.body, f"{prefix}{node.name}.")

    visit(tree.body, "")
    return owners


def _prose(source: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, each with a line that determines the function to which they belong.

    A block of comments directly above a function belongs to the function. Comments are left out of a source
    where none cites an id: finding them takes long.
    """
    for node in statements(tree.body):
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield node.lineno, text
    if not _CITING_COMMENT.search(source):
        return
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if token.line.lstrip().startswith("#"):
                line = _after_comments(lines, line)
            yield line, token.string


def _after_comments(lines: list[str], line: int) -> int:
    """The line (from 1) after a block of comments if a function starts there; otherwise ``line``."""
    below = line
    while below < len(lines) and lines[below].lstrip().startswith("#"):
        below += 1
    starts = below < len(lines) and lines[below].lstrip().startswith(("def ", "class ", "@"))
    return below + 1 if starts else line
