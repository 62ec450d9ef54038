"""Tables in: checked, named, ordered and standardised."""
