"""The whole model: what it reads, its initial loss, and what its parts share."""

import math
from functools import partial

import numpy as np
import pytest
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, in_both_modes, kept

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
BOS, EOS = 1, 2


config = partial(configs.config, vocab_size=9, max_len=16, num_layers=1)


SOURCE = np.array([[5, 3, 8, 7], [4, 6, 0, 0], [3, 3, 3, 0]])
IDS = np.array([[5, 3, 7], [3, 4, 6]])


@both
@in_both_modes
def test_the_source_is_read(framework, training):
    model = kept(framework, "Transformer", config())
    target = np.array([[1, 4, 5]])
    logits = framework.run(model, SOURCE[1:2], target, training=training)
    other = framework.run(model, SOURCE[2:3], target, training=training)
    assert np.abs(other - logits).max() > 1e-3


@both
def test_the_memory_mask_is_not_the_targets(framework):
    """Padding of a target that is as long as its source hides nothing of the source."""
    model = kept(framework, "Transformer", config())
    padded, full = (
        framework.run(model, SOURCE[:1], np.array([[2, 2, *rest]]))
        for rest in ([0, 0], [4, 4])
    )
    np.testing.assert_allclose(padded[:, :2], full[:, :2], **CLOSE)


@both
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("tie_output", [False, True])
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_the_first_loss_is_that_of_a_guess(framework, piece, norm_first, tie_output):
    framework.seed()
    settled = config(
        vocab_size=512, d_model=64, num_heads=4, num_layers=2,
        norm_first=norm_first, tie_output=tie_output,
    )  # fmt: skip
    model = getattr(framework, piece)(settled)
    rng = np.random.default_rng(0)
    inputs = [rng.integers(1, 512, (16, 12)) for _ in range(2)]
    logits = framework.run(model, *inputs[: 1 + (piece == "Transformer")])
    targets = rng.integers(1, 512, (16, 12))
    loss = framework.run(framework.cross_entropy, logits, targets, 0)
    # Logits with a spread of 1 cost half a nat more than a guess, not ten.
    assert math.log(512) - 0.1 < loss < math.log(512) + 0.8


@both
def test_one_vocabulary_is_one_table(framework):
    shared = kept(framework, "Transformer", config())
    assert shared.encoder.embeddings is shared.decoder.embeddings
    assert shared.logits.tokens is shared.decoder.embeddings.tokens
    apart = kept(framework, "Transformer", config(target_vocab_size=9))
    assert apart.encoder.embeddings is not apart.decoder.embeddings
    assert apart.logits.tokens is apart.decoder.embeddings.tokens
    own = kept(framework, "Transformer", config(tie_output=False))
    assert own.logits.tokens is not own.decoder.embeddings.tokens


def test_a_shared_table_is_one_parameter():
    """No optimizer updates a weight twice that is reached by three paths."""
    shared, apart = (
        config(),
        config(target_vocab_size=9, tie_output=False),
    )
    counts = {}
    for settled in (shared, apart):
        one = kept(TORCH, "Transformer", settled)
        other = kept(TENSORFLOW, "Transformer", settled)
        ours = sum(p.numel() for p in one.parameters())
        theirs = sum(math.prod(v.shape) for v in other.trainable_variables)
        assert ours == theirs
        counts[settled] = ours
    assert counts[apart] - counts[shared] == 2 * 9 * 12
