"""Helpers for tests of the architectures: documents with fixed word representations."""

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model, fix_random_seed

from spacy_gapdner.grid.segments import Segment

WIDTH = 4
LABELS = ["A", "B"]
# sentences, overlapping windows, an empty document, one token, and tokens outside segments
WINDOWS = [[(0, 3), (3, 10)], [(0, 6), (4, 10), (8, 11)], [], [(0, 1)], [(2, 5)]]
SEGMENTS = [[Segment(*window) for window in windows] for windows in WINDOWS]
LENGTHS = [10, 11, 0, 1, 7]
SETTINGS = {"hidden_width": 6, "boundary_width": 3, "grid_width": 4, "attention_width": 2}
SETTINGS |= dict.fromkeys(("bilstm", "biaffine", "linear_attention", "criss_cross"), True)
SETTINGS["word_dropout"] = 0.3


def fixed_vectors():
    """A tok2vec that returns the vectors in its attrs and keeps the gradient it gets."""

    def forward(model, docs, is_train):
        def backprop(d_vectors):
            model.attrs["gradient"] = d_vectors
            return docs

        return model.attrs["vectors"][: len(docs)], backprop

    random = np.random.default_rng(0)
    vectors = [random.normal(size=(n, WIDTH)).astype("float32") for n in LENGTHS]
    return Model("fixed_vectors", forward, attrs={"vectors": vectors, "gradient": None})


def make_input():
    vocab = Vocab()
    return [Doc(vocab, words=["w"] * n) for n in LENGTHS], SEGMENTS


def initialize_model(model, labels=LABELS, seed=0):
    fix_random_seed(seed)
    model.initialize(X=make_input(), Y=labels)
    return model


def network_of(model):
    return model.get_ref("grid").layers[0].shims[0]._model


def score(network, words, lengths):
    """The scores of one padded batch, in any order of lengths."""
    mask = torch.arange(words.shape[1]) < lengths.unsqueeze(1)
    mask = None if mask.all() else mask
    return network.make_scorer()(network.encode(words, lengths), mask)
