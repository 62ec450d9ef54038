"""Progress on a terminal."""
