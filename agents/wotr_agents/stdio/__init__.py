"""Bots that are programs of any language: JSON lines on their stdin and stdout (docs/protocol.md)."""
