"""What follows from the declarations of a game."""

import numpy as np
import pytest

from wotr_env.core.declared import (
    CHANCE,
    StateField,
    actions_of,
    check_ranges,
    places_of,
    size_of,
    state_of,
)
from wotr_env.core.observation_layout import Field

FIELDS = (
    *CHANCE,
    StateField("seat", 0, 1, "whose turn it is"),
    StateField("piles", -1, 9, "sizes", (3,), np.int16),
    StateField("notes", None, None, "anything", (2,)),
)
LAYOUT = (
    Field("asked", (1,), "does it decide"),
    Field("piles", (3, 2), "sizes"),
    Field("last", (4,), "of them"),
)


def test_the_record_has_the_fields_in_their_order_and_packed():
    dtype = state_of(FIELDS)
    assert dtype.names == ("key", "counter", "seat", "piles", "notes")
    assert dtype.itemsize == 8 + 4 + 1 + 6 + 2 and dtype["piles"].shape == (3,)
    assert isinstance(np.zeros(1, dtype=dtype)[0], np.record)


@pytest.mark.parametrize(
    ("name", "value"), [("seat", 2), ("seat", -1), ("piles", (0, 10, 0)), ("piles", (0, 0, -2))]
)
def test_numbers_out_of_their_range_are_refused(name, value):
    states = np.zeros(3, dtype=state_of(FIELDS))
    states["notes"] = -100
    check_ranges(FIELDS, states, "Nim")
    states[name][1] = value
    with pytest.raises(ValueError, match=f"^{name} must be "):
        check_ranges(FIELDS, states, "Nim")


def test_records_of_others_are_refused():
    for other in (np.zeros(1), np.zeros(1, dtype=state_of(FIELDS[:-1]))):
        with pytest.raises(ValueError, match="these are not states of Nim"):
            check_ranges(FIELDS, other, "Nim")


def test_parts_of_an_observation_follow_one_another():
    at = places_of(LAYOUT, 5)
    assert dict(at.__members__) == {"ASKED": 5, "PILES": 6, "LAST": 12}
    assert size_of(LAYOUT) == 11


def test_actions_follow_from_the_objects_of_their_blocks():
    act, names, blocks = actions_of({"take": ("a", "b", "c"), "stop": ("",)})
    assert names == ("take:a", "take:b", "take:c", "stop")
    assert blocks == {"take": range(3), "stop": range(3, 4)}
    assert (act.TAKE, act.STOP) == (0, 3)
