"""Train the model that `readymade.data.writer_path` ships.

    python -m tools.experiments.train_writer     three minutes on one core

A GPT-2 of 330,000 parameters learns 22 chapters of Persuasion; the last two are held
out. Writes a checkpoint to readymade/data/writer.
"""

import math
from functools import partial

from readymade.data import novel, writer_path
from readymade.weights import save_checkpoint
from scratch.config import TransformerConfig
from scratch.tokenization import GPT2, BytePairEncoding, Tokenizer
from scratch.torch import CausalLanguageModel, cosine_schedule, cross_entropy, fit

import numpy as np
import torch

END = "<|endoftext|>"
VOCAB_SIZE, LENGTH, BATCH, STEPS = 1_000, 128, 16, 2_000


def tokenizer_for(text):
    """Return byte-pair encoding learned from `text`, with END as its last token."""
    learned = BytePairEncoding.train(text, VOCAB_SIZE - 1)
    vocab = learned.vocab | {END: VOCAB_SIZE - 1}
    return Tokenizer(BytePairEncoding(vocab, learned.merges), GPT2)


def windows(ids, rng):
    """Yield batches of windows that begin anywhere in `ids`, one token longer."""
    for _ in range(STEPS):
        starts = rng.integers(0, len(ids) - LENGTH, BATCH)
        yield (ids[starts[:, None] + np.arange(LENGTH + 1)],)


def next_token_loss(model, ids):
    """Return the cross-entropy of each token given those before it, in nats."""
    return cross_entropy(model(ids[:, :-1]), ids[:, 1:], pad_id=None)


@torch.no_grad()
def bits_per_character(model, ids, characters):
    """Return bits a character of held-out text, cut into windows."""
    model.eval()
    count = (len(ids) - 1) // LENGTH
    rows = torch.as_tensor(ids[: count * LENGTH + 1])
    rows = rows[torch.arange(count)[:, None] * LENGTH + torch.arange(LENGTH + 1)]
    nats = next_token_loss(model, rows).item()
    return nats / math.log(2) * len(ids) / characters


def main():
    chapters = novel()
    learned, held_out = chapters[:22], chapters[22:]
    tokenizer = tokenizer_for("\n".join(learned))

    def as_ids(texts):
        return np.array(tokenizer.encode("".join(text + END for text in texts)))

    config = TransformerConfig(
        VOCAB_SIZE, d_model=96, num_heads=4, d_ff=384, num_layers=2, dropout=0.1,
        max_len=LENGTH, activation="gelu_tanh", norm_first=True, positions="learned",
        pad_id=None, scale_embeddings=False,
    )  # fmt: skip
    torch.manual_seed(0)
    model = CausalLanguageModel(config)
    rate = partial(cosine_schedule, peak=3e-3, warmup=100, last_step=STEPS)
    batches = windows(as_ids(learned), np.random.default_rng(0))
    fit(model, batches, next_token_loss, rate)
    characters = sum(map(len, held_out))
    bits = bits_per_character(model, as_ids(held_out), characters)
    print(f"{bits:.2f} bits a character of held-out text")
    save_checkpoint(model, tokenizer, writer_path(), "gpt2", overwrite=True)


if __name__ == "__main__":
    main()
