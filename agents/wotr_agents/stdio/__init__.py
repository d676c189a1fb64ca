"""Bots that are external programs in any language, with JSON lines on stdin and stdout (docs/protocol.md)."""
