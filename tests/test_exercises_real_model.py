"""The MiniLM in NumPy, by which explorations are judged, is the published one."""

from scratch.exercises.real_model import read, tokenizer
from scratch.weights import minilm_path

import numpy as np
import pytest
import torch
from transformers import BertModel


@pytest.mark.parametrize(
    "texts",
    [
        ("time flies like an arrow", "fruit flies like a banana"),
        ("Hello, world!", None),
    ],
)
def test_the_numpy_model_equals_transformers(texts):
    model = BertModel.from_pretrained(minilm_path(), attn_implementation="eager")
    encoded = tokenizer().encode(*texts)
    with torch.no_grad():
        theirs = model.eval()(
            torch.tensor([encoded.ids]),
            token_type_ids=torch.tensor([encoded.type_ids]),
            output_attentions=True,
        )
    ours = read(*texts)
    assert list(ours.tokens) == encoded.tokens
    # Single precision through six layers.
    np.testing.assert_allclose(ours.hidden, theirs.last_hidden_state[0], atol=1e-5)
    attentions = torch.cat(theirs.attentions).numpy()
    np.testing.assert_allclose(ours.attentions, attentions, atol=1e-5)
