"""Residual connections, with a norm before or after."""

from scratch.config import TransformerConfig
from scratch.torch.choices import layer_norm_from

from torch import Tensor, nn


class AddAndNorm(nn.Module):
    """A residual connection around a sublayer, and a norm.

    Post-LN, as in the paper: norm(x + sublayer(x)).
    Pre-LN, if config.norm_first: x + sublayer(norm(x)).
    Dropout acts on the sublayer's output. It has no forward
    pass: call `before`, then the sublayer, then `after`.

    Args:
        config: sizes, norm_first and dropout.

    Source: Vaswani et al. 2017, section 3.1; pre-LN: Xiong
    et al. 2020, section 3.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.norm_first = config.norm_first
        self.norm = layer_norm_from(config)
        self.dropout = nn.Dropout(config.dropout)

    def before(self, x: Tensor) -> Tensor:
        """The sublayer's input.

        Args:
            x: (batch, length, d_model).

        Returns:
            (batch, length, d_model).
        """
        return self.norm(x) if self.norm_first else x

    def after(self, x: Tensor, output: Tensor) -> Tensor:
        """The sum of x and the sublayer's output.

        Args:
            x: what `before` took, (batch, length, d_model).
            output: the sublayer's, of the same shape.

        Returns:
            (batch, length, d_model), normed if post-LN.
        """
        x = x + self.dropout(output)
        return x if self.norm_first else self.norm(x)
