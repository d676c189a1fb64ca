"""What a file of weights must fit: the observation's layout and the actions; read without loading torch."""

from __future__ import annotations

import functools
import hashlib
import json

from wotr_env.kind import GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING


@functools.cache
def layout_hash(kind: GameKind = WAR_OF_THE_RING) -> str:
    """A hash of the observation's layout and the actions' names: 16 hexadecimal digits."""
    fields = [(field.name, field.shape) for field in kind.layout.fields]
    text = json.dumps([kind.layout.size, fields, kind.actions.names])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
