from project.corpora import readers as corpora_readers  # noqa: F401  # registers the formats
from project.paper import readers as paper_readers  # noqa: F401
