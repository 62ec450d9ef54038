"""The parts of the command line: files, reports, commands."""
