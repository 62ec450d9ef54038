"""Studies and timings; not part of the installed package."""
