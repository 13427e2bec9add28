"""Pictures as tokens: patches, encoders and translators of pictures, pairs."""

from dataclasses import replace

from readymade.weights import copy_weights

import keras
import numpy as np
import pytest
import torch
from helpers.configs import CLOSE, READER, VIT
from helpers.frameworks import TENSORFLOW, TORCH, both, random

PICTURES = random(2, 3, 4, 6)


def classifier(framework, config=VIT, size=2, channels=3):
    embeddings = framework.PatchEmbeddings(config, size, channels)
    encoder = framework.Encoder(config, embeddings)
    return framework.SequenceClassifier(config, 5, encoder)


def reader(framework, config=READER, size=2, channels=3):
    embeddings = framework.PatchEmbeddings(config, size, channels)
    return framework.Transformer(config, embeddings)


def untied_reader(framework):
    """Return one that doesn't write the token that it read."""
    return reader(framework, replace(READER, tie_output=False))


def random_twins(build):
    """Return a model in both frameworks with the same weights, none of them 0."""
    torch.manual_seed(0)
    ours, theirs = build(TORCH), build(TENSORFLOW)
    with torch.no_grad():
        for weight in ours.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    copy_weights(ours, theirs)
    return ours, theirs


def test_a_picture_of_numbers_is_cut_in_reading_order():
    picture = np.arange(16).reshape(1, 1, 4, 4)
    rows = TORCH.run(TORCH.patches, picture, 2)
    wanted = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    np.testing.assert_array_equal(rows, [wanted])
    np.testing.assert_array_equal(TENSORFLOW.run(TENSORFLOW.patches, picture, 2), rows)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_patches_times_a_matrix_is_a_strided_convolution(size):
    """In both frameworks; Keras has the axes of its kernel in another order."""
    pictures, kernel = random(2, 3, 6, 12), random(5, 3, size, size, seed=1)
    matrix = kernel.reshape(5, -1)
    found = TORCH.run(TORCH.patches, pictures, size) @ matrix.T
    np.testing.assert_array_equal(
        TENSORFLOW.run(TENSORFLOW.patches, pictures, size) @ matrix.T, found
    )
    ours = torch.nn.Conv2d(3, 5, size, stride=size, bias=False)
    ours.weight.data = torch.tensor(kernel)
    wanted = ours(torch.tensor(pictures)).flatten(2).transpose(1, 2)
    np.testing.assert_allclose(found, wanted.detach(), **CLOSE)
    theirs = keras.layers.Conv2D(5, size, strides=size, use_bias=False)
    last = pictures.transpose(0, 2, 3, 1)
    theirs.build(last.shape)
    theirs.kernel.assign(kernel.transpose(2, 3, 1, 0))
    wanted = theirs(last).numpy().reshape(2, -1, 5)
    np.testing.assert_allclose(found, wanted, **CLOSE)


@both
def test_the_first_vector_is_cls_and_the_others_are_patches(framework):
    """With positions for each, whatever a row's number of dots is."""
    layer = framework.PatchEmbeddings(READER, 2, 3)
    found = framework.run(layer, PICTURES)
    assert found.shape == (2, 7, 12)
    places = framework.numpy(framework.sinusoids(7, 12))
    np.testing.assert_allclose(
        found[:, 0], places[[0, 0]], **CLOSE
    )  # [CLS] starts at 0
    rows = framework.run(framework.patches, PICTURES, 2)
    rows = framework.run(layer.projection, rows)
    np.testing.assert_allclose(found[:, 1:], rows * 12**0.5 + places[1:], **CLOSE)


@both
def test_a_row_does_not_depend_on_the_others(framework):
    for build in (classifier, reader):
        model = build(framework)
        ids = [np.array([[1, 5, 3], [1, 2, 8]])] if build is reader else []
        both_rows = framework.run(model, PICTURES, *ids)
        one = framework.run(model, PICTURES[1:], *(one[1:] for one in ids))
        np.testing.assert_allclose(both_rows[1:], one, **CLOSE)


@pytest.mark.parametrize("build", [classifier, reader])
def test_twins_agree(build):
    """In their outputs, gradients and one step of AdamW."""
    pair = random_twins(build)
    ids = () if build is classifier else (np.array([[1, 5, 3], [1, 2, 8]]),)
    outputs, gradients, stepped = [], [], []
    for framework, model in zip((TORCH, TENSORFLOW), pair, strict=True):
        outputs.append(framework.run(model, PICTURES, *ids))
        weight = framework.tensor(random(*outputs[0].shape, seed=2))

        def loss(model, *inputs, weight=weight, ours=framework is TORCH):
            weighed = model(*inputs) * weight
            return weighed.sum() if ours else keras.ops.sum(weighed)

        gradients.append(framework.gradients(model, loss, PICTURES, *ids)[1])
        framework.adamw(model, 0.01)
        stepped.append(framework.run(model, PICTURES, *ids))
    np.testing.assert_allclose(outputs[1], outputs[0], **CLOSE)
    largest = max(np.abs(one).max() for one in gradients[0].values())
    for path, gradient in gradients[0].items():
        np.testing.assert_allclose(gradients[1][path], gradient, atol=1e-4 * largest)
        assert path.endswith("key.bias") or np.abs(gradient).max() > 0, path
    np.testing.assert_allclose(stepped[1], stepped[0], atol=1e-3)
    assert np.abs(stepped[0] - outputs[0]).max() > 0.01


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_reader_writes_the_same_with_a_cache_and_without(beam_size):
    """And in both frameworks; for one picture alone as for it in a batch."""
    ours, theirs = random_twins(untied_reader)
    how = {"max_new_tokens": 6, "beam_size": beam_size}
    written = ours.generate(PICTURES, 1, 8, **how)
    assert written.shape[1] > 2 and len({*written.flatten().tolist()}) > 2
    for model, inputs in ((ours, torch.tensor(PICTURES)), (theirs, PICTURES)):
        for use_cache in (True, False):
            again = model.generate(inputs, 1, 8, use_cache=use_cache, **how)
            np.testing.assert_array_equal(again, written)
    alone = ours.generate(PICTURES[1:], 1, 8, **how)
    np.testing.assert_array_equal(alone, written[1:, : alone.shape[1]])


def test_what_is_written_depends_on_the_picture():
    model, _ = random_twins(reader)
    ids = np.array([[1, 5, 3], [1, 2, 8]])
    before = TORCH.run(model, PICTURES, ids)
    for row, column in ((0, 0), (3, 5)):  # the first and the last patch
        changed = PICTURES.copy()
        changed[:, :, row, column] += 1
        moved = np.abs(TORCH.run(model, changed, ids) - before).max((1, 2))
        assert (moved > 1e-3).all()


# (what is wrong, error, words)
WRONG = [
    (PICTURES[:, :2], ValueError, r"shape \(2, 2, 4, 6\): wanted .* with 3 channels"),
    (PICTURES[0], ValueError, r"pictures has shape \(3, 4, 6\): wanted \(batch, chan"),
    (
        PICTURES[:, :, :3],
        ValueError,
        r"shape \(2, 3, 3, 6\): .* width that 2, the size",
    ),
    (PICTURES[:, :, :, :5], ValueError, "width that 2, the size, divides"),
    (PICTURES[:, :, :0], ValueError, "width that 2, the size, divides"),
    (
        np.zeros(PICTURES.shape, np.uint8),
        TypeError,
        "pictures holds uint8: wanted a te",
    ),
    (np.zeros(PICTURES.shape, bool), TypeError, "pictures holds bool: wanted"),
    (255 * np.ones_like(PICTURES), ValueError, "pictures holds 255.0: wanted numbers"),
    (PICTURES * np.nan, ValueError, "pictures holds nan: wanted numbers from -100"),
    (PICTURES * np.inf, ValueError, "pictures holds -?inf: wanted numbers from -100"),
    (random(2, 3, 4, 8), ValueError, "has 9 tokens: wanted at most 7"),
]


@both
def test_what_would_be_silent_is_refused(framework):
    model = classifier(framework)
    for pictures, error, words in WRONG:
        with pytest.raises(error, match=words):
            framework.run(model, pictures)
    # as many patches as pictures of 4 × 6 have
    sized = framework.PatchEmbeddings(VIT, 2, 3, picture_size=(4, 6))
    framework.run(sized, PICTURES)
    with pytest.raises(ValueError, match=r"\(2, 3, 6, 4\): .* 4 lines and 6 columns"):
        framework.run(sized, PICTURES.reshape(2, 3, 6, 4))
    for wrong in (6, (6,), (0, 6)):
        with pytest.raises(ValueError, match="picture_size is"):
            framework.PatchEmbeddings(VIT, 2, 3, picture_size=wrong)
    with pytest.raises(ValueError, match="segment_ids are given: wanted none"):
        framework.run(model, PICTURES, segment_ids=np.zeros((2, 7), int))
    for size, error in ((0, ValueError), (2.0, TypeError)):
        with pytest.raises(error, match="size is"):
            framework.run(framework.patches, PICTURES, size)
    with pytest.raises(ValueError, match=r"source_ids has shape \(0, 3, 4, 6\)"):
        reader(framework).generate(PICTURES[:0], 1, 2, 6)
    with pytest.raises(TypeError, match="source_ids is a list: wanted a tensor"):
        reader(framework).generate([[[[0.5]]]], 1, 2, 6)


@both
def test_half_precision_and_wide_numbers_are_read(framework):
    layer = framework.PatchEmbeddings(VIT, 2, 3)
    wanted = framework.run(layer, PICTURES)
    wide = framework.numpy(layer(PICTURES.astype(np.float64)))
    np.testing.assert_array_equal(wide, wanted)
    narrow = framework.numpy(layer(PICTURES.astype(np.float16)))
    np.testing.assert_allclose(narrow, wanted, atol=1e-2)


@both
def test_a_model_without_tokens_is_told_from_one_with(framework):
    words = replace(VIT, vocab_size=9)
    with pytest.raises(ValueError, match="vocab_size is 9: wanted None beside"):
        framework.Encoder(words, framework.PatchEmbeddings(VIT, 2))
    with pytest.raises(ValueError, match="vocab_size is None: wanted a number beside"):
        framework.Encoder(VIT, framework.Embeddings(words))
    with pytest.raises(TypeError, match="vocab_size is None"):
        framework.Encoder(VIT)
    with pytest.raises(ValueError, match="target_vocab_size is None: wanted a number"):
        framework.Transformer(VIT, framework.PatchEmbeddings(VIT, 2))


def cosine(a, b):
    return a @ b / (a @ a) ** 0.5 / (b @ b) ** 0.5


@both
@pytest.mark.parametrize("temperature", [0.07, 1.0, 30.0])
def test_the_contrastive_loss_is_the_mean_of_two_cross_entropies(
    framework, temperature
):
    pictures, texts = 3 * random(5, 7), random(5, 7, seed=1)
    found = framework.run(framework.contrastive_loss, pictures, texts, temperature)
    total = 0
    for one, other in ((pictures, texts), (texts, pictures)):
        for row, vector in enumerate(one.astype(float)):
            scores = [
                cosine(vector, each) / temperature for each in other.astype(float)
            ]
            total += np.log(np.exp(scores).sum()) - scores[row]
    np.testing.assert_allclose(found, total / 10, rtol=1e-5)
    tensor = framework.tensor(np.float32(temperature))
    again = framework.run(framework.contrastive_loss, pictures, texts, tensor)
    np.testing.assert_allclose(again, found, rtol=1e-6)


@both
def test_pairs_that_do_not_fit_are_refused(framework):
    loss, rows = framework.contrastive_loss, random(5, 7)
    with pytest.raises(ValueError, match=r"shapes are \(5, 7\) and \(4, 7\): wanted"):
        framework.run(loss, rows, rows[:4], 1.0)
    with pytest.raises(ValueError, match=r"texts has shape \(5, 7, 1\): wanted \(bat"):
        framework.run(loss, rows, rows[..., None], 1.0)
    with pytest.raises(TypeError, match="pictures holds int64: wanted a tensor of fl"):
        framework.run(loss, rows.astype(int), rows, 1.0)
    for temperature in (0.0, -1.0, np.inf, np.float32(0)):
        with pytest.raises(
            ValueError, match=r"temperature is .* wanted a number above"
        ):
            framework.run(loss, rows, rows, temperature)
    with pytest.raises(TypeError, match="temperature is '1'"):
        framework.run(loss, rows, rows, "1")
    with pytest.raises(ValueError, match=r"temperature has shape \(5,\): wanted a sin"):
        framework.run(loss, rows, rows, np.ones(5, np.float32))


def test_both_frameworks_have_the_same_contrastive_gradient_at_zero_too():
    pictures, texts = random(5, 7), random(5, 7, seed=1)
    pictures[1] = 0
    gradients = []
    for framework in (TORCH, TENSORFLOW):
        other = framework.tensor(texts)
        gradient, _ = framework.input_gradient(
            lambda x, other=other, framework=framework: framework.contrastive_loss(
                x, other, 0.5
            ),
            pictures,
        )
        gradients.append(gradient)
    assert np.isfinite(gradients[0]).all() and np.abs(gradients[0]).max() > 0.01
    np.testing.assert_allclose(
        gradients[1][[0, 2, 3, 4]], gradients[0][[0, 2, 3, 4]], atol=1e-6
    )
    scale = np.abs(gradients[0][1]).max()
    np.testing.assert_allclose(gradients[1][1], gradients[0][1], atol=1e-5 * scale)
