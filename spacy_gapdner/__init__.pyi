from .analysis import evaluate as evaluate
from .drawing import render as render
from .entities import DiscontinuousEntity as DiscontinuousEntity
from .entities import Entity as Entity
from .entities import extract_doc as extract_doc
from .entities import get_entities as get_entities
from .entities import merge_docs as merge_docs
from .entities import set_entities as set_entities
from .errors import GapDNERError as GapDNERError
from .formats import read as read
from .formats import write as write
from .inference import apply_workarounds as apply_workarounds
from .inference import predict as predict
from .model.precision import use_bf16 as use_bf16

__version__: str
