"""Loaded under another default dtype, a model has the angles it was trained with."""

from readymade.weights import load_checkpoint

import keras
import numpy as np
import pytest
import torch
from helpers.library_models import save

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")


@pytest.fixture(params=["float16", "bfloat16", "float64"])
def other_default(request):
    """Give both frameworks another default dtype for a while."""
    yield request.param
    torch.set_default_dtype(torch.float32)
    keras.config.set_floatx("float32")
    keras.config.set_dtype_policy("float32")


def constants(model):
    """Return the angles or sinusoids of a loaded model."""
    if hasattr(model, "encoder"):
        return np.asarray(model.encoder.embeddings.positions.table)
    return np.asarray(model.decoder.layers[0].self_attention.frequency)


@pytest.mark.slow("a default precision that rounds angles")
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
@pytest.mark.parametrize(
    "kind", ["LlamaForCausalLM", "Qwen3ForCausalLM", "MarianMTModel"]
)
def test_angles_are_those_of_float32(framework, kind, other_default, tmp_path):
    """Plain, scaled, and Marian's sinusoids."""
    save(kind, tmp_path)
    wanted = constants(load_checkpoint(tmp_path, framework)[0])
    torch.set_default_dtype(getattr(torch, other_default))
    keras.config.set_floatx(other_default)
    keras.config.set_dtype_policy(other_default)
    angles = constants(load_checkpoint(tmp_path, framework)[0])
    assert angles.dtype == wanted.dtype == np.float32
    np.testing.assert_array_equal(angles, wanted)
