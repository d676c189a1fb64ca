"""Sets with more members than an integer has bits, stored in words of 32 bits."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.kernels import kernel

_WORD_BITS = 5
_WORD_MASK = (1 << _WORD_BITS) - 1


@kernel
def is_member(words, member):
    """Whether a set, ``uint32[W]``, has a member."""
    return int(words[member >> _WORD_BITS]) >> (member & _WORD_MASK) & 1 == 1


@kernel
def set_member(words, member, flag):
    """Puts a member into a set, or takes it out (flag 0)."""
    word = int(words[member >> _WORD_BITS])
    bit = 1 << (member & _WORD_MASK)
    words[member >> _WORD_BITS] = word | bit if flag == 1 else word & ~bit
