"""Initialize weights so that the variance of the signal is the same from the words to the logits.

With PyTorch's defaults, the grid features start at a tenth of the scale of the words, and training
spends its first epochs on scaling them up. The paper does not specify the initialization.
"""

from torch import nn


def init_linear(linear: nn.Linear, *, before_gelu: bool = False) -> None:
    """Initialize a linear layer with Xavier uniform weights and zero bias. Before GELU, the gain is
    sqrt(2), because GELU, like ReLU, halves the variance of a centered input.
    """
    nn.init.xavier_uniform_(linear.weight, nn.init.calculate_gain("relu") if before_gelu else 1.0)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def init_lstm(lstm: nn.LSTM) -> None:
    """Initialize each gate: Xavier uniform input, orthogonal recurrent weights, and zero bias."""
    for name, parameter in lstm.named_parameters():
        for gate in parameter.data.chunk(4):
            if name.startswith("weight_ih"):
                nn.init.xavier_uniform_(gate)
            elif name.startswith("weight_hh"):
                nn.init.orthogonal_(gate)
            else:
                nn.init.zeros_(gate)
