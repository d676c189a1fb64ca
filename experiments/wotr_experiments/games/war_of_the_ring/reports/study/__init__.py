"""The pages of a study of play, in HTML and in Markdown, made from the same parts."""
