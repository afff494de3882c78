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
    learn_rate (float): The learning rate to begin with.
    elsewhere (Optional[str]): The page that states the license, if not the encoder's own.
    """

    name: str
    use: str
    parameters: int
    license: str
    learn_rate: float = LEARN_RATE
    elsewhere: str | None = None

    @property
    def source(self) -> str:
        """RETURNS (str): The page that states the license."""
        return self.elsewhere or f"https://huggingface.co/{self.name}"


# Sorted by size
ENCODERS = (
    Encoder("nlpie/tiny-biobert", "biomedical articles", 15, "MIT", SMALL_LEARN_RATE),
    Encoder("nreimers/MiniLM-L6-H384-uncased", "general English", 23, "MIT", SMALL_LEARN_RATE),
    Encoder("nlpie/distil-biobert", "biomedical articles", 65, "MIT"),
    Encoder("nlpie/clinical-distilbert", "clinical notes", 65, "MIT"),
    Encoder("distilbert/distilbert-base-uncased", "general English", 66, "Apache-2.0"),
    Encoder(
        "dmis-lab/biobert-v1.1",
        "biomedical articles",
        108,
        "Apache-2.0",
        elsewhere="https://github.com/dmis-lab/biobert/blob/master/LICENSE",
    ),
    Encoder("emilyalsentzer/Bio_ClinicalBERT", "clinical notes", 108, "MIT"),
    Encoder(
        "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext",
        "biomedical articles",
        109,
        "MIT",
    ),
    Encoder("answerdotai/ModernBERT-base", "general English, long texts", 149, "Apache-2.0"),
)


def find_encoder(name: str) -> Encoder | None:
    """RETURNS (Optional[Encoder]): What is known of an encoder; None if it is not in the list."""
    return next((encoder for encoder in ENCODERS if encoder.name == name), None)
