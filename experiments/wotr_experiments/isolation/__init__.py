"""Bots in processes of their own, which hold nothing but what their seats may see."""
