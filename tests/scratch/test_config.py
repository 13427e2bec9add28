"""The configuration: by default the paper's base model, and no invalid values."""

import dataclasses

from scratch.config import TransformerConfig

import pytest

WRONG = [
    ({"vocab_size": 0}, ValueError, "vocab_size is 0: wanted at least 1"),
    ({"vocab_size": 10.0}, TypeError, "vocab_size is 10.0.*wanted an integer"),
    ({"num_layers": True}, TypeError, "num_layers is True.*wanted an integer"),
    ({"num_decoder_layers": 0}, ValueError, "num_decoder_layers is 0"),
    ({"target_vocab_size": -1}, ValueError, "target_vocab_size is -1"),
    ({"d_k": 0}, ValueError, "d_k is 0"),
    ({"pad_id": -1}, ValueError, "pad_id is -1"),
    ({"pad_id": 50}, ValueError, "pad_id is 50: wanted less than 10"),
    ({"pad_id": 9, "target_vocab_size": 9}, ValueError, "pad_id is 9: wanted less"),
    ({"unwritten_ids": (50,)}, ValueError, "unwritten_ids is 50: wanted less than 10"),
    (
        {"unwritten_ids": (20,), "target_vocab_size": 20},
        ValueError,
        "unwritten_ids is 20: wanted less than 20",
    ),
    ({"num_segments": -1}, ValueError, "num_segments is -1: wanted at least 0"),
    ({"dropout": 1}, ValueError, "dropout is 1: wanted 0 ≤ dropout < 1"),
    ({"dropout": "0.1"}, TypeError, "dropout is '0.1'.*wanted a number"),
    ({"layer_norm_eps": 0}, ValueError, "layer_norm_eps is 0.*above 0"),
    ({"layer_norm_eps": float("inf")}, ValueError, "layer_norm_eps is inf.*above 0"),
    ({"layer_norm_eps": "1e-5"}, TypeError, "layer_norm_eps is '1e-5'.*a number"),
    ({"norm_first": "False"}, ValueError, "norm_first is 'False'.*True, False"),
    ({"activation": "tanh"}, ValueError, "activation is 'tanh'.*'relu', 'gelu'"),
    ({"positions": "none"}, ValueError, "positions is 'none'.*'sinusoidal'"),
    ({"pooler": "max"}, ValueError, "pooler is 'max'.*None, 'tanh', 'relu'"),
    ({"num_heads": 7}, ValueError, "d_model is 512 and num_heads is 7"),
    ({"d_model": 7, "num_heads": 1}, ValueError, "d_model is 7: wanted an even"),
    ({"num_kv_heads": 3}, ValueError, "num_kv_heads is 3: wanted a number that"),
    ({"num_kv_heads": 0}, ValueError, "num_kv_heads is 0: wanted at least 1"),
    ({"positions": "rotary", "d_k": 5}, ValueError, "d_k is 5: wanted an even"),
    ({"rotary_base": 0}, ValueError, "rotary_base is 0: wanted a number above 0"),
    ({"rotary_base": "1"}, TypeError, "rotary_base is '1'"),
    ({"qk_norm": 1.5}, ValueError, "qk_norm is 1.5: wanted one of True, False"),
    ({"rotary_scaling": (8, 1, 4)}, ValueError, "rotary_scaling is .8, 1, 4.: "),
    ({"rotary_scaling": (8, 4, 4, 9)}, ValueError, "wanted .* low below high"),
    ({"rotary_scaling": (0, 1, 4, 9)}, ValueError, "rotary_scaling is 0: wanted"),
    ({"norm": "RMS"}, ValueError, "norm is 'RMS': wanted one of 'layer', 'rms'"),
    ({"bias": "no"}, ValueError, "bias is 'no': wanted one of True, False"),
    ({"qkv_bias": "no"}, ValueError, "qkv_bias is 'no': wanted one of True, Fa"),
]


def test_the_defaults_are_the_papers_base_model():
    config = TransformerConfig(vocab_size=37_000)
    assert (config.d_model, config.num_heads, config.d_ff) == (512, 8, 2048)
    assert (config.num_layers, config.dropout) == (6, 0.1)
    assert (config.activation, config.positions) == ("relu", "sinusoidal")
    assert config.scale_embeddings and config.tie_output and not config.norm_first


def test_a_value_that_makes_no_sense_is_named():
    for change, error, words in WRONG:
        with pytest.raises(error, match=words):
            TransformerConfig(**{"vocab_size": 10, **change})


def test_heads_need_not_divide_d_model_if_their_size_is_given():
    assert TransformerConfig(vocab_size=10, num_heads=7, d_k=64).d_k == 64


def test_learned_positions_may_have_any_length():
    TransformerConfig(vocab_size=10, d_model=7, num_heads=1, positions="learned")


def test_a_configuration_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TransformerConfig(vocab_size=10).d_model = 3


def test_the_decoder_has_the_targets_vocabulary_and_its_own_depth():
    config = TransformerConfig(
        vocab_size=10,
        target_vocab_size=20,
        num_decoder_layers=3,
        num_segments=2,
        unwritten_ids=(15,),
    )
    decoder = config.for_decoder()
    assert (decoder.vocab_size, decoder.num_layers) == (20, 3)
    assert decoder.unwritten_ids == (15,)
    assert decoder.num_segments == 0
    assert decoder.for_decoder() == decoder
