"""Train chapter 8's model to count from other seeds, and test where it fails.

    python -m tools.experiments.counting     three seeds: a minute

Writes readymade/data/counting_runs.csv: for each seed and group of numbers, how many
prompts of one number there are, and how many the model continues by the right two. The
seed decides the first weights and the batches; the held-out blocks are the chapter's.
"""

from functools import partial

from readymade.data.number_words import Vocabulary, english_tokens
from scratch.config import TransformerConfig
from scratch.tokenization import pad_rows
from scratch.torch import (
    CausalLanguageModel,
    cosine_schedule,
    cross_entropy,
    fit,
    padding_mask,
    shift_right,
)
from tools.experiments.tables import DATA, new_table

import numpy as np
import torch

CSV = DATA / "counting_runs.csv"
SEEDS, STEPS, BATCH = range(3), 500, 64
WORDS = Vocabulary([",", *(w for n in range(1100) for w in english_tokens(n))])
STARTS = np.arange(9_998)
FIRST_HELD, LAST_HELD = (
    np.isin(numbers // 100, np.random.default_rng(0).permutation(100)[:10])
    for numbers in (STARTS, STARTS + 2)
)
LEARNED = STARTS[~FIRST_HELD & ~LAST_HELD]
HELD_OUT = STARTS[FIRST_HELD & LAST_HELD]
BELOW_A_THOUSAND = HELD_OUT < 1000
NO_HUNDREDS = ~BELOW_A_THOUSAND & (HELD_OUT % 1000 < 100)
GROUPS = {
    "seen in training": LEARNED[::20],
    "below 1,000": HELD_OUT[BELOW_A_THOUSAND],
    "thousands, no hundreds": HELD_OUT[NO_HUNDREDS],
    "all others": HELD_OUT[~BELOW_A_THOUSAND & ~NO_HUNDREDS],
}


def counting(start, how_many=3):
    """Return the words of consecutive numbers, commas between them."""
    words = []
    for number in range(start, start + how_many):
        words += [*english_tokens(number), ","]
    return words[:-1]


def as_batch(rows):
    return np.array(pad_rows(rows, max(map(len, rows)), WORDS.pad_id))


def loss(model, ids):
    logits = model(shift_right(ids, WORDS.bos_id))
    return cross_entropy(logits, ids, WORDS.pad_id)


def trained(seed):
    """Train the model of chapter 8."""
    torch.manual_seed(seed)
    model = CausalLanguageModel(
        TransformerConfig(
            len(WORDS), d_model=64, num_heads=4, d_ff=256, num_layers=2, dropout=0.0,
            max_len=64, norm_first=True,
        )
    )  # fmt: skip
    texts = as_batch([WORDS.encode(counting(start)) for start in LEARNED])
    rows = np.random.default_rng(seed).choice(len(texts), (STEPS, BATCH))
    rate = partial(cosine_schedule, peak=3e-3, warmup=60, last_step=STEPS)
    fit(model, [(texts[row],) for row in rows], loss, rate, device="cpu")
    return model


def right(model, starts):
    """Return how many numbers are continued by the right two."""
    rows = [
        [WORDS.bos_id, *WORDS.encode([*english_tokens(n), ","])[:-1]] for n in starts
    ]
    ids = torch.tensor(as_batch(rows))
    mask = padding_mask(ids, WORDS.pad_id)
    written = model.generate(ids, WORDS.eos_id, 20, attention_mask=mask).tolist()
    pairs = zip(written, starts, strict=True)
    return sum(WORDS.decode(row) == counting(start) for row, start in pairs)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with new_table(CSV, ["seed", "group", "asked", "right"]) as table:
        for seed in SEEDS:
            model = trained(seed)
            for group, starts in GROUPS.items():
                table.writerow([seed, group, len(starts), right(model, starts)])
