from .analysis.agreement import agreement as agreement
from .analysis.data_check import check_data as check_data
from .analysis.evaluation import evaluate as evaluate
from .analysis.model_report import analyze as analyze
from .analysis.predictions import predict as predict
from .analysis.tuning import tune as tune
from .analysis.uncertainty import select_uncertain as select_uncertain
from .augmentation import augment as augment
from .config.init_config import init_config as init_config
from .drawing.pages import draw as draw
from .drawing.render import render as render
from .entities import DiscontinuousEntity as DiscontinuousEntity
from .entities import Entity as Entity
from .entities import get_entities as get_entities
from .entities import set_entities as set_entities
from .entities.alignment import extract_doc as extract_doc
from .entities.alignment import merge_docs as merge_docs
from .errors import GapDNERError as GapDNERError
from .formats import read as read
from .formats import write as write
from .formats.convert import convert as convert
from .formats.statistics import stats as stats
from .formats.tables import to_dataframe as to_dataframe

__version__: str
