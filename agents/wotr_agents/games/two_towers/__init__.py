"""The scripted policy of The Two Towers."""
