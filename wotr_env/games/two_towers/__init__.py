"""The Two Towers, the card game of two to five players, as kernels and a ``GameKind``."""
