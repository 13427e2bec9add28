"""Train the masked language model of chapter 10 for longer, and store it.

    python -m tools.experiments.pretrain

Takes five to ten minutes on one core. Writes readymade/data/pretraining/checkpoint, a
folder that `transformers` can read.
"""

import time

from readymade.data import definitions, pretrained_path
from readymade.weights import save_checkpoint
from scratch.config import TransformerConfig
from scratch.tokenization import (
    BERT,
    IGNORED,
    Tokenizer,
    WordPiece,
    learn_word_pieces,
    mask_tokens,
)
from scratch.torch import MaskedLanguageModel, cosine_schedule, cross_entropy, fit

import numpy as np
import torch

VOCAB_SIZE, LENGTH, BATCH = 2_000, 24, 64
STEPS, WARMUP, PEAK = 10_000, 100, 4e-3
CONFIG = TransformerConfig(
    vocab_size=VOCAB_SIZE,
    d_model=64,
    num_heads=4,
    d_ff=256,
    num_layers=2,
    max_len=LENGTH,
    dropout=0.0,
    # as in BERT: see chapter 7
    activation="gelu",
    layer_norm_eps=1e-12,
    positions="learned",
    num_segments=2,
    norm_embeddings=True,
    scale_embeddings=False,
    output_bias=True,
)


def masked_batches(ids, tokenizer, steps, seed):
    """Yield (ids, places, targets), with new masks each time a text is used."""
    generator = np.random.default_rng(seed)
    mask_id = tokenizer.vocab["[MASK]"]
    special = [tokenizer.vocab[name] for name in ("[PAD]", "[CLS]", "[SEP]")]
    order = []
    for _ in range(steps):
        if len(order) < BATCH:
            order = list(generator.permutation(len(ids)))
        rows, order = order[:BATCH], order[BATCH:]
        yield mask_tokens(ids[rows], VOCAB_SIZE, mask_id, special, generator)


def masked_loss(model, ids, places, targets):
    """Return the cross-entropy at the masked places."""
    return cross_entropy(model(ids, places=places), targets, IGNORED)


def rate(step):
    """Return the learning rate of a step."""
    return cosine_schedule(step, PEAK, WARMUP, STEPS)


def main():
    torch.set_num_threads(1)
    train, held_out = definitions()
    texts = [text for text, _ in train]
    vocab = learn_word_pieces(texts, VOCAB_SIZE)
    tokenizer = Tokenizer(WordPiece(vocab), BERT)
    ids = tokenizer.encode_batch(texts, max_length=LENGTH, pad_to=LENGTH).ids

    torch.manual_seed(0)
    model = MaskedLanguageModel(CONFIG)
    begin = time.process_time()
    losses = fit(model, masked_batches(ids, tokenizer, STEPS, 0), masked_loss, rate)
    print(f"{time.process_time() - begin:.0f} s, loss {np.mean(losses[-100:]):.2f}")

    texts = [text for text, _ in held_out]
    ids = tokenizer.encode_batch(texts, max_length=LENGTH, pad_to=LENGTH).ids
    tests = masked_batches(ids, tokenizer, len(ids) // BATCH, 1)
    right = []
    for batch in tests:
        masked, places, targets = map(torch.tensor, batch)
        with torch.no_grad():
            guess = model(masked, places=places).argmax(-1)
        right += (guess == targets)[targets != IGNORED].tolist()
    print(f"{np.mean(right):.1%} of {len(right):,} held-out words right")
    save_checkpoint(model, tokenizer, pretrained_path(), overwrite=True)


if __name__ == "__main__":
    main()
