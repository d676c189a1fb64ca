"""Error messages for wrong command lines, instead of those of typer and pydantic."""

from __future__ import annotations

import re
from typing import Any

import typer

_EXPECTED = {
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number with fewer digits",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_parsing": "true or false",
    "greater_than_equal": "at least {ge:,}",
    "greater_than": "above {gt:,}",
    "less_than_equal": "at most {le:,}",
    "less_than": "below {lt:,}",
}
"""The expected value, by pydantic's name of the error."""
_REWORDED = (
    (r"^No such command '(.*?)'\.(?: Did you mean '(.*)'\?)?", r"there is no command \1", "did you mean {}?"),
    (r"^Got unexpected extra argument(?:\(s\)|s)? \((.*)\)", r"unexpected argument \1", ""),
    (r"^Option '(.*)' requires an argument", r"\1 needs a value", ""),
    (r"^Option '(.*)' requires (\d+) arguments", r"\1 needs \2 values", ""),
    (r"^Option '(.*)' does not take a value", r"\1 takes no value", ""),
)
"""Messages of typer, our messages, and an addition if there is a similar name."""
_CHOICE = re.compile(r"'(.*)' is not one of (.*?)\.?$")
_NO_NUMBER = re.compile(r"could not convert string to float: '?(.*?)'?$")


def usage_words(error: typer.TyperException) -> str:
    """A one-line message about a wrong command line."""
    found: Any = error
    name = getattr(found, "option_name", "")
    if name and hasattr(found, "possibilities"):
        close = ", ".join(sorted(found.possibilities or ()))
        return f"there is no option {name}" + (f"; did you mean {close}?" if close else "")
    if isinstance(error, typer.BadParameter):
        return _of_value(found)
    text = error.format_message()
    for pattern, ours, addition in _REWORDED:
        if match := re.search(pattern, text):
            close = match.groups()[-1] if addition else None
            return match.expand(ours) + (f"; {addition.format(close)}" if close else "")
    return text


def _of_value(error: Any) -> str:
    hint = error.param_hint or (error.param and error.param.get_error_hint()) or ""
    name = " or ".join(hint) if isinstance(hint, (list, tuple)) else hint
    name = name.replace("'", "") or "a value"
    if not error.message:  # typer.BadParameter without one: nothing was given
        return f"{name} is missing"
    told = getattr(error.__cause__, "errors", None)
    if told is not None:
        first = told()[0]
        if first["type"] in _EXPECTED:
            limits = {
                key: int(value) if isinstance(value, float) and value.is_integer() else value
                for key, value in first.get("ctx", {}).items()
            }
            expected = _EXPECTED[first["type"]].format(**limits)
            return f"{name} must be {expected}, not {first['input']}"
    text = error.message.removeprefix("Value error, ")
    if match := _CHOICE.search(text):
        known = match[2].replace("'", "")
        return f"{name} is one of {known}, not {match[1]}"
    if match := _NO_NUMBER.search(text):
        return f"{name} must be a number, not {match[1]}"
    return f"{name}: {text}"
