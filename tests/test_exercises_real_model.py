"""The MiniLM in NumPy, by which explorations are judged, is the published one."""

from scratch.exercises.decoder import first_and_last
from scratch.exercises.real_model import SENTENCES, read, tokenizer
from scratch.torch import causal_mask
from scratch.weights import load_checkpoint, minilm_path

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


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_wrong_masks_give_what_the_exercise_says(sentence):
    model, words = load_checkpoint()
    ids = torch.tensor([words.encode(sentence)])
    mask = causal_mask(ids.shape[1])
    wrong = {"OTHER_TRIANGLE": mask.transpose(2, 3), "INVERTED": ~mask}
    for name, wrong_mask in wrong.items():
        with torch.no_grad():
            free, bound = model.eval()(ids)[0][0], model(ids, wrong_mask)[0][0]
        cosines = torch.cosine_similarity(free, bound, dim=1)
        place, cosine = getattr(first_and_last, name)[sentence]
        # Written down with four decimals.
        assert cosines.argmin() == place
        assert abs(cosines.min() - cosine) < 1e-4
