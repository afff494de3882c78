"""Initialization that preserves the variance of the signal from the words to the logits.

With PyTorch's defaults, the grid features start at a tenth of the scale of the words, and training
spends its first epochs on scaling them up. The paper does not specify the initialization.
"""

from torch import nn

# like ReLU, GELU halves the variance of a centered input
_GELU_GAIN = nn.init.calculate_gain("relu")


def init_linear(linear: nn.Linear) -> None:
    """Initialize a linear layer with Xavier uniform weights and zero bias.

    linear (nn.Linear): The layer.
    """
    _init(linear, 1.0)


def init_before_gelu(linear: nn.Linear) -> None:
    """Initialize a linear layer that is followed by GELU, with Xavier uniform weights, a gain of
    sqrt(2) and zero bias.

    linear (nn.Linear): The layer.
    """
    _init(linear, _GELU_GAIN)


def init_lstm(lstm: nn.LSTM) -> None:
    """Initialize each gate of an LSTM with Xavier uniform input weights, orthogonal recurrent
    weights and zero bias.

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
