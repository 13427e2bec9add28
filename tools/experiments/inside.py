"""Measure with which heads models copy and add, for chapter 18.

    python -m tools.experiments.inside     all: twelve minutes

Copying: decoders of attention alone learn texts that repeat a part of themselves.
Adding: the base model of the number game, as shipped and trained from two other first
weights, continues "A op B is". All in PyTorch, on one thread. Writes
readymade/data/inside_runs.csv, a row for each measure:

    model    what was trained: for copying, a key of MODELS; for adding, "game"
    seed     of its first weights; the game's 0 is the shipped model
    measure  what was measured:
             "loss > 3 at", "loss < 1 at": the last and the first tested step with such
             a loss (it's tested every 25 steps) of the tokens that can be known from
             before; empty where there was none
             "loss", "right": of these tokens, in nats and as a share, at the end; after
             "other places: ", on texts of the other models
             "right, layer 0 kept from keys" (queries, values): what the second layer
             makes without what the first one added
             "induction", "previous token": the mean weight on the token after the
             earlier copy of the query's, and on the token before the query's, of the
             head that has the most
             "A, 1", "A, 2" and so on, the same for op and B: the share of games with
             another game's result if this is taken from it at "is", by the best 1, 2 …
             heads, up to the smallest set with at least 99 %
             "A, FFN 1": the same by the last feed-forward layer alone
    heads    which, as layer.head, joined by +
    value    the number
"""

from contextlib import ExitStack
from itertools import combinations

from readymade.data import number_game as game
from scratch.config import TransformerConfig
from scratch.torch import causal_mask, edited, inference, recorded
from scratch.torch.choices import attention_from, layer_norm_from
from scratch.torch.embeddings import Embeddings
from scratch.torch.token_logits import TokenLogits
from tools.experiments.tables import DATA, new_table
from tools.experiments.train_number_game import trained

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

CSV = DATA / "inside_runs.csv"
COLUMNS = "model", "seed", "measure", "heads", "value"

# Copying

VOCAB_SIZE, LENGTH, BATCH, TESTED_EVERY = 64, 32, 64, 25
SAME_PLACE = "one layer, always the same place"
# layers, positions, how many different tokens begin a text, steps, learning rate, seeds
MODELS = {
    "two layers": (2, "rotary", 20, 400, 1e-2, range(5)),
    "one layer": (1, "rotary", 20, 400, 1e-2, range(3)),
    "one layer, 1,500 steps": (1, "rotary", 20, 1_500, 1e-2, range(1)),
    SAME_PLACE: (1, "rotary", 16, 200, 1e-2, range(2)),
    f"{SAME_PLACE}, learned positions": (1, "learned", 16, 200, 1e-2, range(2)),
    "two layers, learned positions": (2, "learned", 20, 1_200, 5e-3, range(2)),
}
PROVED = {"two layers": 3, "two layers, learned positions": 2}  # of how many seeds


class AttentionOnly(nn.Module):
    """A decoder of attention alone: embeddings, layers without FFN, norm, logits."""

    def __init__(self, config):
        super().__init__()
        layers = range(config.num_layers)
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(attention_from(config) for _ in layers)
        self.norms = nn.ModuleList(layer_norm_from(config) for _ in layers)
        self.norm = layer_norm_from(config)
        self.logits = TokenLogits(config, self.embeddings.tokens)

    def forward(self, ids, need_weights=False):
        x, maps, mask = self.embeddings(ids), [], causal_mask(ids.shape[1])
        for norm, layer in zip(self.norms, self.layers, strict=True):
            y = norm(x)
            y, weights = layer(y, y, y, mask, need_weights=need_weights)
            x = x + y
            maps.append(weights)
        return self.logits(self.norm(x)), maps


def texts(rng, count, first):
    """Return ids, and how far behind each row's copy its original is.

    A row is a start token, `first` different ones, and up to LENGTH some of these in a
    row, from a random place if they are fewer than `first`.
    """
    different = rng.random((count, VOCAB_SIZE - 1)).argsort(1)[:, :first] + 1
    begin = rng.integers(0, 2 * first - LENGTH + 1, count)
    place = begin[:, None] + np.arange(LENGTH - first)
    copy = np.take_along_axis(different, place, 1)
    ids = np.concatenate([np.zeros((count, 1), int), different, copy], 1)
    return torch.tensor(ids), first - begin


def copied(model, ids, first):
    """Return the loss of the copy's tokens but its first, and the share right."""
    with inference(model):
        logits = model(ids[:, :-1])[0][:, first + 1 :]
    targets = ids[:, first + 2 :]
    loss = F.cross_entropy(logits.transpose(1, 2), targets)
    return loss.item(), (logits.argmax(-1) == targets).float().mean().item()


def best_heads(model, ids, back, first):
    """Yield (measure, head, its mean weight) for two kinds of heads."""
    with inference(model):
        maps = torch.stack(model(ids[:, :-1], need_weights=True)[1])
    row = np.arange(len(ids))[:, None]
    query = np.arange(first + 1, LENGTH)
    after = query - back[:, None] + 1
    for name, key in (("induction", after), ("previous token", query - 1)):
        mean = maps[:, row, :, query, key].mean((0, 1))  # (layers, heads)
        layer, head = divmod(mean.argmax().item(), mean.shape[1])
        yield name, f"{layer}.{head}", mean.max().item()


def learned(layers, positions, first, steps, rate, seed):
    """Train a model; return it and its loss of the copies as [(step, loss), …]."""
    torch.manual_seed(seed)
    config = TransformerConfig(
        VOCAB_SIZE, d_model=64, num_heads=4, d_ff=1, num_layers=layers, dropout=0.0,
        max_len=LENGTH, norm_first=True, positions=positions, scale_embeddings=False,
        pad_id=None, norm="rms", bias=False, tie_output=False,
    )  # fmt: skip
    model, rng, tested = AttentionOnly(config), np.random.default_rng(seed), []
    test, _ = texts(np.random.default_rng(999), 200, first)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    for step in range(steps + 1):
        if step % TESTED_EVERY == 0:
            tested.append((step, copied(model, test, first)[0]))
        ids, _ = texts(rng, BATCH, first)
        optimizer.param_groups[0]["lr"] = rate * min(1, (step + 1) / 50)
        logits, _ = model(ids[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, tested


def copying(name, seed):
    """Yield (measure, heads, value) of a model that learns to copy."""
    *recipe, _ = MODELS[name]
    first = recipe[2]
    model, tested = learned(*recipe, seed)
    ids, back = texts(np.random.default_rng(999), 200, first)
    yield "loss > 3 at", "", max((at for at, loss in tested if loss > 3), default="")
    yield "loss < 1 at", "", min((at for at, loss in tested if loss < 1), default="")
    loss, right = copied(model, ids, first)
    yield "loss", "", loss
    yield "right", "", right
    yield from best_heads(model, ids, back, first)
    if first != 20:
        other, _ = texts(np.random.default_rng(5), 200, 20)
        loss, right = copied(model, other, 20)
        yield "other places: loss", "", loss
        yield "other places: right", "", right
    if seed < PROVED.get(name, 0):
        with inference(model):
            bare = model.norms[1](model.embeddings(ids[:, :-1]))
        for part in ("key", "query", "value"):
            with edited(getattr(model.layers[1], part), lambda _: bare, inputs=True):
                _, right = copied(model, ids, first)
            plural = "queries" if part == "query" else f"{part}s"
            yield f"right, layer 0 kept from {plural}", "", right


# Adding

GAMES, GAME_SEEDS, ENOUGH = 400, range(3), 0.99
HEADS = [(layer, head) for layer in range(2) for head in range(4)]


def value(a, op, b):
    return a + b if op == "add" else a - b


def games():
    """Return {name: (ids, results)} of games, "own", and of donors that differ in one.

    A donor for a game has another A, op or B.
    """
    rng, rows = np.random.default_rng(0), {"own": [], "A": [], "op": [], "B": []}
    while len(rows["own"]) < GAMES:
        a, other_a = rng.integers(4, 16, 2).tolist()
        b, other_b = rng.integers(1, 10, 2).tolist()
        op, other_op = rng.permutation(["add", "take"]).tolist()
        four = (a, op, b), (other_a, op, b), (a, other_op, b), (a, op, other_b)
        if a != other_a and b != other_b and min(value(*one) for one in four) >= 0:
            for found, one in zip(rows.values(), four, strict=True):
                found.append(one)
    return {name: asked(some) for name, some in rows.items()}


def asked(rows):
    ids, results = [], []
    for a, op, b in rows:
        one, two = game.NUMBERS[a], game.NUMBERS[b]
        text = f"start with {one} , {op} {two} , add three . {one} {op} {two} is"
        ids.append([game.END_OF_TEXT, *game.encode(text)])
        results.append(game.IDS[game.NUMBERS[value(a, op, b)]])
    return torch.tensor(ids), torch.tensor(results)


def right(model, ids, results, changes=()):
    """Return the share of results, after changes (part, change, inputs)."""
    with ExitStack() as stack:
        for change in changes:
            stack.enter_context(edited(*change))
        stack.enter_context(inference(model))
        return (model(ids)[:, -1].argmax(-1) == results).float().mean().item()


def patches(model, donors):
    """Return {head or "FFN 1": a change to what it has in donors at the last place}."""
    layers = model.decoder.layers
    places = {
        (layer, head): (layers[layer].self_attention.projection, True)
        for layer, head in HEADS
    }
    places["FFN 1"] = layers[1].feed_forward, False
    found = {}
    for name, (part, inputs) in places.items():
        columns = slice(None)
        if name in HEADS:
            columns = slice(16 * name[1], 16 * name[1] + 16)
        with recorded(part, inputs) as passed, inference(model):
            model(donors)
        found[name] = part, put(passed[0], columns), inputs
    return found


def put(donors, columns):
    def change(x):
        x[:, -1, columns] = donors[:, -1, columns]
        return x

    return change


def adding(seed):
    """Yield (measure, heads, value) of a base model of the number game."""
    model = trained(seed=seed)[0] if seed else game.stages()["base"]
    all_games = games()
    ids, results = all_games.pop("own")
    yield "right", "", right(model, ids, results)
    for name, (donors, wanted) in all_games.items():
        changes = patches(model, donors)
        for size in range(1, len(HEADS) + 1):
            shares = {
                heads: right(model, ids, wanted, [changes[head] for head in heads])
                for heads in combinations(HEADS, size)
            }
            best = max(shares, key=shares.get)
            said = "+".join(f"{layer}.{head}" for layer, head in best)
            yield f"{name}, {size}", said, shares[best]
            if shares[best] >= ENOUGH:
                break
        yield f"{name}, FFN 1", "", right(model, ids, wanted, [changes["FFN 1"]])


def main():
    torch.set_num_threads(1)
    runs = [
        (name, seed, copying(name, seed))
        for name, (*_, seeds) in MODELS.items()
        for seed in seeds
    ]
    runs += [("game", seed, adding(seed)) for seed in GAME_SEEDS]
    with new_table(CSV, COLUMNS) as table:
        for model, seed, measures in runs:
            for measure, heads, value in measures:
                number = f"{value:.4f}" if isinstance(value, float) else value
                table.writerow([model, seed, measure, heads, number])


if __name__ == "__main__":
    main()
