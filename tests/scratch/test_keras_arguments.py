"""The arguments that every Keras layer has reach ours, and the layers inside."""

import pytest
from helpers.configs import BERT
from helpers.frameworks import TENSORFLOW

LAYERS = {
    "AttentionHead": (12, 4),
    "MultiHeadAttention": (12, 3),
    "FeedForward": (12, 20),
    "LearnedPositions": (12, 9),
    "Embeddings": (BERT,),
    "TokenLogits": (BERT, None),
}


@pytest.mark.parametrize("name", LAYERS)
def test_name_dtype_and_trainable_reach_keras_and_the_layers_inside(name):
    layer = getattr(TENSORFLOW, name)(
        *LAYERS[name], name="ours", dtype="bfloat16", trainable=False
    )
    assert layer.name == "ours"
    assert layer.trainable_variables == []
    assert layer.count_params() > 0  # without a call
    assert {weight.dtype for weight in layer.weights} == {"bfloat16"}
