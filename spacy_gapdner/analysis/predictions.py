"""What a pipeline makes of annotated Docs."""

from collections.abc import Iterable, Iterator

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example


def without_annotation(reference: Doc, nlp: Language) -> Doc:
    """Make the Doc that a pipeline is to annotate, as spacy.Corpus.v1 does in training.

    reference (Doc): The annotated Doc. Its tokens are kept only if its spaces are unknown, since
        there is no text to tokenise then.
    nlp (Language): The pipeline.
    RETURNS (Doc): Text and tokens alone.
    """
    if not reference.has_unknown_spaces:
        return nlp.make_doc(reference.text)
    words = [token.text for token in reference]
    spaces = [bool(token.whitespace_) for token in reference]
    return Doc(nlp.vocab, words=words, spaces=spaces)


def predict_examples(
    nlp: Language, docs: Iterable[Doc], batch_size: int | None = None
) -> Iterator[Example]:
    """Run a pipeline on annotated Docs, one batch in memory at a time.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    YIELDS (Example): Prediction and reference, in the Docs' order.
    """
    pairs = ((without_annotation(reference, nlp), reference) for reference in docs)
    for predicted, reference in nlp.pipe(pairs, as_tuples=True, batch_size=batch_size):
        yield Example(predicted, reference)
