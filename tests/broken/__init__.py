"""What catches each mistake of the museum (`readymade.museum`): a test of ours."""

from broken.attention import ATTENTION
from broken.decoder import DECODER
from broken.embeddings import EMBEDDINGS
from broken.layers import LAYERS
from broken.post_training import POST_TRAINING
from broken.todays_decoder import TODAYS_DECODER
from broken.training import TRAINING

GUARDED = [
    *(*ATTENTION, *EMBEDDINGS, *LAYERS, *DECODER, *TRAINING, *TODAYS_DECODER),
    *POST_TRAINING,
]
