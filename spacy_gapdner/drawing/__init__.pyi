from .render import render as render
from .render import write_documents as write_documents
