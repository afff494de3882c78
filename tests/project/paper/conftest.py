from format_fixtures import nlp as nlp
from format_fixtures import report as report
from format_fixtures import write as write

from project.paper import readers as readers
