"""After pretraining: log-probabilities of answers, preferences, advantages."""

import numpy as np
import pytest
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, random, twins

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
FAR = 10_000.0  # a margin that overflows wherever exp stands alone


def scores(batch=3, length=5, vocab_size=7, scale=1.0):
    """Return logits, ids and a mask with answers of lengths 2, 3 and 1."""
    logits = scale * random(batch, length, vocab_size)
    ids = np.random.default_rng(1).integers(0, vocab_size, (batch, length))
    mask = np.array([[0, 0, 0, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]], bool)
    return logits, ids, mask


def log_softmax(logits):
    logits = logits.astype(float)
    logits = logits - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


@both
@pytest.mark.parametrize("scale", [1.0, FAR])
def test_an_answer_has_the_log_probabilities_of_its_own_tokens(framework, scale):
    logits, ids, mask = scores(scale=scale)
    found = framework.run(framework.answer_log_probs, logits, ids, mask)
    log_p = log_softmax(logits)
    expected = [
        sum(
            log_p[row, place - 1, ids[row, place]]
            for place in np.flatnonzero(mask[row])
        )
        for row in range(len(ids))
    ]
    np.testing.assert_allclose(found, expected, **CLOSE)
    arrays = framework.answer_log_probs(
        framework.tensor(logits), ids.astype(np.int32), mask
    )
    np.testing.assert_array_equal(framework.numpy(arrays), found)


@both
def test_what_the_answer_cannot_read_changes_nothing(framework):
    """Neither scores of tokens that are never written nor padding at the end count."""
    logits, ids, mask = scores()
    before = framework.run(framework.answer_log_probs, logits, ids, mask)
    last = np.array([4, 3, 2])  # the last token of each answer
    for row, place in enumerate(last):
        logits[row, place:] = np.nan
        ids[row, place + 1 :] = 0
    after = framework.run(framework.answer_log_probs, logits, ids, mask)
    np.testing.assert_array_equal(after, before)


@both
def test_what_would_be_silent_is_refused(framework):
    logits, ids, mask = scores()
    function = framework.answer_log_probs
    with pytest.raises(TypeError, match="answer_mask holds float32"):
        framework.run(function, logits, ids, mask.astype(np.float32))
    with pytest.raises(ValueError, match="answer_mask has shape"):
        framework.run(function, logits, ids, mask[:, 1:])
    with pytest.raises(ValueError, match=r"answer_mask has shape \(3, 1\)"):
        framework.run(function, logits[:, :2], ids[:, :2], mask[:, :1])
    with pytest.raises(TypeError, match="answer_mask is None"):
        framework.run(function, logits, ids, None)
    with pytest.raises(ValueError, match=r"ids has shape \(3, 4\)"):
        framework.run(function, logits, ids[:, 1:], mask)
    with pytest.raises(ValueError, match="ids holds 7: wanted"):
        framework.run(function, logits, np.where(mask, 7, ids), mask)
    row, square = np.zeros(3, np.float32), np.zeros((3, 3), np.float32)
    wrong = r"shapes are \(3,\) and \(3, 3\): wanted the same"
    with pytest.raises(ValueError, match=wrong):
        framework.run(framework.policy_gradient_loss, row, square)
    with pytest.raises(ValueError, match=wrong):
        framework.run(framework.dpo_loss, row, row, row, square)


@both
@pytest.mark.parametrize("beta", [0.1, 1.5])
def test_dpo_is_the_papers_equation(framework, beta):
    chosen, rejected, before, rejected_before = log_probs = 5 * random(4, 3)
    found = framework.run(framework.dpo_loss, *log_probs, beta=beta)
    reward = beta * (chosen.astype(float) - before)
    rejected_reward = beta * (rejected.astype(float) - rejected_before)
    probability = 1 / (1 + np.exp(rejected_reward - reward))
    np.testing.assert_allclose(found, -np.log(probability).mean(), **CLOSE)


@both
@pytest.mark.parametrize(("margin", "loss", "slope"), [(FAR, 0, 0), (-FAR, FAR, -1)])
def test_dpo_is_finite_at_any_margin(framework, margin, loss, slope):
    zero = framework.tensor(np.zeros(1, np.float32))
    gradient, value = framework.input_gradient(
        lambda chosen: framework.dpo_loss(chosen, zero, zero, zero, beta=1.0),
        np.array([margin], np.float32),
    )
    assert (value, *gradient) == (loss, slope)


@both
def test_a_group_of_advantages_has_mean_0_and_its_own_standard_deviation(framework):
    rewards = random(4, 5) * np.array([[1], [10], [0.1], [100]], np.float32) + 3
    plain = framework.run(framework.group_advantages, rewards, normalize=False)
    found = framework.run(framework.group_advantages, rewards)
    means = rewards.astype(float).mean(1, keepdims=True)
    np.testing.assert_allclose(plain, rewards - means, atol=1e-4, rtol=1e-4)
    stds = rewards.astype(float).std(1, ddof=1, keepdims=True)
    np.testing.assert_allclose(found, (rewards - means) / stds, atol=1e-4, rtol=1e-4)


@both
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("samples", [1, 3, 8])
def test_equal_rewards_teach_nothing(framework, normalize, samples):
    """A reward such as 0.1, whose mean is rounded, included."""
    rewards = np.repeat(np.array([[0.1], [0], [1], [1e6]], np.float32), samples, 1)
    found = framework.run(framework.group_advantages, rewards, normalize=normalize)
    np.testing.assert_array_equal(found, np.zeros_like(rewards))


@both
def test_the_policy_gradient_weighs_log_probabilities_by_advantages(framework):
    log_probs, advantages = 5 * random(2, 6)
    found = framework.run(framework.policy_gradient_loss, log_probs, advantages)
    expected = -(log_probs.astype(float) * advantages).mean()
    np.testing.assert_allclose(found, expected, **CLOSE)


def preferences(framework, found):
    chosen, rejected = found[:2], found[2:]
    return framework.dpo_loss(chosen, rejected, chosen * 0 - 9.0, rejected * 0 - 8.0)


def rewarded(framework, found):
    advantages = np.array([0.5, -2.5, 1.0, 1.0], np.float32)
    return framework.policy_gradient_loss(found, framework.tensor(advantages))


@pytest.mark.parametrize("stage", [preferences, rewarded])
def test_both_frameworks_have_the_same_loss_and_gradient_in_a_model(stage):
    """Of a model with the layout of chapter 15's, whose rows have answers of all
    lengths."""
    small = configs.config(
        vocab_size=13, d_model=16, num_heads=4, num_kv_heads=2, d_ff=24, num_layers=1,
        activation="swiglu", norm="rms", norm_first=True, positions="rotary",
        bias=False, dropout=0.0,
    )  # fmt: skip
    ids = np.random.default_rng(0).integers(1, 13, (4, 7))
    mask = np.arange(7) >= np.array([[1], [3], [5], [6]])

    def loss(framework):
        log_probs = framework.answer_log_probs
        return lambda model, ids, mask: stage(
            framework, log_probs(model(ids), ids, mask)
        )

    (value, gradients), (tf_value, tf_gradients) = (
        framework.gradients(model, loss(framework), ids, mask)
        for framework, model in zip(
            (TORCH, TENSORFLOW), twins("CausalLanguageModel", small), strict=True
        )
    )
    np.testing.assert_allclose(value, tf_value, **CLOSE)
    largest = max(abs(one).max() for one in gradients.values())
    assert gradients.keys() == tf_gradients.keys() and largest > 0.1
    for path, one in gradients.items():
        np.testing.assert_allclose(
            one, tf_gradients[path], atol=1e-4 * largest, err_msg=path
        )
