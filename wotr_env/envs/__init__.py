"""The environments of PettingZoo and Gymnasium."""
