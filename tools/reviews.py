"""Measure ways to fine-tune MiniLM on reviews, for the chapter on fine-tuning.

    python tools/reviews.py     every recipe, five seeds: about five minutes

Writes readymade/data/review_runs.csv: for each recipe and seed, the share of 60
held-out reviews that is judged correctly. The seed decides which reviews are held out,
the order of the others, and every weight that is drawn.
"""

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path

from readymade.data import reviews
from readymade.weights import load_checkpoint
from scratch.torch import (
    SequenceClassifier,
    add_lora,
    cosine_schedule,
    cross_entropy,
    fine_tune,
    layer_rates,
)

import numpy as np
import torch

CSV = Path(__file__).parents[1] / "readymade" / "data" / "review_runs.csv"
SEEDS = range(5)
EPOCHS, BATCH = 3, 20
SCHEDULE = partial(cosine_schedule, warmup=3, last_step=28)


def every_weight(model):
    return [(1.0, list(model.parameters()))]


def head_alone(model):
    return layer_rates(model)[-1:]


def lora(model):
    return [(1.0, add_lora(model.encoder, rank=8, alpha=16.0)), *head_alone(model)]


# Each recipe: the weights that learn, with their shares of a rate, and the rate.
RECIPES = {
    "simple": (every_weight, lambda step: 1e-4),
    "full": (layer_rates, partial(SCHEDULE, peak=2e-4)),
    "layer-wise rates": (
        partial(layer_rates, decay=0.8),
        partial(SCHEDULE, peak=2e-4),
    ),
    "LoRA": (lora, partial(SCHEDULE, peak=2e-3)),
    "head alone": (head_alone, partial(SCHEDULE, peak=1e-2)),
}


def score(minilm, tokenizer, seed, rates, rate):
    """Fine-tune once; return the share of held-out reviews that is judged correctly."""
    train, test = (
        (tokenizer.encode_batch(list(texts)).ids, np.array(labels))
        for texts, labels in (zip(*part, strict=True) for part in reviews(seed=seed))
    )
    generator = np.random.default_rng(seed)
    orders = [generator.permutation(len(train[1])) for _ in range(EPOCHS)]
    rows = np.concatenate(orders).reshape(-1, BATCH)
    torch.manual_seed(seed)
    model = SequenceClassifier(replace(minilm.config, dropout=0.0), num_classes=2)
    model.encoder.load_state_dict(minilm.state_dict())
    fine_tune(
        model,
        [[part[some] for part in train] for some in rows],
        lambda model, ids, labels: cross_entropy(model(ids), labels, None),
        rates(model),
        rate,
    )
    with torch.no_grad():
        logits = model(torch.tensor(test[0])).numpy()
    return np.mean(logits.argmax(1) == test[1])


if __name__ == "__main__":
    minilm, tokenizer = load_checkpoint()
    with CSV.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["recipe", "seed", "right"])
        for name, recipe in RECIPES.items():
            for seed in SEEDS:
                right = score(minilm, tokenizer, seed, *recipe)
                table.writerow([name, seed, f"{right:.4f}"])
