"""What the terminal shows: a line of progress, counts, durations, tables and error messages."""
