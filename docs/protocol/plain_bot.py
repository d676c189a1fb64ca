"""A bot for War of the Ring in plain Python: stdio:python3 docs/protocol/plain_bot.py"""

import json
import random
import sys

LIKED = ("plan:move-fellowship", "plan:attack", "verb:continue", "verb:whole-army")


def say(message):
    print(json.dumps(message), flush=True)


def choose(decision):
    """One of the liked actions if there is one, else any."""
    liked = [name for name in decision["legal"] if name.startswith(LIKED)]
    return dice.choice(liked or decision["legal"])


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        dice = random.Random(message["seed"])
        say({"type": "ready", "version": 1, "name": "plain Python", "batch": True, "wants": []})
    elif message["type"] == "decide":
        actions = [choose(decision) for decision in message["decisions"]]
        say({"type": "actions", "id": message["id"], "actions": actions})
    elif message["type"] == "end":
        break
