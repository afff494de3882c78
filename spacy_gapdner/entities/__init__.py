"""Define entities and their attributes, and store them in a Doc."""

from .alignment import extract_doc as extract_doc
from .alignment import merge_docs as merge_docs
from .attributes import can_be_saved as can_be_saved
from .attributes import ensure_extensions as ensure_extensions
from .doc_entity import STRING_ATTRS as STRING_ATTRS
from .doc_entity import DiscontinuousEntity as DiscontinuousEntity
from .doc_entity import check_entity as check_entity
from .doc_entity import text_order as text_order
from .doc_entity import to_entity as to_entity
from .entity import Entity as Entity
from .entity import Fragments as Fragments
from .storage import DEFAULT_SPANS_KEY as DEFAULT_SPANS_KEY
from .storage import count_other_annotation as count_other_annotation
from .storage import describe_no_entities as describe_no_entities
from .storage import get_entities as get_entities
from .storage import get_other_keys as get_other_keys
from .storage import group_names as group_names
from .storage import is_annotated as is_annotated
from .storage import set_contiguous_ents as set_contiguous_ents
from .storage import set_entities as set_entities
