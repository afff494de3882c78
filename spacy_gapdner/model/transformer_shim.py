"""Load and call the transformer in its shim, also for pipelines from unknown sources."""

import warnings
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly
import torch
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers.hf_shim import HFShim
from spacy_transformers.layers.transformer_model import huggingface_from_pretrained
from thinc.api import get_torch_default_device

from ..errors import GapDNERError
from .shim import NetworkShim

# Names modules of Python in the configs of transformers and tokenizers
_CODE = "auto_map"


class TransformerShim(NetworkShim, HFShim):
    """An HFShim that does not trust what it loads: it writes tokenizer files only into its own
    temporary folder, ignores other settings than `use_fast`, and never runs the code of a model.
    """

    @property
    def tokenizer(self) -> Any:
        """RETURNS (Optional[PreTrainedTokenizerBase]): The tokenizer, or None before loading."""
        return self._hfmodel.tokenizer

    def load_pretrained(self, name: str) -> None:
        """Load a transformer and its tokenizer, with the settings of the config.

        name (str): Name of the Hugging Face model, or path to its directory.
        """
        given = self._hfmodel
        settings = given._init_tokenizer_config, given._init_transformer_config
        self._hfmodel = huggingface_from_pretrained(name, *settings)
        self.network = self._hfmodel.transformer

    def from_bytes(self, bytes_data: bytes) -> "TransformerShim":
        """Load a transformer and its tokenizer. The format is the same as in spacy-transformers.

        bytes_data (bytes): The result of `to_bytes`.
        RETURNS (TransformerShim): The shim.
        RAISES (GapDNERError): If the name of a tokenizer file is a path.
        """
        message = srsly.msgpack_loads(bytes_data)
        # a model without weights gets its settings from the config of the pipeline
        if message["config"]:
            with TemporaryDirectory() as folder:
                self._load(message, Path(folder))
        return self

    def _load(self, message: dict[str, Any], folder: Path) -> None:
        files = dict(message["tokenizer"])
        use_fast = bool(files.pop("kwargs", {}).get("use_fast", True))
        for name, content in files.items():
            if Path(name).name != name or name in ("", ".."):
                raise GapDNERError(
                    f"The pipeline is invalid: {name!r} is not the name of a tokenizer file."
                )
            (folder / name).write_bytes(content)
        config = {key: value for key, value in message["config"].items() if key != _CODE}
        srsly.write_json(folder / "config.json", config)
        settings = folder / "tokenizer_config.json"
        if settings.exists():
            read = srsly.read_json(settings)
            srsly.write_json(settings, {key: read[key] for key in read if key != _CODE})
        trusted = {"trust_remote_code": False}
        tokenizer = self.tokenizer_cls.from_pretrained(folder, use_fast=use_fast, **trusted)
        vocabulary = None
        if hasattr(tokenizer, "vocab_file"):
            name = tokenizer.vocab_files_names["vocab_file"]
            tokenizer.vocab_file = str(folder / name)
            vocabulary = (folder / name).read_bytes()
        made = self.model_cls.from_config(
            self.config_cls.from_pretrained(folder, **trusted), **trusted
        )
        device = get_torch_default_device()
        state = torch.load(BytesIO(message["state"]), map_location=device, weights_only=True)
        # other versions of transformers save other buffers
        found = made.load_state_dict(state, strict=False)
        if names := [*found.missing_keys, *found.unexpected_keys]:
            warnings.warn(
                "The transformer was saved with another version of transformers. These weights "
                f"differ: {', '.join(names)}. Install that version, or train the pipeline again.",
                stacklevel=2,
            )
        self.network = made.to(device)
        self._hfmodel = HFObjects(tokenizer, self.network, vocabulary, {}, {})
