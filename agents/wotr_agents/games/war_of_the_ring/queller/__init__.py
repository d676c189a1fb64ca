"""A Shadow bot inspired by the Queller bot by Quitch, a solo automaton for the board game."""
