"""Build the W2NER network (Li et al. 2022, "Unified Named Entity Recognition as Word-Word Relation
Classification"), after the published code."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.model.biaffine import Biaffine
from spacy_gapdner.model.encoder import BiLSTM
from spacy_gapdner.model.grid_network import GridNetwork, GridSettings, Scorer

# above the diagonal, and the rest of the grid
_N_REGIONS = 2
# distances of 2**7 tokens and more share the last bucket
_SIZES = 9
N_DISTANCES = 2 * _SIZES - 1
NORM_EPS = 1e-12


class ConditionalLayerNorm(nn.Module):
    """Word-pair representations `V_ij = gain_j * (h_i - mean_i) / sd_i + bias_j`, where gain and
    bias are linear in h_j (section "Convolution Layer", conditional layer normalization). The paper
    swaps i and j. This is the code of W2NER and TOE."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Linear(width, width)
        self.bias = nn.Linear(width, width)
        # initially plain layer normalization
        for linear, constant in ((self.gain, 1.0), (self.bias, 0.0)):
            nn.init.zeros_(linear.weight)
            nn.init.constant_(linear.bias, constant)

    def forward(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Compute all pairs (batch, n, n, width) of words (batch, n, width). The rows are
        normalized, the columns determine gain and bias."""
        normal = F.layer_norm(rows, rows.shape[-1:], eps=NORM_EPS).unsqueeze(2)
        gain, bias = self.gain(columns).unsqueeze(1), self.bias(columns).unsqueeze(1)
        return torch.addcmul(bias, gain, normal)


class DilatedConvolutions(nn.Module):
    """Depthwise 3x3 convolutions over the grid, with concatenated outputs (section
    "Multi-Granularity Dilated Convolution").

    If they are chained, the input of each convolution is the output of the previous one, as in
    W2NER's code. Otherwise they share an input, as in W2NER's paper and in TOE's code.
    """

    def __init__(self, width: int, dilations: Sequence[int], chained: bool) -> None:
        super().__init__()
        self.chained = chained
        self.convolutions = nn.ModuleList(
            nn.Conv2d(width, width, kernel_size=3, groups=width, dilation=step, padding=step)
            for step in dilations
        )
        self.n_out = width * len(dilations)

    def forward(self, grid: Tensor, mask: Tensor) -> Tensor:
        """Convolve grids (batch, n, n, width) to (batch, n, n, n_out). The mask (batch, n) is False
        for padding, on which the results do not depend."""
        cells = (mask.unsqueeze(2) & mask.unsqueeze(1)).unsqueeze(1)
        # (batch, n, n, width) -> (batch, width, n, n), with zeros around each sentence's grid.
        # Contiguous, because cuDNN's depthwise convolution of other layouts takes 20 times as long
        image = (grid.permute(0, 3, 1, 2) * cells).contiguous()
        outputs = []
        # on a CPU, PyTorch's bfloat16 gradient of dilated depthwise convolutions is wrong
        with torch.autocast(grid.device.type, enabled=False):
            image = image.to(self.convolutions[0].weight.dtype)
            for convolution in self.convolutions:
                outputs.append(F.gelu(convolution(image)) * cells)
                if self.chained:
                    image = outputs[-1]
        return torch.cat(outputs, dim=1).permute(0, 2, 3, 1).contiguous()


class MLP(nn.Sequential):
    """A linear layer and GELU, with dropout before and after, as in W2NER's code."""

    def __init__(self, n_in: int, n_out: int, dropout: float) -> None:
        super().__init__(
            nn.Dropout(dropout), nn.Linear(n_in, n_out), nn.GELU(), nn.Dropout(dropout)
        )


class CoPredictor(nn.Module):
    """The sum of the logits of a biaffine classifier of words and of a classifier of grid features
    (section "Co-Predictor Layer")."""

    def __init__(
        self,
        n_words: int,
        n_grid: int,
        biaffine_width: int,
        grid_width: int,
        n_labels: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.head = MLP(n_words, biaffine_width, dropout)
        self.tail = MLP(n_words, biaffine_width, dropout)
        self.biaffine = Biaffine(biaffine_width, n_labels)
        init_as_one_tensor(self.biaffine)
        self.grid = MLP(n_grid, grid_width, dropout)
        self.classifier = nn.Linear(grid_width, n_labels)

    def forward(self, words: Tensor, grid: Tensor) -> Tensor:
        """Compute logits (batch, n, n, n_labels) from words (batch, n, n_words) and grid features
        (batch, n, n, n_grid)."""
        by_words = self.biaffine(self.head(words), self.tail(words))
        return by_words + self.classifier(self.grid(grid))


def init_as_one_tensor(biaffine: Biaffine) -> None:
    """Initialize a biaffine layer as in W2NER's code, where all parameters are one tensor with the
    shape (n_out, n_in + 1, n_in + 1) and Xavier normal values."""
    n = biaffine.n_in + 1
    # PyTorch's fan-in and fan-out of this tensor are n * n and n_out * n
    std = math.sqrt(2 / (n * n + biaffine.n_out * n))
    for parameter in biaffine.parameters():
        nn.init.normal_(parameter, std=std)


def lower_labels(predictor: CoPredictor, channels: Sequence[str], margin: float) -> None:
    """Lower the initial scores of all labels except None."""
    with torch.no_grad():
        predictor.classifier.bias[int(channels[0] == "None") :] -= margin


@dataclass(frozen=True)
class W2NERSettings(GridSettings):
    """The settings of a W2NER network.

    hidden_width (int): Width of the BiLSTM's output in both directions.
    embedding_width (int): Width of the distance and region embeddings.
    grid_width (int): Width of the input and output of each convolution.
    biaffine_width (int): Width of the words in the co-predictor.
    predictor_width (int): Width of the grid features in the co-predictor.
    dilations (Sequence[int]): The dilation of each convolution.
    word_dropout (float): Dropout rate of the word representations.
    grid_dropout (float): Dropout rate of the channels of the pair features.
    predictor_dropout (float): Dropout rate of the co-predictor's MLPs.
    none_margin (float): Initial difference between the scores of None and the other labels. The
        authors have none. GapDNER's is 5.
    RAISES (GapDNERError): If a width or dilation is not positive, or a dropout rate is not in
        [0, 1).
    """

    hidden_width: int
    embedding_width: int
    grid_width: int
    biaffine_width: int
    predictor_width: int
    dilations: Sequence[int]
    word_dropout: float
    grid_dropout: float
    predictor_dropout: float
    none_margin: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.dilations or min(self.dilations) < 1:
            raise GapDNERError(
                f"The model's dilations must be at least 1, but are {self.dilations}."
            )


def distance_buckets(n: int, device: torch.device) -> Tensor:
    """The buckets of the distances of all cells, with shape (n, n): 0, 1, 2-3, 4-7, ... words to
    the right, and separately to the left."""
    positions = torch.arange(n, device=device)
    distances = positions[None, :] - positions[:, None]
    # the exponent is the bit length of the distance
    sizes = torch.frexp(distances.abs().float()).exponent.clamp(max=_SIZES - 1)
    return sizes * distances.sign() + _SIZES - 1


def fill_mask(hidden: Tensor, mask: Tensor | None) -> Tensor:
    """Return the mask of words (batch, n), which is True everywhere if there is no padding."""
    if mask is None:
        return torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
    return mask


class PairNetwork(GridNetwork):
    """The common part of W2NER and TOE: the BiLSTM, and grid features of word pairs."""

    def __init__(
        self,
        n_in: int,
        channels: Sequence[str],
        settings: W2NERSettings,
        chained_convolutions: bool,
    ) -> None:
        super().__init__(n_in, len(channels))
        hidden, grid = settings.hidden_width, settings.grid_width
        embedding = settings.embedding_width
        self.word_dropout = nn.Dropout(settings.word_dropout)
        self.bilstm = BiLSTM(n_in, hidden)
        self.pairs = ConditionalLayerNorm(hidden)
        self.distance = nn.Embedding(N_DISTANCES, embedding)
        self.region = nn.Embedding(_N_REGIONS, embedding)
        self.grid_dropout = settings.grid_dropout
        # the 1x1 convolution over [V; distance; region]
        self.base = nn.Linear(hidden + 2 * embedding, grid)
        self.convolutions = DilatedConvolutions(grid, settings.dilations, chained_convolutions)

    @property
    def cell_width(self) -> int:
        return self.base.out_features

    def encode(self, words: Tensor, lengths: Tensor) -> tuple[Tensor]:
        return (self.bilstm(self.word_dropout(words), lengths),)

    def make_scorer(self) -> Scorer:
        return self.score

    def grid_features(self, rows: Tensor, columns: Tensor, mask: Tensor) -> Tensor:
        """Compute grid features (batch, n, n, convolutions.n_out) from pairs of words, distances
        and regions. Rows and columns are representations of the words (batch, n, hidden_width)."""
        batch, n, width = rows.shape
        positions = torch.arange(n, device=rows.device)
        above_diagonal = (positions[None, :] > positions[:, None]).long()
        buckets = distance_buckets(n, rows.device)
        places = torch.cat([self.distance(buckets), self.region(above_diagonal)], dim=-1)
        # dropping a column of the weights has the same effect as dropping a channel of the input
        kept = F.dropout(
            rows.new_ones(batch, 1, self.base.in_features), self.grid_dropout, self.training
        )
        of_pairs, of_places = (self.base.weight * kept).tensor_split([width], dim=2)
        from_places = places.flatten(0, 1) @ of_places.mT + self.base.bias
        pairs = self.pairs(rows, columns).flatten(1, 2)
        grid = F.gelu(torch.baddbmm(from_places, pairs, of_pairs.mT))
        return self.convolutions(grid.view(batch, n, n, -1), mask)


class W2NERNetwork(PairNetwork):
    """W2NER from the BiLSTM to the co-predictor."""

    def __init__(self, n_in: int, channels: Sequence[str], settings: W2NERSettings) -> None:
        super().__init__(n_in, channels, settings, chained_convolutions=True)
        self.predictor = CoPredictor(
            settings.hidden_width,
            self.convolutions.n_out,
            settings.biaffine_width,
            settings.predictor_width,
            len(channels),
            settings.predictor_dropout,
        )
        lower_labels(self.predictor, channels, settings.none_margin)

    def score(self, tokens: Sequence[Tensor], mask: Tensor | None) -> Tensor:
        (hidden,) = tokens
        mask = fill_mask(hidden, mask)
        return self.predictor(hidden, self.grid_features(hidden, hidden, mask))
