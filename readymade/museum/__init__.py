"""How Transformers written from scratch go wrong: our own code with one mistake.

The mistakes are from published tutorials and libraries, and some are our own or ones
that we feared, numbered from 1 to 49, file by file in the order of the chapters. Some
numbers have several variants. Chapter 16 exhibits the translator's, up to 39. 40 to
43 are in chapter 15's losses, and in `POST_TRAINING`; 44 and 45 are in what looks
inside a model, in chapter 18, and in `INSIDE`; 46 and 47 are in the serving of
chapter 19, and in `SERVING`; 48 and 49 are in what reads pictures, in chapter 21, and
in `PICTURES`. `tests/broken` shows that a test catches each.

    from readymade.museum import broken, exhibit

    with broken(exhibit("scale left out"), "torch"):
        ...  # until here, scratch.torch makes this mistake

Two of the mistakes cannot be made here in full. A text that says post-LN above code
that is pre-LN (22) could only be in a chapter, and chapters must show the shipped code.
A head size that is a float (11) is refused by the frameworks' own layers, so here it is
rounded down.
"""

from readymade.museum.attention import ATTENTION
from readymade.museum.breaking import broken, functions_of
from readymade.museum.decoder import DECODER
from readymade.museum.embeddings import EMBEDDINGS
from readymade.museum.exhibits import Exhibit
from readymade.museum.gated_feed_forward import GATED_FEED_FORWARD
from readymade.museum.grouped_query import GROUPED_QUERY
from readymade.museum.inside import INSIDE
from readymade.museum.layers import LAYERS
from readymade.museum.pictures import PICTURES
from readymade.museum.post_training import POST_TRAINING
from readymade.museum.rms_norm import RMS_NORM
from readymade.museum.rotary import ROTARY
from readymade.museum.serving import SERVING
from readymade.museum.training import TRAINING

EXHIBITS = [
    *(*ATTENTION, *EMBEDDINGS, *LAYERS, *DECODER, *TRAINING),
    *(*ROTARY, *RMS_NORM, *GATED_FEED_FORWARD, *GROUPED_QUERY),
]

# (number, framework): why the mistake cannot be made there
CANNOT = {
    (7, "tensorflow"): "a tensor of TensorFlow cannot be changed; `/=` makes a new one",
}


def exhibit(what: str) -> Exhibit:
    """Return the exhibit with this description.

    Raises:
        KeyError: if there is none.
    """
    for one in (*EXHIBITS, *POST_TRAINING, *INSIDE, *SERVING, *PICTURES):
        if one.what == what:
            return one
    raise KeyError(f"what is {what!r}: wanted the description of an exhibit")


__all__ = """
    CANNOT EXHIBITS INSIDE PICTURES POST_TRAINING SERVING Exhibit broken exhibit
    functions_of
""".split()
