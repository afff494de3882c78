"""A page where entities are made and corrected, with a model that proposes them."""
