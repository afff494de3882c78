"""How fast a pipeline is beside its encoder alone, where its time goes and what memory it takes."""
