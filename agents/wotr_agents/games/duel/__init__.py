"""The scripted policy of the Duel: scores for every legal action, from what the deciding seat may know.

Its kernels take a state, which bots give them as a world sampled for the seat that decides
(``BotView.worlds``); of the layout they read cards that lie face up only.
"""
