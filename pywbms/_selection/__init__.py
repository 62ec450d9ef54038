"""The choice of h and lam: which candidates are fitted, and how each is scored."""
