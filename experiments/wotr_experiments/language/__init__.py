"""Board games for language models: in text, and as tools."""
