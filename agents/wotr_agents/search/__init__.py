"""Tree search over sampled worlds, in kernels."""
