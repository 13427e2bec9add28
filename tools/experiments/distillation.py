"""Measure what small models learn from MiniLM, for the chapter on models in the world.

    python -m tools.experiments.distillation     six minutes on one core

Writes readymade/data/distillation_runs.csv: the share of 2,000 held-out definitions
whose topic is right, for each student, number of labels, kind of targets and seed. The
seed decides which definitions have a label, which are unlabelled, and every random
weight.
"""

from dataclasses import replace
from functools import partial

from readymade.data import TOPICS, definitions, pretrained_path
from readymade.weights import load_checkpoint
from scratch.torch import (
    Encoder,
    cosine_schedule,
    cross_entropy,
    fine_tune,
    fit,
    layer_rates,
    new_linear,
)
from tools.experiments.few_labels import (
    BATCH,
    PEAK,
    STEPS,
    TopicClassifier,
    encoded,
    minilm_vectors,
)
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch

CSV = DATA / "distillation_runs.csv"
SIZES, UNLABELLED, SEEDS = (100, 400), 2_000, range(3)
LABELS, HARD, ALL = "labels alone", "teacher's topics", "true labels of all"
SOFT = {f"teacher's probabilities, T = {t}": float(t) for t in (1, 2, 4)}
KEPT_LAYERS = (0, 3)


def label_loss(model, ids, labels):
    return cross_entropy(model(ids), labels, None)


def hard_loss(model, ids, teacher_logits):
    return label_loss(model, ids, teacher_logits.argmax(-1))


def soft_loss(model, ids, teacher_logits, temperature):
    targets = torch.softmax(teacher_logits / temperature, -1)
    log_p = torch.log_softmax(model(ids) / temperature, -1)
    return -(temperature**2) * (targets * log_p).sum(-1).mean()


def linear_teacher(vectors, labels, penalty=10.0):
    """Return a linear layer on MiniLM's vectors: a logistic regression.

    Args:
        vectors, labels: (texts, 384) and (texts,).
        penalty: how little large weights cost, scikit-learn's C.
    """
    teacher = new_linear(vectors.shape[1], len(TOPICS))

    def loss(model, vectors, labels):
        size = (model.weight**2).sum() / (2 * penalty * len(labels))
        return cross_entropy(model(vectors), labels, None) + size

    batches = [(vectors, labels)] * 300
    fit(teacher, batches, loss, 0.1, weight_decay=0.0)
    return teacher


def drawn_batches(ids, targets, steps, size, seed):
    """Return batches of `size` texts, in an order that the seed decides."""
    generator = np.random.default_rng(seed)
    epochs = steps * size // len(ids) + 1
    order = np.concatenate([generator.permutation(len(ids)) for _ in range(epochs)])
    rows = order[: steps * size].reshape(steps, size)
    return [(without_padding(ids[batch]), targets[batch]) for batch in rows]


def small_student(seed, ids, targets, loss, steps=500, pretrained=True):
    """Train chapter 10's encoder of two layers, or one like it, with a new head."""
    torch.manual_seed(seed)
    encoder = load_checkpoint(pretrained_path())[0].encoder
    if not pretrained:
        encoder = Encoder(replace(encoder.config, dropout=0.0))
    student = TopicClassifier(encoder, "mean")
    batches = drawn_batches(ids, targets, steps, BATCH, seed)
    rate = partial(cosine_schedule, peak=PEAK, warmup=steps // 10, last_step=steps)
    fit(student, batches, loss, rate)
    return student


def two_layers(seed, ids, targets, loss, steps=120):
    """Train two of MiniLM's six layers, with a new head."""
    torch.manual_seed(seed)
    minilm, _ = load_checkpoint()
    config = replace(minilm.config, num_layers=len(KEPT_LAYERS), dropout=0.0)
    encoder = Encoder(config)
    encoder.embeddings = minilm.embeddings
    for place, layer in enumerate(KEPT_LAYERS):
        encoder.layers[place] = minilm.layers[layer]
    student = TopicClassifier(encoder, "mean")
    batches = drawn_batches(ids, targets, steps, 16, seed)
    rate = partial(cosine_schedule, peak=5e-4, warmup=steps // 12, last_step=steps + 1)
    fine_tune(student, batches, loss, layer_rates(student, head=10.0), rate)
    return student


STUDENTS = {
    "small": small_student,
    "small, random start": partial(small_student, pretrained=False),
    "two layers": two_layers,
}


def without_padding(ids):
    """Return ids cut to the longest of their texts."""
    return ids[:, : (ids != 0).sum(1).max()]


def right(student, ids, answers):
    """Return the share of texts whose topic a student gets right."""
    topics = []
    with torch.no_grad():
        for start in range(0, len(ids), 100):
            batch = without_padding(ids[start : start + 100])
            topics += student(torch.tensor(batch)).argmax(-1).tolist()
    return np.mean(np.array(topics) == answers)


def vectors_of(texts):
    """Return MiniLM's vectors, computed in order of length, which is faster."""
    order = np.argsort([len(text) for text in texts], kind="stable")
    vectors = minilm_vectors([texts[n] for n in order])
    return vectors[np.argsort(order)].astype("float32")


def measure(seed, held_out, held_out_vectors):
    """Yield (student, labels, targets, share of topics that are right) for one seed."""
    train, _ = definitions()
    drawn = np.random.default_rng(seed).permutation(len(train))
    pairs = [train[n] for n in drawn[: max(SIZES) + UNLABELLED]]
    (texts, labels), (test_texts, answers) = (
        (texts, np.array(labels))
        for texts, labels in (zip(*part, strict=True) for part in (pairs, held_out))
    )
    vectors = vectors_of(texts)
    (_, small), (_, large) = load_checkpoint(pretrained_path()), load_checkpoint()
    of_small = [encoded(small, part) for part in (texts, test_texts)]
    of_large = [
        large.encode_batch(part, max_length=32, pad_to=32).ids
        for part in (texts, test_texts)
    ]

    def taught(name, size, targets, loss, **more):
        """Return the share that a student of the first `size` texts gets right."""
        train_ids, test_ids = of_large if name.startswith("two") else of_small
        train_student = STUDENTS[name]
        student = train_student(seed, train_ids[:size], targets[:size], loss, **more)
        return right(student, test_ids, answers)

    def teacher_of(size, penalty=10.0):
        """Return the logits of all texts, and the share of held-out topics found."""
        torch.manual_seed(seed)
        teacher = linear_teacher(vectors[:size], labels[:size], penalty)
        with torch.no_grad():
            logits, test_logits = (
                teacher(torch.tensor(part)).numpy()
                for part in (vectors, held_out_vectors)
            )
        return logits, np.mean(test_logits.argmax(-1) == answers)

    few = SIZES[0]
    for size in SIZES:
        every = size + UNLABELLED
        logits, share = teacher_of(size)
        yield "teacher", size, LABELS, share
        for name in STUDENTS if size == few else ["small"]:
            steps = {} if name == "two layers" else {"steps": STEPS[size]}
            yield name, size, LABELS, taught(name, size, labels, label_loss, **steps)
            yield name, size, HARD, taught(name, every, logits, hard_loss)
            for kind in SOFT if (name, size) == ("small", few) else [*SOFT][:1]:
                loss = partial(soft_loss, temperature=SOFT[kind])
                yield name, size, kind, taught(name, every, logits, loss)
        yield "small", size, ALL, taught("small", every, labels, label_loss)

    logits, share = teacher_of(few, penalty=1_000.0)
    yield "surer teacher", few, LABELS, share
    for kind in SOFT:
        loss = partial(soft_loss, temperature=SOFT[kind])
        share = taught("small", few + UNLABELLED, logits, loss)
        yield "small, surer teacher", few, kind, share


def main():
    torch.set_num_threads(1)
    _, held_out = definitions()
    vectors = vectors_of([text for text, _ in held_out])
    with new_table(CSV, ["student", "labels", "targets", "seed", "right"]) as table:
        for seed in SEEDS:
            for student, size, targets, share in measure(seed, held_out, vectors):
                table.writerow([student, size, targets, seed, f"{share:.4f}"])


if __name__ == "__main__":
    main()
