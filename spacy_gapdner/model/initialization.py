"""Initialization that keeps the variance of the signal from the words to the logits.

With PyTorch's defaults (a gain of 1/sqrt(3), and GELU, which halves small signals) the grid
features start at a tenth of the scale of the words, and training spends its first epochs on growing
them. The paper does not specify the initialization.
"""

from torch import nn

# GELU halves the variance of a centered input, as ReLU does
_GELU_GAIN = nn.init.calculate_gain("relu")


def init_linear(linear: nn.Linear) -> None:
    """Initialize a linear layer with Xavier uniform weights and zero bias.

    linear (nn.Linear): The layer.
    """
    _init(linear, 1.0)


def init_before_gelu(linear: nn.Linear) -> None:
    """Initialize a linear layer that GELU follows: Xavier uniform weights with a gain of sqrt(2)
    and zero bias.

    linear (nn.Linear): The layer.
    """
    _init(linear, _GELU_GAIN)


def init_lstm(lstm: nn.LSTM) -> None:
    """Initialize an LSTM gate by gate: Xavier uniform input weights, orthogonal recurrent weights
    and zero bias.

    lstm (nn.LSTM): The LSTM.
    """
    for name, parameter in lstm.named_parameters():
        for gate in parameter.data.chunk(4):
            if name.startswith("weight_ih"):
                nn.init.xavier_uniform_(gate)
            elif name.startswith("weight_hh"):
                nn.init.orthogonal_(gate)
            else:
                nn.init.zeros_(gate)


def _init(linear: nn.Linear, gain: float) -> None:
    nn.init.xavier_uniform_(linear.weight, gain)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)
