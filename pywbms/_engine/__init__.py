"""The algorithm: settings, weighted points, the loop of Algorithm 1, what is recorded of it."""
