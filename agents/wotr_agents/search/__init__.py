"""Tree search over sampled worlds, compiled to kernels."""
