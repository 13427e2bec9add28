"""How Transformers written from scratch go wrong: every mistake, and what catches it.

The mistakes are those that published tutorials and libraries made. They are numbered
from 1 to 35, file by file in the order of the chapters.

Of two of them a part is no matter of these packages. A text that says post-LN over code
that is pre-LN (22) is caught where the chapters are held to show the shipped code. A
head size that is a float (11) is refused by the frameworks' own layers; what is made
here is the integer that it is cut to.
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
