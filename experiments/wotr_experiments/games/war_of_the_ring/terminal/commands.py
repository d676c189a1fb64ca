"""Commands that a person may type instead of an answer."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Command:
    """A command word with its description."""

    name: str
    argument: str
    """The argument as shown in help; empty if there is none."""
    summary: str


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("answers", "", "the legal answers again"),
        Command("map", "[NATION]", "the map, or the lands of a nation"),
        Command("armies", "[all|NATION]", "armies and characters, region by region"),
        Command("region", "NAME", "what is around a region, drawn and in words"),
        Command("battle", "", "the battle under way: forces, dice and odds"),
        Command("hand", "", "your cards, and the cards on the table"),
        Command("card", "NAME", "the text of any card, a character's too"),
        Command("dice", "", "action dice, Hunt Box, Elven Rings"),
        Command("fellowship", "", "the Fellowship and the Hunt tiles"),
        Command("politics", "", "how far the nations are from war"),
        Command("log", "[LINES]", "what has happened, by default the last 30 lines"),
        Command("hint", "[BOT]", "what a bot would do in your place, and how it values your choices"),
        Command("undo", "", "take back your last line, and what came after it"),
        Command("save", "[FILE]", "save the game and play on"),
        Command("quit", "", "leave; asks whether to save, unless that was done"),
        Command("help", "", "this list"),
    )
}

HOW_TO_ANSWER = (
    "Answer by number or by words; beginnings of words are enough (min tir for Minas Tirith), Tab completes. "
    "One line may answer several questions: army move orth gap 3r 1e; all and none are answers, too. "
    "Enter takes the answer marked (Enter). A command whose word is also the beginning of an answer "
    "can be written with a slash: /map."
)


def find_command(text: str) -> tuple[list[Command], str, bool]:
    """The commands that the first word of a line can mean, the rest of the line, and whether the word is
    complete.

    A leading slash is ignored.
    """
    word, _, rest = text.strip().removeprefix("/").partition(" ")
    word = "help" if word == "?" else word.casefold()
    if word in COMMANDS:
        return [COMMANDS[word]], rest.strip(), True
    found = [command for name, command in COMMANDS.items() if word and name.startswith(word)]
    return found, rest.strip(), False
