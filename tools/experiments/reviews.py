"""Measure ways to fine-tune MiniLM on reviews, for the chapter on fine-tuning.

    python -m tools.experiments.reviews     eight recipes, five seeds: ten minutes

Writes readymade/data/review_runs.csv: for each recipe and seed, the share of 60
held-out reviews that are classified correctly. The seed decides which reviews are held
out, the order of the others, and every random weight.
"""

from dataclasses import replace
from functools import partial

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
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch

CSV = DATA / "review_runs.csv"
SEEDS = range(5)
SCHEDULE = partial(cosine_schedule, warmup=3, last_step=28)


def every_weight(model):
    return [(1.0, list(model.parameters()))]


def head_alone(model):
    return layer_rates(model)[-1:]


def lora(model):
    return [(1.0, add_lora(model.encoder, rank=8, alpha=16.0)), *head_alone(model)]


def ours(model, batches, rates, rate):
    """Train with the chapter's `fine_tune`, with these rates for the weights."""
    fine_tune(model, batches, loss, rates(model), rate)


def as_bert(model, batches, peak):
    """Train as BERT's authors do: appendix A.3 of the paper, and their code.

    Weights decay, biases and norms don't. The rate rises for a tenth of the steps, then
    falls linearly.
    """
    deep = [weight for weight in model.parameters() if weight.ndim > 1]
    flat = [weight for weight in model.parameters() if weight.ndim == 1]
    groups = [{"params": deep}, {"params": flat, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, eps=1e-6, weight_decay=0.01)
    model.train()
    for step, batch in enumerate(batches, start=1):
        up, down = step / (len(batches) // 10), 1 - step / (len(batches) + 1)
        for group in optimizer.param_groups:
            group["lr"] = peak * min(up, down)
        optimizer.zero_grad()
        loss(model, *map(torch.tensor, batch)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()


def loss(model, ids, labels):
    return cross_entropy(model(ids), labels, None)


# Each recipe: how to train, and changes to batch size, epochs and dropout.
BERT = {"batch": 16, "epochs": 4, "dropout": 0.1}
RECIPES = {
    "simple": (partial(ours, rates=every_weight, rate=lambda step: 1e-4), {}),
    "as BERT, 2e-5": (partial(as_bert, peak=2e-5), BERT),
    "as BERT, 5e-5": (partial(as_bert, peak=5e-5), BERT),
    "2e-5, 12 epochs": (partial(as_bert, peak=2e-5), BERT | {"epochs": 12}),
    "full": (partial(ours, rates=layer_rates, rate=partial(SCHEDULE, peak=2e-4)), {}),
    "layer-wise rates": (
        partial(
            ours,
            rates=partial(layer_rates, decay=0.8),
            rate=partial(SCHEDULE, peak=2e-4),
        ),
        {},
    ),
    "LoRA": (partial(ours, rates=lora, rate=partial(SCHEDULE, peak=2e-3)), {}),
    "head alone": (
        partial(ours, rates=head_alone, rate=partial(SCHEDULE, peak=1e-2)),
        {},
    ),
}


def score(minilm, tokenizer, seed, train_in, changes):
    """Fine-tune once; return the share of held-out reviews classified correctly."""
    how = {"batch": 20, "epochs": 3, "dropout": 0.0} | changes
    train, test = (
        (tokenizer.encode_batch(list(texts)).ids, np.array(labels))
        for texts, labels in (zip(*part, strict=True) for part in reviews(seed=seed))
    )
    generator = np.random.default_rng(seed)
    orders = [generator.permutation(len(train[1])) for _ in range(how["epochs"])]
    size = how["batch"]
    rows = [
        order[start : start + size]
        for order in orders
        for start in range(0, len(order), size)
    ]
    torch.manual_seed(seed)
    config = replace(minilm.config, dropout=how["dropout"])
    model = SequenceClassifier(config, num_classes=2)
    model.encoder.load_state_dict(minilm.state_dict())
    train_in(model, [[part[some] for part in train] for some in rows])
    with torch.no_grad():
        logits = model(torch.tensor(test[0])).numpy()
    return np.mean(logits.argmax(1) == test[1])


if __name__ == "__main__":
    minilm, tokenizer = load_checkpoint()
    with new_table(CSV, ["recipe", "seed", "right"]) as table:
        for name, recipe in RECIPES.items():
            for seed in SEEDS:
                right = score(minilm, tokenizer, seed, *recipe)
                table.writerow([name, seed, f"{right:.4f}"])
