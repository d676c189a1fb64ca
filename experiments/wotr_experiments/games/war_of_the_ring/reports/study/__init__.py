"""The pages of a study of play, in HTML and in Markdown, made of the same parts."""
