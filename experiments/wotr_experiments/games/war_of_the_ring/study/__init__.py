"""How bots play: games with fixed sides, what happened in each, and the figures of all of them."""
