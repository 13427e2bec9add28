"""Measure what each change from GPT-2's layout to Llama's gains, for chapter 14.

    python -m tools.experiments.todays_decoder           all: about twelve minutes
    python -m tools.experiments.todays_decoder sizes     one of three parts

Small language models learn 22 chapters of Persuasion; the last two are held out. The
first has GPT-2's layout; one change after another turns it into Llama's. All have about
the same number of parameters, and the same steps, tokens and three seeds. As a control,
three kinds of positions are compared once more with scaled embeddings. Then follows
Llama's layout in six sizes. All in PyTorch, on one thread. Writes
readymade/data/decoder_runs.csv, a row for each model and each time it was tested.
"""

import sys
import time
from dataclasses import replace
from functools import partial

from readymade.data import novel
from readymade.data.decoder_runs import COLUMNS, PATH, decoder_sweep
from scratch.config import TransformerConfig
from scratch.tokenization import BytePairEncoding
from scratch.torch import CausalLanguageModel, cosine_schedule, fit
from tools.experiments.tables import new_table
from tools.experiments.train_writer import next_token_loss

import numpy as np
import torch

VOCAB_SIZE, LENGTH, BATCH, STEPS = 1_000, 64, 16, 600
TESTED = 75, 150, 300, 600  # steps
SEEDS = 0, 1, 2
WIDTHS = 8, 16, 32, 64, 96, 128

GPT2 = TransformerConfig(
    VOCAB_SIZE, d_model=96, num_heads=4, d_ff=384, num_layers=2, dropout=0.0,
    max_len=LENGTH, activation="gelu_tanh", norm_first=True, positions="learned",
    pad_id=None, scale_embeddings=False,
)  # fmt: skip
RMS = replace(GPT2, norm="rms")
ROTARY = replace(RMS, positions="rotary")
# Three matrices instead of two, so each has two thirds of the width.
SWIGLU = replace(ROTARY, activation="swiglu", d_ff=256)
# Halving the key and value heads and dropping biases pays for a wider feed-forward.
LLAMA = replace(SWIGLU, num_kv_heads=2, bias=False, d_ff=288)
CHANGES = {
    "GPT-2": GPT2,
    "+ RMSNorm": RMS,
    "+ rotary positions": ROTARY,
    "+ SwiGLU": SWIGLU,
    "+ grouped queries and no biases": LLAMA,
}
SCALED = {
    f"scaled, {name}": replace(RMS, positions=positions, scale_embeddings=True)
    for name, positions in [
        ("learned positions", "learned"),
        ("sinusoids", "sinusoidal"),
        ("rotary positions", "rotary"),
    ]
}
SIZED = [replace(LLAMA, d_model=width, d_ff=3 * width) for width in WIDTHS]
PARTS = {
    "changes": [(*model, seed) for seed in SEEDS for model in CHANGES.items()],
    "scaled": [(*model, seed) for seed in SEEDS for model in SCALED.items()],
    "sizes": [("size", config, 0) for config in SIZED],
}


def texts():
    """Return the ids to learn from and those held out."""
    chapters = novel()
    learned, held_out = "\n".join(chapters[:22]), "\n".join(chapters[22:])
    tokenizer = BytePairEncoding.train(learned, VOCAB_SIZE)
    return [np.array(tokenizer.encode(text)) for text in (learned, held_out)]


@torch.no_grad()
def held_out_loss(model, ids):
    """Return the loss on the windows of held-out text, which do not overlap."""
    model.eval()
    starts = np.arange(0, len(ids) - LENGTH, LENGTH)
    rows = torch.as_tensor(ids[starts[:, None] + np.arange(LENGTH + 1)])
    return next_token_loss(model, rows).item()


def measured(name, config, seed, learned, held_out):
    """Train a model; return a row of the table for each time it is tested."""
    torch.manual_seed(seed)
    model = CausalLanguageModel(config)
    size = sum(parameter.numel() for parameter in model.parameters())
    rng = np.random.default_rng(seed)
    rows, spent, began = [], 0.0, time.process_time()

    def windows():
        nonlocal spent, began
        for step in range(STEPS + 1):
            if step in TESTED:
                spent += time.process_time() - began
                loss = held_out_loss(model, held_out)
                run = [name, config.d_model, size, seed, step]
                rows.append([*run, f"{loss:.4f}", f"{spent:.1f}"])
                model.train()
                began = time.process_time()
            if step < STEPS:
                starts = rng.integers(0, len(learned) - LENGTH, BATCH)
                yield (learned[starts[:, None] + np.arange(LENGTH + 1)],)

    rate = partial(cosine_schedule, peak=4e-3, warmup=60, last_step=STEPS)
    fit(model, windows(), next_token_loss, rate)
    print(*rows[-1], flush=True)
    return rows


def main():
    torch.set_num_threads(1)
    learned, held_out = texts()
    rows = [[*row.values()] for row in decoder_sweep()] if PATH.exists() else []
    for part in sys.argv[1:] or PARTS:
        for name, config, seed in PARTS[part]:
            key = name, config.d_model, seed
            rows = [row for row in rows if (row[0], row[1], row[3]) != key]
            rows += measured(name, config, seed, learned, held_out)
        with new_table(PATH, COLUMNS) as table:
            table.writerows(rows)


if __name__ == "__main__":
    main()
