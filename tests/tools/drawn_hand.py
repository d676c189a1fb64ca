"""The hand of a person at the page of a game that the server draws: choices of a recorded game as clicks."""

from __future__ import annotations

import numpy as np

from tests.tools.table_person import Person, Step

_FINISHING = "#act .finishing"


def by_list(person: Person, _state: np.record, run: list[Step]) -> str:
    """Chooses by the list of choices."""
    person.click(f'#act .choices [data-name="{run[0].name}"]', "list")
    return run[0].decision


def by_drawing(person: Person, _state: np.record, run: list[Step]) -> str:
    """Chooses by the drawing as far as it shows the choice, then by the list of choices."""
    step = run[0]
    answer = f'#act .choices [data-name="{step.name}"]'
    part = f'#map svg .lit[data-actions~="{step.name}"]'
    if person.has(part):
        before = person.page.evaluate("document.body.dataset.hash")
        person.click(part, "drawing")
        person.page.wait_for_function(_ANSWERED, arg=before)
        if person.page.evaluate("document.body.dataset.hash") != before or not person.has("#map svg .chosen"):
            return step.decision
    person.click(answer, "list")
    return step.decision


_ANSWERED = """(before) => {
    const { dataset: { hash, busy } } = document.body;
    return hash !== before || busy === "true" || document.querySelector("#map svg .chosen");
}"""
"""A click on the drawing has shown choices, or made one."""
