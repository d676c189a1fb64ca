"""The rulebook: one module per chapter, compiled functions over one ``STATE`` record."""
