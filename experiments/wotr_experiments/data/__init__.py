"""Games as data for analysis: tables of games, turns and decisions, written and read back.

sources -> tables (games replayed together) -> write -> files with a card -> read
             columns: the meaning and the unit of each column of each table
"""
