"""The scripted policy: scores of all legal actions, from information visible to the deciding seat.

The kernels take a state. Bots pass a world sampled for the deciding seat (``BotView.worlds``), and the
kernels read only the cards of that seat.
"""
