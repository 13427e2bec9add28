"""Measure ways to fine-tune MiniLM on questions, for the chapter on fine-tuning.

    python -m tools.experiments.questions             every recipe, three seeds: an hour
    python -m tools.experiments.questions whole       one recipe
    python -m tools.experiments.questions whole 0     one recipe and seed

Writes readymade/data/questions/measured.csv: a row for each recipe and seed. Rows that
it holds are kept, so an interrupted run continues where it stopped.
"""

import csv
import sys
from dataclasses import replace

from readymade.data.prose_questions import real_questions
from readymade.data.question_templates import template_questions
from readymade.weights import load_checkpoint
from scratch.answering import (
    answer,
    exact_match,
    f1,
    span_label,
    window_batch,
    windows,
)
from scratch.torch import (
    SpanExtractor,
    add_lora,
    cosine_schedule,
    cross_entropy,
    fine_tune,
    layer_rates,
)
from tools.experiments.tables import DATA

import numpy as np
import torch

CSV = DATA / "questions" / "measured.csv"
SEEDS = (0, 1, 2)
BATCH, STEPS, PEAK, DECAY, HEAD = 8, 85, 4e-4, 0.9, 2.0
CHOSEN = "whole"  # the only recipe that is tested on the final half
COLUMNS = "recipe seed held_out held_out_f1 naive choosing choosing_f1 final final_f1"
# What each recipe changes. Those of the data come first.
RECIPES = {
    "whole": {},
    "one-word answers": {"data": {"one_word": True}},
    "three families": {"data": {"num_families": 3}},
    "one rate": {"decay": 1.0},
    "half frozen": {"frozen": 3},
    "head alone": {"frozen": 6, "peak": 4e-3},
    "LoRA": {"lora": True, "peak": 2e-3},
    "LoRA 255 steps": {"lora": True, "peak": 2e-3, "steps": 255},
    "whole 255 steps": {"steps": 255},
}


def batches_of(questions, tokenizer):
    """Yield what the loss takes: a batch of windows and the two ends of each answer."""
    for start in range(0, len(questions), BATCH):
        rows, labels = [], []
        for one in questions[start : start + BATCH]:
            (row,) = windows(tokenizer, one.question, one.text, max_length=256)
            rows.append(row)
            labels.append(span_label(row, one.start, one.start + len(one.answer)))
        yield *window_batch(rows, tokenizer.pad_id), *np.array(labels).T


def span_loss(model, ids, attention_mask, segment_ids, first, last):
    """Return the mean cross-entropy of the two ends."""
    starts, ends = model(ids, attention_mask, segment_ids)
    both = cross_entropy(starts, first, None) + cross_entropy(ends, last, None)
    return both / 2


def rates_of(model, decay, frozen, lora):
    """Return which weights learn, and at which share of the rate."""
    _, *layers, head = layer_rates(model, decay, HEAD)
    if lora:
        head = (HEAD, [model.ends.weight, model.ends.bias])
        return [(1.0, add_lora(model.encoder, rank=8, alpha=16)), head]
    return [*layers[frozen:], head]


def trained(seed, minilm, tokenizer, data=(), decay=DECAY, **changes):
    """Return a SpanExtractor that was fine-tuned on templates."""
    peak, steps = changes.get("peak", PEAK), changes.get("steps", STEPS)
    torch.manual_seed(seed)
    model = SpanExtractor(replace(minilm.config, dropout=0.0))
    model.encoder.load_state_dict(minilm.state_dict())
    rates = rates_of(model, decay, changes.get("frozen", 0), changes.get("lora"))
    questions = template_questions(steps * BATCH, seed=seed, **dict(data))
    fine_tune(
        model,
        list(batches_of(questions, tokenizer)),
        span_loss,
        rates,
        lambda step: cosine_schedule(step, peak, steps // 10, steps + 1),
    )
    return model


def naive_answer(predict, tokenizer, one):
    """Return what lies between the two largest logits, wherever they are."""
    rows = windows(tokenizer, one.question, one.text, max_length=256)
    starts, ends = predict(*window_batch(rows, tokenizer.pad_id))
    first, last = starts[0].argmax(), ends[0].argmax()
    places = rows[0].offsets[first : last + 1]
    if not places or None in places:
        return ""
    return one.text[places[0][0] : places[-1][1]]


def measured(model, tokenizer, is_final):
    """Return exact match and F1 on the sets of questions, as text."""

    def predict(*arrays):
        with torch.no_grad():
            starts, ends = model(*map(torch.tensor, arrays))
        return starts.numpy(), ends.numpy()

    def scores(questions):
        exact, overlap = [], []
        for one in questions:
            given = answer(predict, tokenizer, one.question, one.text, max_length=256)
            right = one.answers if hasattr(one, "answers") else [one.answer]
            exact.append(max(exact_match(given.text, wanted) for wanted in right))
            overlap.append(max(f1(given.text, wanted) for wanted in right))
        return float(np.mean(exact)), float(np.mean(overlap))

    held_out = template_questions(100, seed=9, held_out=True)
    naive = [
        exact_match(naive_answer(predict, tokenizer, one), one.answer)
        for one in held_out
    ]
    values = [*scores(held_out), np.mean(naive), *scores(real_questions("choosing"))]
    if is_final:
        values += scores(real_questions("final"))
    return [f"{value:.3f}" for value in values] + ["", ""] * (not is_final)


def main(names, seeds):
    minilm, tokenizer = load_checkpoint()
    if not CSV.exists():
        CSV.write_text(",".join(COLUMNS.split()) + "\n")
    with CSV.open() as file:
        known = {(row["recipe"], int(row["seed"])) for row in csv.DictReader(file)}
    for name in names or RECIPES:
        for seed in seeds:
            if (name, seed) in known:
                continue
            model = trained(seed, minilm, tokenizer, **RECIPES[name])
            row = measured(model, tokenizer, is_final=name == CHOSEN)
            print(name, seed, *row, flush=True)
            with CSV.open("a") as file:
                file.write(",".join([name, str(seed), *row]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:2], [int(seed) for seed in sys.argv[2:]] or SEEDS)
