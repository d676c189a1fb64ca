"""Training networks: the learning algorithm, the run around it, its folder."""
