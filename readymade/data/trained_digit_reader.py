"""A trained classifier of handwritten digits, for the box on *Live models*."""

from pathlib import Path
from typing import Any

from scratch.config import TransformerConfig

PATH = Path(__file__).with_name("digit_classifier.safetensors")
CONFIG = TransformerConfig(
    None, d_model=48, num_heads=4, d_ff=96, num_layers=2, max_len=5, dropout=0.0,
    activation="gelu", norm_first=True, positions="learned", scale_embeddings=False,
    pad_id=None,
)  # fmt: skip
PATCH = 4  # pixels on each side


def new_digit_reader() -> Any:
    """Return a SequenceClassifier of pictures, in PyTorch, with random weights.

    A digit of 8 × 8 pixels becomes four patches of 4 × 4, with [CLS] before them.
    """
    from scratch.torch import Encoder, PatchEmbeddings, SequenceClassifier

    encoder = Encoder(CONFIG, PatchEmbeddings(CONFIG, PATCH))
    return SequenceClassifier(CONFIG, 10, encoder)


def digit_reader() -> Any:
    """Return a SequenceClassifier that tells `digits` apart, in PyTorch.

    `tools/experiments/train_digit_reader.py` trained it on the pictures that `digits`
    doesn't hold out. Its weights are stored in float16 and come under the licence of
    the book's text (CC BY 4.0).
    """
    from safetensors.torch import load_file

    model = new_digit_reader()
    model.load_state_dict({name: one.float() for name, one in load_file(PATH).items()})
    return model.eval()
