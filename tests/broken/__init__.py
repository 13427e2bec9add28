"""The test of ours that catches each mistake of the museum (`readymade.museum`)."""

from broken.attention import ATTENTION
from broken.decoder import DECODER
from broken.embeddings import EMBEDDINGS
from broken.gated_feed_forward import GATED_FEED_FORWARD
from broken.grouped_query import GROUPED_QUERY
from broken.inside import INSIDE
from broken.layers import LAYERS
from broken.pictures import PICTURES
from broken.post_training import POST_TRAINING
from broken.rms_norm import RMS_NORM
from broken.rotary import ROTARY
from broken.serving import SERVING
from broken.training import TRAINING

GUARDED = [
    *(*ATTENTION, *EMBEDDINGS, *LAYERS, *DECODER, *TRAINING, *POST_TRAINING, *INSIDE),
    *(*ROTARY, *RMS_NORM, *GATED_FEED_FORWARD, *GROUPED_QUERY, *SERVING),
    *PICTURES,
]
