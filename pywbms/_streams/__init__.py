"""Tables that are larger than memory: read a block at a time, clustered by landmarks."""
