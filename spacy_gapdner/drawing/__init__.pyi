from .documents import draw as draw
from .render import render as render
