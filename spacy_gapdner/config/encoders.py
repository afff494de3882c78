"""Pretrained transformers to begin with: what for, how large, under which license."""

from typing import NamedTuple

# The transformer's learning rate, if nothing better is known, and the one that suits small ones
LEARN_RATE, SMALL_LEARN_RATE = 0.0001, 0.0002


class Encoder(NamedTuple):
    """A pretrained transformer on the Hugging Face hub.

    name (str): Its name there.
    use (str): For which texts.
    parameters (int): How many, in millions, rounded.
    license (str): That of its weights, as `source` states it.
    source (str): The page that states it.
    learn_rate (float): The learning rate to begin with.
    """

    name: str
    use: str
    parameters: int
    license: str
    source: str
    learn_rate: float = LEARN_RATE


def _on_its_card(
    name: str, use: str, parameters: int, license: str, learn_rate: float = LEARN_RATE
) -> Encoder:
    return Encoder(name, use, parameters, license, f"https://huggingface.co/{name}", learn_rate)


# Sorted by size
ENCODERS = (
    _on_its_card("nlpie/tiny-biobert", "biomedical articles", 15, "MIT", SMALL_LEARN_RATE),
    _on_its_card("nreimers/MiniLM-L6-H384-uncased", "general English", 23, "MIT", SMALL_LEARN_RATE),
    _on_its_card("nlpie/distil-biobert", "biomedical articles", 65, "MIT"),
    _on_its_card("nlpie/clinical-distilbert", "clinical notes", 65, "MIT"),
    _on_its_card("distilbert/distilbert-base-uncased", "general English", 66, "Apache-2.0"),
    Encoder(
        "dmis-lab/biobert-v1.1",
        "biomedical articles",
        108,
        "Apache-2.0",
        "https://github.com/dmis-lab/biobert/blob/master/LICENSE",
    ),
    _on_its_card("emilyalsentzer/Bio_ClinicalBERT", "clinical notes", 108, "MIT"),
    _on_its_card(
        "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext",
        "biomedical articles",
        109,
        "MIT",
    ),
    _on_its_card("answerdotai/ModernBERT-base", "general English, long texts", 149, "Apache-2.0"),
)


def find_encoder(name: str) -> Encoder | None:
    """Look an encoder up.

    name (str): Its name on the hub.
    RETURNS (Optional[Encoder]): What is known of it; None if it is not in the list.
    """
    return next((encoder for encoder in ENCODERS if encoder.name == name), None)
