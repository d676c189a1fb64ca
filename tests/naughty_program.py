"""A program for tests that speaks the protocol of stdio bots, and does a deed when it is asked.

python naughty_program.py DEED [PATH]: with a path, only as long as there is no such file, which it writes.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zlib

DEED, PATH = [*sys.argv[1:], "", ""][:2]
READY = {"type": "ready", "version": 1, "name": DEED, "x-more": 1}
HELLOS = {
    "version": {**READY, "version": 2},
    "no_version": {"type": "ready"},
    "type": {"type": "actions"},
    "wants": {**READY, "wants": ["dice"]},
    "wants_text": {**READY, "wants": "text"},
    "batch_word": {**READY, "batch": "yes"},
    "refuses": {"type": "error", "message": "no licence\x1b[2J"},
    "many": {**READY, "batch": True},
    "remember": {**READY, "wants": ["events", "history"]},
    "all": {**READY, "wants": ["observation", "named", "text", "position"]},
}


def say(message):
    print(json.dumps(message), flush=True)


def is_due():
    if not PATH:
        return True
    try:
        os.close(os.open(PATH, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def by_all(decision):
    """A legal action that changes with whatever is told, and with nothing else."""
    return decision["legal"][zlib.crc32(json.dumps(decision).encode()) % len(decision["legal"])]


def misbehave(message, actions):
    """Says its answer otherwise, or nothing; whether it has."""
    number = message["id"]
    match DEED:
        case "garbage":
            print("Loading model...\x1b[2J", flush=True)
        case "list":
            say([1])
        case "deep":
            print("[" * 100_000, flush=True)
        case "endless":
            while True:
                sys.stdout.write("x" * 65536)
        case "exit":
            print("I leave\x1b[2J", file=sys.stderr)
            sys.exit(7)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            time.sleep(600)
        case "shut":
            os.close(1)
            time.sleep(600)
        case "other_id":
            say({"type": "actions", "id": number + 1, "actions": actions})
        case "few":
            say({"type": "actions", "id": number, "actions": []})
        case "unknown":
            say({"type": "actions", "id": number, "actions": ["fly-to-mordor"]})
        case "number":
            say({"type": "actions", "id": number, "actions": [3]})
        case "illegal":
            say({"type": "actions", "id": number, "actions": ["count:12"]})
        case "error":
            say({"type": "error", "id": number, "message": "out of ideas"})
        case "child":
            child = [sys.executable, "-c", "import os,time; os.setsid(); time.sleep(600)"]
            subprocess.Popen(child)
            return False
        case "talk":
            print("x" * 3_000_000, file=sys.stderr)
            return False
        case _:
            return False
    return True


def main():
    if DEED == "silent":
        time.sleep(600)
    dice = random.Random(1)
    for line in sys.stdin:
        message = json.loads(line)
        if DEED == "remember":
            with open(PATH, "a") as file:
                file.write(line)
        if message["type"] == "hello":
            if DEED == "echo_hello":
                print(line, file=sys.stderr)
            dice = random.Random(message["seed"])
            say(HELLOS.get(DEED, READY))
        elif message["type"] == "decide":
            if DEED == "keep":
                with open(PATH, "a") as file:
                    file.write(line)
            decisions = message["decisions"]
            actions = [by_all(each) if DEED == "all" else dice.choice(each["legal"]) for each in decisions]
            if DEED in ("keep", "remember") or not is_due() or not misbehave(message, actions):
                say({"type": "actions", "id": message["id"], "actions": actions})
        elif message["type"] == "end":
            break


main()
