"""How Transformers written from scratch go wrong: every mistake, and what catches it.

The mistakes are those that published tutorials and libraries made. They are numbered
from 1 to 35, file by file in the order of the chapters.
"""

from broken.attention import ATTENTION
from broken.decoder import DECODER
from broken.embeddings import EMBEDDINGS
from broken.layers import LAYERS
from broken.training import TRAINING

MISTAKES = [*ATTENTION, *EMBEDDINGS, *LAYERS, *DECODER, *TRAINING]

# (number, framework): why the mistake cannot be made there
CANNOT = {
    (7, "tensorflow"): "a tensor of TensorFlow cannot be changed; `/=` makes a new one",
}
