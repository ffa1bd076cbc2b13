"""Rows that miss columns: a table of them, statements that change it, and the fold in which absent means unchanged."""
