"""Make pipelines for the benchmark: ours, and spaCy's ner and spancat, on a transformer with random
or pretrained weights."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.util import fix_random_seed, load_config, load_model_from_config
from thinc.api import Config
from tokenizers import BertWordPieceTokenizer
from transformers import AutoTokenizer, BertConfig, BertModel, BertTokenizerFast

from spacy_gapdner.formats.docbin import read_docbin

from ..docbins import require_docbins
from ..experiments.spacy_pipes import make_config
from .data import find_pipe, read_examples, shuffle_batches, use_device
from .speed import TRAINING_BATCH

_CONFIG = Path(__file__).parents[2] / "configs" / "gapdner_trf.cfg"
# of the vocabulary of uncased BERT models
_N_PIECES = 30_522
# Number of batches of the training, and its learning rate. An untrained pipe finds many entities
_N_BATCHES, _RATE, _TINY_RATE = 20, 1e-4, 1e-3


class Size(NamedTuple):
    """The size of a BERT. Its intermediate layers are `factor` times as wide."""

    n_layers: int
    width: int
    n_heads: int
    factor: int = 4


SIZES = {"tiny": Size(1, 32, 2, 2), "minilm": Size(6, 384, 12), "base": Size(12, 768, 12)}
# of our network on a tiny encoder
_TINY_NETWORK = {"hidden": 16, "boundary": 8, "grid": 16, "attention": 4}


def save_random_encoder(
    folder: Path, size: str, texts: Iterable[str], tokenizer: str | None = None
) -> None:
    """Save a BERT with random weights as a Hugging Face model.

    size (str): The name of a size.
    texts (Iterable[str]): Texts from which the vocabulary of its word pieces is made.
    tokenizer (Optional[str]): Name or folder of a Hugging Face model whose tokenizer is used
        instead.
    """
    n_layers, width, n_heads, factor = SIZES[size]
    folder.mkdir(parents=True)
    if tokenizer is None:
        trained = BertWordPieceTokenizer()
        trained.train_from_iterator(texts, vocab_size=_N_PIECES, show_progress=False)
        (vocabulary,) = trained.save_model(str(folder))
        used = BertTokenizerFast(vocabulary, model_max_length=512)
    else:
        used = AutoTokenizer.from_pretrained(tokenizer)
    used.save_pretrained(folder)
    config = BertConfig(
        # also the size of the embeddings, whose rows without a piece cost memory and time
        vocab_size=max(len(used), _N_PIECES),
        hidden_size=width,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        intermediate_size=factor * width,
    )
    fix_random_seed(0)
    BertModel(config).save_pretrained(folder)


def save_pipelines(
    folder: Path,
    pipes: Iterable[str],
    data: Path,
    limit: int,
    gpu_id: int,
    *,
    size: str | None = None,
    encoder: str | None = None,
) -> list[Path]:
    """Save pipelines with the same transformer, which are trained for a few batches.

    pipes (Iterable[str]): "gapdner", or the names of spaCy's pipes.
    data (Path): Docs with gold entities.
    size (Optional[str]): The name of the size of a random encoder.
    encoder (Optional[str]): Name or folder of a Hugging Face model. With a size, only its tokenizer
        is used.
    RETURNS (list[Path]): The folders of the pipelines.
    """
    if size is not None:
        vocab = Language().vocab
        texts = (doc.text for path in require_docbins(data) for doc in read_docbin(path, vocab))
        save_random_encoder(folder / "encoder", size, texts, encoder)
        encoder = str(folder / "encoder")
    paths = []
    for name in pipes:
        use_device(gpu_id)
        nlp = load_model_from_config(_make_config(name, str(encoder), size), auto_fill=True)
        _train(nlp, data, limit, _TINY_RATE if size == "tiny" else _RATE)
        nlp.to_disk(folder / name)
        paths.append(folder / name)
    return paths


def _make_config(name: str, encoder: str, size: str | None) -> Config:
    if name != "gapdner":
        return make_config(name, encoder, steps=_N_BATCHES, rate=_RATE, seed=0, eval_frequency=1)
    overrides: dict[str, object] = {"vars.transformer": encoder}
    if size == "tiny":
        for part, width in _TINY_NETWORK.items():
            overrides[f"components.gapdner.model.{part}_width"] = width
    return load_config(_CONFIG, overrides=overrides)


def _train(nlp: Language, data: Path, limit: int, rate: float) -> None:
    fix_random_seed(0)
    examples = read_examples(nlp, find_pipe(nlp), data, limit)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.schedules.clear()
    optimizer.learn_rate = rate
    for batch in shuffle_batches(examples, TRAINING_BATCH)[:_N_BATCHES]:
        nlp.update(batch, sgd=optimizer)
