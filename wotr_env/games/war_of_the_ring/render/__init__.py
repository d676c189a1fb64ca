"""The drawn map and its panels."""
