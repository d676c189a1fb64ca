"""For the people who build this: fuzzing, the coverage of the rules, generated documentation."""
