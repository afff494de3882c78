"""Random input for the readers: what it is made of, and what must hold whatever it is."""
