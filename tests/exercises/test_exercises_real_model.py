"""Models in NumPy, the reference of explorations, are the published ones."""

from exercises.chapters.decoder.causal_encoder import later
from exercises.engine.game_tries import tries
from exercises.engine.minilm import SENTENCES, read, tokenizer
from readymade import weights
from readymade.data import number_game
from readymade.weights import load_checkpoint, minilm_path
from scratch.random_numbers import uniform_numbers
from scratch.torch import causal_mask

import numpy as np
import pytest
import torch
from helpers.read_once import read_once
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


MASKS = {
    "no later one": (np.tril, lambda mask: mask),
    "no earlier one": (np.triu, lambda mask: mask.transpose(2, 3)),
    "only later ones, the last none": (later, lambda mask: ~mask),
}


@pytest.mark.slow("a real model in NumPy that is not the published one")
@pytest.mark.parametrize("name", MASKS)
def test_a_token_sees_what_the_mask_leaves(name):
    seen, of_causal = MASKS[name]
    model, words = load_checkpoint()
    ids = torch.tensor([words.encode(SENTENCES[0])])
    mask = of_causal(causal_mask(ids.shape[1]))
    with torch.no_grad():
        hidden, weights = model.eval()(ids, mask)
    ours = read(SENTENCES[0], seen=seen)
    np.testing.assert_allclose(ours.hidden, hidden[0], atol=1e-5)
    attentions = torch.cat(weights).numpy()
    np.testing.assert_allclose(ours.attentions, attentions, atol=1e-5)


@pytest.mark.parametrize("stage", ["instructions", "rewards"])
def test_tries_in_numpy_are_what_generate_draws(stage):
    """Prompts have different lengths, and answers end at different places."""
    games = number_game.questions(8, seed=3)
    prompts = [number_game.prompt(one.text) for one in games]
    uniform = uniform_numbers(5, 8 * 3, number_game.LONGEST).reshape(8, 3, -1)
    ours = tries(stage, prompts, uniform)
    model = number_game.stages()[stage]
    rows = [prompt for prompt in prompts for _ in range(3)]
    wanted = number_game.answers(model, rows, temperature=1.0, seed=5)
    assert [text for tried in ours for text in tried] == wanted


def test_each_stage_is_a_model_of_its_own_when_read_once():
    with read_once():
        stages = number_game.stages()
        again = number_game.stages()
        tables = [one.decoder.embeddings.tokens.weight for one in stages.values()]
        assert all(again[name] is model for name, model in stages.items())
        assert not any(
            torch.equal(a, b) for n, a in enumerate(tables) for b in tables[:n]
        )


def test_what_a_program_changes_in_the_model_no_other_program_sees():
    with read_once():
        model, _ = weights.load_checkpoint()
        network = model.layers[0].feed_forward
        activation = network.activation
        network.activation, network.new = None, True
        assert weights.load_checkpoint()[0] is model
        assert network.activation is activation and not hasattr(network, "new")
    with read_once():
        assert weights.load_checkpoint()[0] is model
        with torch.no_grad():
            network.expand.weight[0, :2] = network.expand.weight[0, [1, 0]]
    with read_once():
        assert weights.load_checkpoint()[0] is not model
