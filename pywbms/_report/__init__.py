"""A result as one HTML page that needs no network, and as the short form that notebooks show."""
