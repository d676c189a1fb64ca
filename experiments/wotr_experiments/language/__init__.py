"""Games for language models: in text, and as tools."""
