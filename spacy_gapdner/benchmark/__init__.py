"""How fast a pipeline is, where its time goes and how much memory it takes."""
