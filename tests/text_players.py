"""Players in text for tests: functions, and a program that does a deed.

python text_players.py DEED [PATH [TICKS]]: with a path other than ``-``, only as long as there is no such
file, which it writes; the deed ``listens`` adds all that it is told to that file. With ticks, it writes the
number of its process there before a deed, to move a clock (``tests.clocks``).
"""

import json
import os
import re
import sys
import time

CALLS = [0]
"""How often a function of this process was asked."""


def names_in_prompt(prompt):
    """The legal actions that a prompt names."""
    return re.findall(r"^  ([a-z]+:[\w-]+): ", prompt, flags=re.MULTILINE)


def first(prompt):
    print("this is no line of the protocol")
    return f"[{names_in_prompt(prompt)[0]}]"


def last(prompt):
    return f"I have read [1] and [2].\nSo:\n[{names_in_prompt(prompt)[-1]}]"


def fool(prompt):
    return "I castle [king:g1]."


def stumbling(prompt):
    """Every third answer is illegal."""
    CALLS[0] += 1
    return fool(prompt) if CALLS[0] % 3 == 0 else first(prompt)


def raising(prompt):
    """Every third answer is an error."""
    CALLS[0] += 1
    if CALLS[0] % 3 == 0:
        raise ValueError("out of tokens\x1b[2J")
    return first(prompt)


def mute(prompt):
    return None


def say(**message):
    print(json.dumps(message), flush=True)


def tick(path):
    if path:
        with open(path, "a") as file:
            print(os.getpid(), file=file)


def is_due(path):
    if path in ("", "-"):
        return True
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def answer(deed, message):
    """Answers a prompt, or does the deed instead."""
    told = {"type": "answer", "id": message["id"], "text": first_quietly(message["text"])}
    match deed:
        case "hang":
            time.sleep(600)
        case "exit":
            print("no memory left", file=sys.stderr, flush=True)
            os._exit(3)
        case "garbage":
            print("Loading model...\x1b[2J", flush=True)
        case "id":
            told["id"] += 1
        case "number":
            told["text"] = 7
        case "type":
            told["type"] = "actions"
        case "error":
            told = {"type": "error", "id": message["id"], "message": "no licence"}
    say(**told)


def first_quietly(prompt):
    return f"[{names_in_prompt(prompt)[0]}]"


def main(deed, path, ticks):
    for line in sys.stdin:
        message = json.loads(line)
        if deed == "listens":
            with open(path, "a") as file:
                file.write(line)
        if message["type"] == "hello":
            if deed == "refuses":
                say(type="error", message="no licence")
                return
            if deed == "slow_start":
                tick(ticks)
            say(type="ready", version=2 if deed == "version" else 1, name=f"{deed} {os.getpid()}"[:4])
        elif message["type"] == "prompt":
            due = deed == "listens" or is_due(path)
            if due and deed != "slow_start":
                tick(ticks)
            answer(deed if due else "", message)
        elif message["type"] == "end":
            return


if __name__ == "__main__":
    main(*[*sys.argv[1:], "", ""][:3])
