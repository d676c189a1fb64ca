"""The scripted policy: scores for every legal action, from what the deciding seat may know.

Its kernels take a state, which bots give them as a world sampled for the seat that decides
(``BotView.worlds``); they read only that seat's cards.
"""
