from .pages import draw as draw
from .render import render as render
