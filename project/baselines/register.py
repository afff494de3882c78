"""Registers the functions in the configs of W2NER and TOE. Pass this file as `--code`.

The imports are absolute because `--code` imports the file by its path. Run commands from the root
of a clone.
"""

from spacy import registry

from project.baselines.losses import ZLPR
from project.baselines.tagging import TOETagging, W2NERTagging
from project.baselines.toe import TOENetwork, TOESettings
from project.baselines.w2ner import W2NERNetwork, W2NERSettings
from spacy_gapdner.model.architecture import make_architecture

registry.misc("gapdner-baselines.W2NERTagging.v1", func=W2NERTagging)
registry.misc("gapdner-baselines.TOETagging.v1", func=TOETagging)
registry.losses("gapdner-baselines.ZLPR.v1", func=ZLPR)

build_w2ner = make_architecture("w2ner", W2NERNetwork, W2NERSettings)
build_toe = make_architecture("toe", TOENetwork, TOESettings)
registry.architectures("gapdner-baselines.W2NER.v1", func=build_w2ner)
registry.architectures("gapdner-baselines.TOE.v1", func=build_toe)
