"""Measure what pretraining gains with few labels: the experiment of chapter 10.

    python -m tools.experiments.few_labels

Takes about seven minutes on one core. Writes
readymade/data/pretraining/few_labels.csv: the share of 2,000 held-out definitions
whose topic is right, for each method, number of labels and seed.
"""

from dataclasses import replace

from readymade.data import TOPICS, definitions, pretrained_path
from readymade.data.labelled_definitions import FOLDER
from readymade.weights import load_checkpoint
from scratch.torch import Encoder, cosine_schedule, cross_entropy, fit

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from torch import nn

SIZES, SEEDS, LENGTH, BATCH = (50, 100, 400, 1_600), range(5), 24, 32
STEPS = {50: 100, 100: 150, 400: 250, 1_600: 500}
PEAK = 2e-3


class TopicClassifier(nn.Module):
    """A linear layer on the mean of the encoder's vectors, or on that of [CLS].

    The latter may go through a new pooler, as in BERT: a dense layer and a tanh.
    """

    def __init__(self, encoder, pooling):
        super().__init__()
        self.encoder, self.pooling = encoder, pooling
        d_model = encoder.config.d_model
        self.classifier = nn.Linear(d_model, len(TOPICS))
        if pooling == "pooler":
            self.pooler = nn.Sequential(nn.Linear(d_model, d_model), nn.Tanh())

    def forward(self, ids):
        hidden = self.encoder.hidden_states(ids)
        if self.pooling == "[CLS]":
            return self.classifier(hidden[:, 0])
        if self.pooling == "pooler":
            return self.classifier(self.pooler(hidden[:, 0]))
        real = (ids != 0)[..., None]  # padding is id 0
        return self.classifier((hidden * real).sum(1) / real.sum(1))


def fine_tuned(pretrained, pooling, labelled, seed):
    """Return a classifier trained on (ids, labels), its encoder included."""
    torch.manual_seed(seed)
    model, _ = load_checkpoint(pretrained_path())
    encoder = model.encoder
    if not pretrained:
        encoder = Encoder(replace(encoder.config, dropout=0.0))
    classifier = TopicClassifier(encoder, pooling)
    ids, labels = labelled
    steps, generator = STEPS[len(ids)], np.random.default_rng(seed)
    order = [generator.permutation(len(ids)) for _ in range(steps * BATCH)]
    order = np.concatenate(order)[: steps * BATCH].reshape(steps, BATCH)
    fit(
        classifier,
        [(ids[rows], labels[rows]) for rows in order],
        lambda model, ids, labels: cross_entropy(model(ids), labels, None),
        lambda step: cosine_schedule(step, PEAK, steps // 10, steps),
    )
    return classifier


def topics(classifier, ids):
    """Return the most probable topic of each row of ids."""
    with torch.no_grad():
        return classifier(torch.as_tensor(ids)).argmax(-1).numpy()


def minilm_vectors(texts):
    """Return MiniLM's vector of each text: the mean over its tokens, of norm 1."""
    model, tokenizer = load_checkpoint()
    vectors = []
    for first in range(0, len(texts), 100):
        batch = tokenizer.encode_batch(texts[first : first + 100], max_length=64)
        with torch.inference_mode():
            hidden = model.hidden_states(torch.tensor(batch.ids)).numpy()
        real = batch.attention_mask[:, 0, 0, :, None]
        mean = (hidden * real).sum(1) / real.sum(1)
        vectors.append(mean / np.linalg.norm(mean, axis=-1, keepdims=True))
    return np.concatenate(vectors)


def main():
    torch.set_num_threads(1)
    train, held_out = definitions()
    _, tokenizer = load_checkpoint(pretrained_path())
    tests, answers = map(np.array, zip(*held_out, strict=True))
    test_ids = encoded(tokenizer, tests)
    test_vectors = minilm_vectors([*tests])
    rows = []

    def note(method, size, seed, guesses):
        rows.append(f"{method},{size},{seed},{np.mean(guesses == answers):.4f}\n")

    for seed in SEEDS:
        drawn = np.random.default_rng(seed).permutation(len(train))[: max(SIZES)]
        texts, labels = map(np.array, zip(*[train[n] for n in drawn], strict=True))
        ids, vectors = encoded(tokenizer, texts), minilm_vectors([*texts])
        for size in SIZES:
            some = slice(0, size)
            for pretrained, name in ((False, "random start"), (True, "pretrained")):
                for pooling in ("mean", "[CLS]", "pooler"):
                    labelled = ids[some], labels[some]
                    model = fine_tuned(pretrained, pooling, labelled, seed)
                    guesses = topics(model, test_ids)
                    note(f"{name} {pooling}", size, seed, guesses)
            words = TfidfVectorizer(sublinear_tf=True)
            counted = words.fit_transform(texts[some])
            linear = LogisticRegression(C=10, max_iter=1_000).fit(counted, labels[some])
            note("TF-IDF", size, seed, linear.predict(words.transform(tests)))
            linear = LogisticRegression(C=10, max_iter=1_000)
            linear.fit(vectors[some], labels[some])
            note("MiniLM frozen", size, seed, linear.predict(test_vectors))
    header = "method,labels,seed,accuracy\n"
    (FOLDER / "few_labels.csv").write_text(header + "".join(sorted(rows)))


def encoded(tokenizer, texts):
    """Return the ids of texts, cut and padded to LENGTH."""
    return tokenizer.encode_batch(texts, max_length=LENGTH, pad_to=LENGTH).ids


if __name__ == "__main__":
    main()
