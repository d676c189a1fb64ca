"""Training of networks: the learning algorithm, the run, and its folder."""
