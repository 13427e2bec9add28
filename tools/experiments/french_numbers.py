"""Measure the first capstone, a translator of French number words, over three seeds.

    python -m tools.experiments.french_numbers       every seed: about four minutes
    python -m tools.experiments.french_numbers 0     one seed; other rows are kept

Writes readymade/data/french_runs.csv: a row for each seed, way to draw the training set
and length of the held-out numbers ("any": 1,000 more, drawn below a million). The
seed decides which numbers are held out and which are learned, the order of the batches,
and the model's first weights. `thousandfold` counts the wrong translations of n that
begin with that of 1,000 n, and `round_hundred` the wrong ones of numbers that end in a
round hundred.
"""

import random
import re
import sys
from functools import partial

from readymade.data.number_words import LIMIT, Vocabulary, english_tokens
from scratch.config import TransformerConfig
from scratch.tokenization import pad_rows
from scratch.torch import Transformer, cosine_schedule, cross_entropy, fit, shift_right
from tools.experiments.tables import DATA, replace_seed

import numpy as np
import torch
from num2words import num2words

CSV = DATA / "french_runs.csv"
COLUMNS = "drawn seed length held_out right thousandfold round_hundred".split()
SEEDS, LEARNED, STEPS, BATCH = range(3), 5_000, 300, 64
HELD_OUT = {1: 2, 2: 20, 3: 200, 4: 200, 5: 200, 6: 200}  # digits: numbers
PAD, BOS, EOS = Vocabulary.pad_id, Vocabulary.bos_id, Vocabulary.eos_id


def french_tokens(number):
    """Return the French words of an integer one by one, as the page does."""
    return re.findall(r"-?[^\W\d_]+", num2words(number, lang="fr"))


SMALLEST = [*range(1_000), *range(1_000, LIMIT, 1_000)]
ENGLISH = Vocabulary(t for n in SMALLEST for t in english_tokens(n))
FRENCH = Vocabulary(t for n in SMALLEST for t in french_tokens(n))


def encoded(numbers, vocab, tokens_of):
    rows = [vocab.encode(tokens_of(n)) for n in numbers]
    return pad_rows(rows, max(map(len, rows)), PAD)


def draw(seed):
    """Return held-out numbers by length, and the training set of each way to draw."""
    rng = random.Random(seed)
    held_out = {
        digits: rng.sample(range(10 ** (digits - 1), 10**digits), count)
        for digits, count in HELD_OUT.items()
    }
    tested = {n for numbers in held_out.values() for n in numbers}
    others = [n for n in rng.sample(range(LIMIT), 7_000) if n not in tested]
    held_out["any"], others = others[:1_000], others[1_000:]
    short = [n for n in range(1_000) if n not in tested.union(held_out["any"])]
    long = [n for n in others if n >= 1_000]
    return held_out, {
        "evenly": others[:LEARNED],
        "more short ones": short + long[: LEARNED - len(short)],
    }


def loss_of(model, source, target):
    return cross_entropy(model(source, shift_right(target, BOS)), target, PAD, 0.1)


def trained(numbers, seed):
    """Train the model of chapter 9 on these numbers."""
    torch.manual_seed(seed)
    model = Transformer(
        TransformerConfig(
            len(ENGLISH), target_vocab_size=len(FRENCH), d_model=64, num_heads=4,
            d_ff=256, num_layers=2, max_len=32, dropout=0.0, norm_first=True,
        )
    )  # fmt: skip
    english = encoded(numbers, ENGLISH, english_tokens)
    french = encoded(numbers, FRENCH, french_tokens)
    rng = np.random.default_rng(seed)
    batches = [rng.choice(len(numbers), BATCH, replace=False) for _ in range(STEPS)]
    rate = partial(cosine_schedule, peak=4e-3, warmup=100, last_step=STEPS)
    fit(model, [(english[rows], french[rows]) for rows in batches], loss_of, rate)
    return model


def begins(tokens, others):
    return tokens[: len(others)] == others


def counts(model, numbers):
    """Return how many are right, and how many are wrong in either of two ways."""
    source = torch.tensor(encoded(numbers, ENGLISH, english_tokens))
    rows = model.generate(source, BOS, EOS, 30).tolist()
    written = [FRENCH.decode(row) for row in rows]
    wrong = [
        (n, tokens)
        for n, tokens in zip(numbers, written, strict=True)
        if tokens != french_tokens(n)
    ]
    return [
        len(numbers) - len(wrong),
        sum(begins(tokens, french_tokens(1_000 * n)) for n, tokens in wrong),
        sum(n % 100 == 0 and n % 1_000 != 0 for n, _ in wrong),
    ]


def measured(seed):
    """Return the rows of one seed."""
    held_out, training_sets = draw(seed)
    rows = []
    for drawn, numbers in training_sets.items():
        model = trained(numbers, seed)
        for length, tested in held_out.items():
            rows.append([drawn, seed, length, len(tested), *counts(model, tested)])
    return rows


def main(seeds):
    torch.set_num_threads(1)
    for seed in seeds:
        replace_seed(CSV, COLUMNS, seed, measured(seed))


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or SEEDS)
