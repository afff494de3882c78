from .loading import load_recognizer as load_recognizer
from .predictions import predict as predict
from .workarounds import apply_workarounds as apply_workarounds
