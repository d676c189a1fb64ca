"""Positions, decisions and actions in English, as a seat may see them."""
