"""A player in text without a model: text:python3 docs/protocol/text_player.py, or text_player:play."""

import json
import random
import re
import sys

LIKED = ("plan:move-fellowship", "plan:attack", "verb:continue", "verb:whole-army")


def play(prompt):
    """One of the liked actions that the prompt names, else any."""
    names = re.findall(r"^  (\S+:\S+): ", prompt, flags=re.MULTILINE)
    liked = [name for name in names if name in LIKED]
    return f"Of {len(names)} actions I like this: [{random.choice(liked or names)}]"


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            random.seed(message["seed"])
            print(json.dumps({"type": "ready", "version": 1, "name": "text example"}), flush=True)
        elif message["type"] == "prompt":
            answer = {"type": "answer", "id": message["id"], "text": play(message["text"])}
            print(json.dumps(answer), flush=True)
