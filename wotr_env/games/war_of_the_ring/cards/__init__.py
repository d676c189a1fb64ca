"""The programs of the event cards and of their Combat halves, as constant tables for the rules."""
