from .documents import write_documents as write_documents
from .render import render as render
