"""Measure what tells handwritten digits apart, for `tools/experiments/pictures.py`."""

from readymade.data import digits, moved
from scratch.torch import Encoder, PatchEmbeddings, SequenceClassifier, inference
from tools.experiments.picture_training import config, trained

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.nn import functional as F

STEP = [(1, 0), (-1, 0), (0, 1), (0, -1)]  # one pixel: right, left, down, up


class Convolutions(nn.Module):
    """A small convolutional net: two layers of 3 × 3, pooling, one matrix."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(1, 16, 3, padding=1)
        self.two = nn.Conv2d(16, 32, 3, padding=1)
        self.out = nn.Linear(32 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.one(x)), 2)
        x = F.max_pool2d(F.relu(self.two(x)), 2)
        return self.out(x.flatten(1))


class GlobalMaximum(nn.Module):
    """The same windows without pooling, the maximum over all places, one matrix."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(1, 16, 3, padding=1)
        self.two = nn.Conv2d(16, 32, 3, padding=1)
        self.out = nn.Linear(32, 10)

    def forward(self, x):
        return self.out(F.relu(self.two(F.relu(self.one(x)))).amax((2, 3)))


def transformer(size):
    """Return a ViT whose patches have this size."""
    learned = config(
        48, 96, 1 + (8 // size) ** 2, positions="learned", scale_embeddings=False
    )
    encoder = Encoder(learned, PatchEmbeddings(learned, size))
    return SequenceClassifier(learned, 10, encoder)


def small_patches():
    return transformer(2)


def wide_patches():
    return transformer(4)


def whole_pictures():
    return transformer(8)


def without_positions():
    model = transformer(2)
    model.encoder.embeddings.positions = None
    return model


def squares(pictures):
    """Return (pictures, 4, 2, 4, 2): row, line, column, dot of the patches."""
    return pictures.reshape(-1, 4, 2, 4, 2)


def shuffled(pictures):
    """Return pictures whose patches of 2 × 2 are in another order, the same for all."""
    order = np.random.default_rng(1).permutation(16)
    rows = squares(pictures).transpose(0, 1, 3, 2, 4).reshape(-1, 16, 2, 2)[:, order]
    rows = rows.reshape(-1, 4, 4, 2, 2).transpose(0, 1, 3, 2, 4)
    return rows.reshape(-1, 1, 8, 8)


def strips(pictures):
    """Return pictures whose patches of 2 × 2 are the strips that a reshape makes."""
    rows = pictures.reshape(-1, 4, 4, 2, 2).transpose(0, 1, 3, 2, 4)
    return rows.reshape(-1, 1, 8, 8)


def same(pictures):
    return pictures


def logistic():
    return LogisticRegression(max_iter=2_000)


def nearest():
    return KNeighborsClassifier(1)


# model, what changes its pictures, how many it learns from, whether from copies that
# were moved by one pixel, too, and steps (a net's)
ALL = 1_297
VIT = "Transformer, 2 × 2"
FEW = 100, 300, 600
DIGITS = {
    "logistic regression": (logistic, same, ALL, False, None),
    "nearest neighbour": (nearest, same, ALL, False, None),
    "convolutions": (Convolutions, same, ALL, False, 300),
    VIT: (small_patches, same, ALL, False, 300),
    "Transformer, 4 × 4": (wide_patches, same, ALL, False, 300),
    "Transformer, 8 × 8": (whole_pictures, same, ALL, False, 300),
    f"{VIT}, no positions": (without_positions, same, ALL, False, 300),
    f"{VIT}, shuffled": (small_patches, shuffled, ALL, False, 300),
    f"{VIT}, strips": (small_patches, strips, ALL, False, 300),
    "nearest neighbour, copies": (nearest, same, ALL, True, None),
    "convolutions, copies": (Convolutions, same, ALL, True, 1_000),
    "convolutions, global maximum": (GlobalMaximum, same, ALL, False, 300),
    "convolutions, global maximum, copies": (GlobalMaximum, same, ALL, True, 1_000),
    "Transformer, 4 × 4, copies": (wide_patches, same, ALL, True, 1_000),
}
for count in FEW:
    for name in [*DIGITS][:5]:
        model, change, *_, steps = DIGITS[name]
        DIGITS[f"{name}, {count} pictures"] = model, change, count, False, steps
for name in [*DIGITS][:5]:
    DIGITS[f"{name}, other writers"] = DIGITS[name]


def batches(count, size, steps, seed, *arrays):
    """Return batches of arrays: whole passes, each in a new order."""
    generator, passes = np.random.default_rng(seed), steps * size // count + 1
    order = np.concatenate([generator.permutation(count) for _ in range(passes)])
    rows = order[: steps * size].reshape(steps, size)
    return [tuple(one[row] for one in arrays) for row in rows]


def class_loss(model, pictures, labels):
    return F.cross_entropy(model(pictures), labels)


def answers(model, pictures):
    with inference(model):
        return model(torch.tensor(pictures)).argmax(1).numpy()


def learned_digits(name, seed):
    """Return a trained classifier as a function, (measure, value)s, and the model."""
    new, change, count, copies, steps = DIGITS[name]
    split = None if name.endswith("other writers") else seed
    (pictures, labels), _ = digits(split)
    pictures, labels = pictures[:count], labels[:count]
    if copies:
        all_moved = [moved(pictures, *one) for one in STEP]
        pictures = np.concatenate([pictures, *all_moved])
        labels = np.tile(labels, 1 + len(STEP))
    if steps is None:
        model = new().fit(pictures.reshape(len(pictures), -1), labels)
        return (lambda x: model.predict(x.reshape(len(x), -1))), [], model
    torch.manual_seed(seed)
    model = new()
    data = batches(len(pictures), 64, steps, seed, change(pictures), labels)
    peak = 1e-2 if new in (Convolutions, GlobalMaximum) else 3e-3
    how = trained(model, data, class_loss, peak, 40, weight_decay=0.05)
    return (lambda x: answers(model, change(x))), how, model


def digit_runs(name, seed):
    """Yield (task, measure, value) of a classifier."""
    answer, how, _ = learned_digits(name, seed)
    split = None if name.endswith("other writers") else seed
    _, (pictures, labels) = digits(split)
    yield "digits", "right", (answer(pictures) == labels).mean()
    shares = [(answer(moved(pictures, *one)) == labels).mean() for one in STEP]
    yield "digits", "right, moved", np.mean(shares)
    yield from (("digits", *one) for one in how)


def hidden_runs(name, seed):
    """Yield (task, measure, value) of what a classifier needs to see."""
    *_, model = learned_digits(name, seed)
    (train, _), (pictures, labels) = digits(seed)
    for stand_in in ("blank", "mean"):
        other = train.mean(0) if stand_in == "mean" else np.zeros((1, 8, 8))
        hidden = hidden_patches(model, pictures, labels, other.astype(np.float32))
        yield from (("hidden", f"{stand_in}: {m}", value) for m, value in hidden)


def replaced(pictures, chosen, other):
    """Return pictures with `other` at the chosen patches, booleans (pictures, 16)."""
    where = chosen.reshape(-1, 1, 4, 1, 4, 1).repeat(2, 3).repeat(2, 5)
    return np.where(where.reshape(-1, 1, 8, 8), other, pictures)


def hidden_patches(model, pictures, labels, other):
    """Yield (measure, value) for patches that maps name, replaced by `other`."""
    with inference(model):
        _, weights = model.encoder(torch.tensor(pictures))
    weights = [one.mean(1).numpy() for one in weights]
    rollout = np.eye(17)
    for one in weights:  # half of a layer's output is its input (the residual)
        rollout = (one + np.eye(17)) / 2 @ rollout

    def probability(x):
        with inference(model):
            p = model(torch.tensor(x)).softmax(-1).numpy()
        return p[np.arange(len(labels)), labels]

    def without(chosen):
        return replaced(pictures, chosen, other)

    one_by_one = [np.tile(np.arange(16) == i, (len(labels), 1)) for i in range(16)]
    drops = [probability(pictures) - probability(without(one)) for one in one_by_one]
    maps = {
        "random": np.random.default_rng(0).random((len(labels), 16)),
        "last layer's attention": weights[-1][:, 0, 1:],
        "rollout": rollout[:, 0, 1:],
        "ink": squares(pictures).mean((2, 4)).reshape(-1, 16),
        "occlusion": np.stack(drops, 1),
    }
    for name, values in maps.items():
        chosen = values.argsort(1).argsort(1) >= 13
        right = (answers(model, without(chosen)) == labels).mean()
        yield f"right without {name}", right
    first = answers(model, pictures)
    flips = [answers(model, without(one)) != first for one in one_by_one]
    yield "flipped by one", np.any(flips, 0).mean()
