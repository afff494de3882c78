from .data_check import DataFindings as DataFindings
from .data_check import DataReport as DataReport
from .data_check import check_data as check_data
from .init_config import init_config as init_config
from .training_config import TrainingConfig as TrainingConfig
