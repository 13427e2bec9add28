"""Train the model that `readymade.data.number_game.base_path` ships.

    python -m tools.experiments.train_number_game     three minutes on one core

A Llama of 106,000 parameters learns the little language of the number game from 40,000
documents. Writes a checkpoint to readymade/data/number_game and, to training.csv beside
it, the loss on other documents during training.
"""

import shutil
from functools import partial
from tempfile import TemporaryDirectory

from readymade.data import number_game as game
from readymade.weights import save_checkpoint
from readymade.weights.tokenizers.library import LibraryTokenizer
from scratch.config import TransformerConfig
from scratch.tokenization import pad_rows
from scratch.torch import CausalLanguageModel, cosine_schedule, cross_entropy, fit
from tools.experiments.tables import new_table

import numpy as np
import torch

STEPS, BATCH, LENGTH, TESTED_EVERY = 4_000, 24, 81, 250
CURVE = game.base_path() / "training.csv"
TEMPLATE = (
    "{% for message in messages %}"
    "<|{{ message.role }}|> {{ message.content }} <|end|> "
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tokenizer():
    """Return the words of the number game as a tokenizer that `transformers` reads."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    # A word that the game does not have becomes <|endoftext|>, as in GPT-2.
    words = Tokenizer(models.WordLevel(game.IDS, unk_token="<|endoftext|>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.add_special_tokens([AddedToken(one, special=True) for one in game.SPECIAL])
    settings = {"chat_template": TEMPLATE, "pad_token": "[PAD]"}
    return LibraryTokenizer(words, "[PAD]", settings)


def new_model(seed=0):
    """Return the model with weights drawn at random."""
    config = TransformerConfig(
        len(game.VOCABULARY), d_model=64, num_heads=4, num_kv_heads=2, d_ff=192,
        num_layers=2, max_len=160, dropout=0.0, activation="swiglu", norm="rms",
        norm_first=True, positions="rotary", bias=False, scale_embeddings=False,
        layer_norm_eps=1e-6, pad_id=game.PAD,
    )  # fmt: skip
    torch.manual_seed(seed)
    return CausalLanguageModel(config)


def rows(count, seed):
    """Return rows of ids: documents between <|endoftext|>, at most LENGTH."""
    texts = game.documents(count, seed)
    ends = [game.END_OF_TEXT]
    return pad_rows(
        [(ends + game.encode(text) + ends)[:LENGTH] for text in texts], LENGTH, game.PAD
    )


def next_token_loss(model, ids):
    """Return the cross-entropy of each token given those before it, in nats."""
    return cross_entropy(model(ids[:, :-1]), ids[:, 1:], game.PAD)


def trained(steps=STEPS, seed=0):
    """Return a base model, and its test loss during training as (step, loss)."""
    ids, test = rows(40_000, seed=0), torch.tensor(rows(600, seed=1_000_000))
    model, rng, tested = new_model(seed), np.random.default_rng(seed), []

    def batches():
        for step in range(steps):
            if step % TESTED_EVERY == 0:
                test_at(step)
            batch = ids[rng.choice(len(ids), BATCH, replace=False)]
            yield (batch[:, : (batch != game.PAD).sum(1).max()],)

    def test_at(step):
        with torch.no_grad():
            tested.append((step, next_token_loss(model, test).item()))

    rate = partial(cosine_schedule, peak=8e-3, warmup=133, last_step=steps)
    fit(model, batches(), next_token_loss, rate)
    test_at(steps)
    return model, tested


def main():
    torch.set_num_threads(1)
    model, tested = trained()
    # The folder also holds the files of later stages, which stay.
    with TemporaryDirectory() as folder:
        save_checkpoint(model, tokenizer(), folder, "llama", overwrite=True)
        shutil.copytree(folder, game.base_path(), dirs_exist_ok=True)
    with new_table(CURVE, ["step", "loss"]) as table:
        table.writerows((step, f"{loss:.4f}") for step, loss in tested)


if __name__ == "__main__":
    main()
