"""Generation: greedy search and beam search, with a cache and without."""

import itertools
from functools import partial

import keras
import numpy as np
import pytest
import torch
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, kept, twins

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
BOS, EOS = 1, 2


config = partial(configs.config, vocab_size=9, max_len=16, num_layers=1)
ENDLESS = config(unwritten_ids=(EOS,))


def lively(framework, piece, weights_seed=3, **named):
    """Return a model, the same in both frameworks, that writes one thing and another.

    Most fresh models repeat themselves. With logits of its own, from this seed, a model
    varies what it writes and ends now and then.
    """
    settled = config(tie_output=False, **named)
    return kept(framework, piece, settled, weights_seed=weights_seed)


def generate(framework, model, *inputs, **named):
    return framework.run(model.generate, *inputs, **named)


SOURCE = np.array([[5, 3, 8, 7], [4, 6, 0, 0], [3, 3, 3, 0]])
IDS = np.array([[5, 3, 7], [3, 4, 6]])


@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize(("beam_size", "norm_first"), [(1, True), (3, False)])
def test_cached_generation_equals_uncached(framework, beam_size, norm_first):
    """With two layers, each has its own cache."""
    model = lively(framework, "Transformer", 2, norm_first=norm_first, num_layers=2)
    cached, uncached = (
        generate(
            framework, model, SOURCE, BOS, EOS, 6, beam_size=beam_size, use_cache=use
        )
        for use in (True, False)
    )
    np.testing.assert_array_equal(cached, uncached)
    assert len(np.unique(cached)) > 2, "the model is too dull to tell"


@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
def test_with_a_cache_each_step_reads_one_new_token(framework, piece, beam_size):
    next_logits = recorded(framework, lively(framework, piece), piece, beam_size)
    read = []

    def counted(ids, cache):
        read.append(ids.shape[1])
        return next_logits(ids, cache)

    prompt = framework.tensor(SOURCE[:, :2])
    for use_cache, wanted in ((True, [2, 1, 1, 1]), (False, [2, 3, 4, 5])):
        framework.generate_ids(counted, prompt, EOS, 4, ENDLESS, beam_size, use_cache)
        assert read == wanted
        read.clear()


@pytest.mark.parametrize(
    ("piece", "beam_size"), [("Transformer", 3), ("CausalLanguageModel", 1)]
)
def test_twins_generate_the_same(piece, beam_size):
    options = {"eos_id": EOS, "max_new_tokens": 8, "beam_size": beam_size}
    if piece == "Transformer":
        options["bos_id"] = BOS
    else:
        options["attention_mask"] = (SOURCE != 0)[:, None, None]
    one, other = (
        generate(framework, lively(framework, piece), SOURCE, **options)
        for framework in (TORCH, TENSORFLOW)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("untraced")
@both
def test_greedy_takes_the_likeliest_token_each_time(framework):
    model = lively(framework, "Transformer")
    found = generate(framework, model, SOURCE, BOS, EOS, 12)
    begun = np.insert(found[:, :-1], 0, BOS, axis=1)
    likeliest = framework.run(model, SOURCE, begun).argmax(-1)
    for row, wanted in zip(found, likeliest, strict=True):
        length = list(row).index(EOS) + 1 if EOS in row else len(row)
        assert row[:length].tolist() == wanted[:length].tolist()
        assert not row[length:].any()


@pytest.mark.slow("a beam of one that is not greedy")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("piece", ["Transformer", "CausalLanguageModel"])
@pytest.mark.parametrize("use_cache", [True, False])
def test_a_beam_of_1_is_greedy(framework, piece, use_cache):
    model = lively(framework, piece)
    task = (
        recorded(framework, model, piece, beam_size=1),
        framework.tensor(np.full((3, 1), BOS)),
        EOS, 6, 0, use_cache,
    )  # fmt: skip
    greedy = framework.numpy(framework.greedy_search(*task))
    beam = framework.numpy(framework.beam_search(*task, beam_size=1))
    np.testing.assert_array_equal(beam, greedy)


def recorded(framework, model, piece, beam_size):
    """Return the function from which a search gets the next logits."""
    if piece == "CausalLanguageModel":
        return model.next_logits
    memory, memory_mask = model.encode(
        framework.tensor(np.repeat(SOURCE, beam_size, 0))
    )
    return lambda ids, cache: model.next_logits(ids, memory, memory_mask, cache)


@both
@pytest.mark.parametrize("seed", range(12))
def test_a_beam_as_wide_as_the_tree_finds_the_best(framework, seed):
    """Compare with all sequences of up to 3 tokens from a vocabulary of 4."""
    vocab_size, length = 4, 3
    table = np.random.default_rng(seed).normal(size=(4, 4, 4, 4)).astype(np.float32)

    def next_logits(ids, cache):
        """Logits depend on all tokens so far, and are looked up in a table."""
        past = framework.numpy(ids)
        rows = [table[tuple(np.append(row[1:], [0, 0, 0])[:3])] for row in past]
        return framework.tensor(np.stack(rows)), cache

    def log_p(ids):
        total = 0.0
        for i, token in enumerate(ids):
            logits = table[tuple(np.append(ids[:i], [0, 0, 0])[:3].astype(int))]
            total += logits[token] - np.log(np.exp(logits).sum())
        return total

    sequences = [
        ids
        for size in range(1, length + 1)
        for ids in itertools.product(range(vocab_size), repeat=size)
        # a sequence ends with its only end token, or at the limit
        if EOS not in ids[:-1] and (ids[-1] == EOS or size == length)
    ]
    best = max(sequences, key=log_p)
    prompt = framework.tensor(np.array([[BOS]]))
    found = framework.beam_search(
        next_logits, prompt, EOS, length, 0, False, beam_size=vocab_size**length
    )
    found = framework.numpy(found)[0, 1:]
    assert tuple(found[: len(best)]) == best
    assert not found[len(best) :].any()


def searched(log_p, beam_size, length, ends=(EOS,)):
    """Return beam search's result with lists; `log_p` is of a token after another."""
    beams, ended = [(0.0, [BOS])], []
    for _ in range(length):
        longer = [
            (score + log_p[ids[-1], token], [*ids, token])
            for score, ids in beams
            for token in range(len(log_p))
        ]
        best = sorted(longer, reverse=True)[:beam_size]
        ended += [beam for beam in best if beam[1][-1] in ends]
        beams = [beam for beam in best if beam[1][-1] not in ends]
    return max(ended + beams)[1][1:]


@both
@pytest.mark.parametrize("eos_id", [EOS, [EOS, 5]])
@pytest.mark.parametrize("beam_size", [1, 2, 3])
def test_a_search_finds_what_a_plain_one_does(framework, beam_size, eos_id):
    """For 40 rows at once, each with its own table; a beam of 1 is greedy."""
    tables = np.random.default_rng(0).normal(size=(40, 6, 6))
    tables -= np.log(np.exp(tables).sum(-1, keepdims=True))

    def next_logits(ids, cache):
        table = tables.astype(np.float32).repeat(len(ids) // 40, 0)
        logits = table[range(len(table)), framework.numpy(ids)[:, -1]]
        return framework.tensor(logits), cache

    prompts = framework.tensor(np.full((40, 1), BOS))
    settled = config(vocab_size=6)
    found = framework.generate_ids(
        next_logits, prompts, eos_id, 5, settled, beam_size, use_cache=False
    )
    for row, table in zip(framework.numpy(found)[:, 1:], tables, strict=True):
        wanted = searched(table, beam_size, 5, np.ravel(eos_id))
        assert row[: len(wanted)].tolist() == wanted
        assert not row[len(wanted) :].any()


@both
@pytest.mark.parametrize("beam_size", [2, 3])
def test_a_text_that_ended_is_not_forgotten(framework, beam_size):
    """Longer texts push it out of the beam but turn out to be worse."""
    a, b, c, d = 3, 4, 5, 6
    follows = np.zeros((17, 17), np.float32)
    follows[BOS, [a, EOS, b]] = 0.6, 0.25, 0.15
    follows[a, [c, d]] = 0.55, 0.45
    follows[b, c] = 1
    follows[[c, d], 7:] = 0.1
    follows[7:, EOS] = 1

    def next_logits(ids, cache):
        log_p = np.log(follows[framework.numpy(ids)[:, -1]] + 1e-9)
        return framework.tensor(log_p), cache

    # A second row, which ends later, keeps the search going.
    prompt = framework.tensor(np.array([[BOS], [b]]))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 5, config(), beam_size, use_cache=False
    )
    # 0.25 at once is more than 0.6 · 0.55 · 0.1 in the end.
    assert framework.numpy(found)[0, 1:].tolist() == [EOS, 0, 0]
    assert framework.numpy(found)[1, -1] == EOS


@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_row_stops_at_its_own_end(framework, beam_size):
    """A model that counts up, and ends at a different place in each row."""
    ends = np.array([3, 6, 4])

    def next_logits(ids, cache):
        rows, length = framework.numpy(ids).shape
        wanted = np.where(length >= np.repeat(ends, beam_size), EOS, 3 + length % 5)
        logits = np.full((rows, 9), -9.0, np.float32)
        logits[np.arange(rows), wanted] = 9.0
        return framework.tensor(logits), cache

    prompt = framework.tensor(np.full((3, 1), BOS))
    found = framework.generate_ids(
        next_logits, prompt, EOS, 9, config(), beam_size, use_cache=False
    )
    found = framework.numpy(found)
    # no step is taken once all rows have ended
    assert found.shape == (3, 1 + max(ends))
    for row, end in zip(found, ends, strict=True):
        assert row[end] == EOS
        assert EOS not in row[:end] and not row[end + 1 :].any()


@pytest.mark.slow("a text that goes on beyond its limit")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("new_tokens", [5, 16])
def test_generation_stops_at_the_limit(framework, beam_size, new_tokens):
    """16 new tokens use every position up to the last."""
    model = kept(framework, "Transformer", ENDLESS)
    found = generate(
        framework, model, SOURCE, BOS, EOS, new_tokens, beam_size=beam_size
    )
    assert found.shape == (3, new_tokens)


@pytest.mark.slow("a prompt that is continued by its neighbour's length")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize(
    ("beam_size", "pad_id", "positions"),
    [
        (1, 0, "learned"),
        (3, 0, "sinusoidal"),
        (3, EOS, "learned"),
        (1, None, "sinusoidal"),
    ],
)
def test_prompts_of_many_lengths_are_continued_as_if_alone(
    framework, beam_size, pad_id, positions
):
    """Padded on the left or the right, with the cache or without."""
    model = lively(framework, "CausalLanguageModel", pad_id=pad_id, positions=positions)
    options = {"eos_id": EOS, "max_new_tokens": 4, "beam_size": beam_size}
    fill = EOS if pad_id is None else pad_id
    # 12 prompts of 1, 3 and 5 tokens; those of one length need no padding
    lengths = (1, 3, 5)
    prompts = [
        np.random.default_rng(length).integers(3, 9, (4, length)) for length in lengths
    ]
    for of_one_length in prompts:
        of_one_length[:, -1] = np.arange(4) + 3
    mask = np.repeat(np.arange(5) >= 5 - np.array(lengths)[:, None], 4, 0)
    ids = np.concatenate(
        [np.pad(one, [(0, 0), (5 - one.shape[1], 0)]) for one in prompts]
    )
    left = np.where(mask, ids, fill)
    given = [
        (left, {"attention_mask": mask[:, None, None]}),
        (left, {"attention_mask": mask[:, None, None], "use_cache": False}),
    ]
    order = np.argsort(~mask, axis=1, kind="stable")
    right = np.take_along_axis(left, order, 1)
    right_mask = np.take_along_axis(mask, order, 1)[:, None, None]
    given.append((right, {"attention_mask": right_mask}))
    found = [generate(framework, model, i, **options, **named) for i, named in given]
    for padded in found:
        np.testing.assert_array_equal(padded[:, :5], left)
    for place, (length, of_one_length) in enumerate(zip(lengths, prompts, strict=True)):
        alone = generate(framework, model, of_one_length, **options)
        rows = slice(4 * place, 4 * place + 4)
        for padded in found:
            new = padded[rows, 5:]
            width = alone.shape[1] - length
            np.testing.assert_array_equal(new[:, :width], alone[:, length:])
            assert (new[:, width:] == fill).all()
    assert len(np.unique(found[0][:, 5:])) > 3, "the model is too dull to tell"


@pytest.mark.slow("a text that scores otherwise than it was written")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("positions", ["rotary", "learned", "sinusoidal"])
def test_what_is_generated_scores_as_each_row_alone(framework, positions):
    """Prompts of 2 to 4 tokens, some of them the id that pads and ends a text."""
    model = lively(framework, "CausalLanguageModel", pad_id=EOS, positions=positions)
    ids = np.array([[EOS, EOS, 4, EOS], [3, EOS, 5, 6], [EOS, 8, 5, 7]])
    mask = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1]], bool)
    on_the_right = np.array([[4, EOS, EOS, EOS], [3, EOS, 5, 6], [8, 5, 7, EOS]])
    for prompts, real in (ids, mask), (on_the_right, mask[:, ::-1]):
        real = real[:, None, None].copy()
        found = generate(framework, model, prompts, EOS, 5, attention_mask=real)
        np.testing.assert_array_equal(found[:, :4], ids)
        written = framework.run(framework.written_mask, real, found.shape[1])
        logits = framework.run(model, found, attention_mask=written)
        for row, first in enumerate([2, 0, 1]):
            alone = framework.run(model, found[row : row + 1, first:])
            np.testing.assert_allclose(logits[row, first:], alone[0], **CLOSE)


@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_an_end_inside_a_prompt_ends_nothing(framework, beam_size):
    model = lively(framework, "CausalLanguageModel")
    prompts = np.array([[5, 4, 6], [3, EOS, 8], [4, EOS, EOS]])
    found = generate(framework, model, prompts, EOS, 6, beam_size=beam_size)
    np.testing.assert_array_equal(found[:, :3], prompts)
    assert (found[:, 3] != 0).all()


@pytest.mark.slow("a padded source that is translated otherwise")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_padded_source_is_translated_as_if_alone(framework, beam_size):
    model = lively(framework, "Transformer")
    together = generate(framework, model, SOURCE, BOS, EOS, 5, beam_size=beam_size)
    for row, source in zip(together, SOURCE, strict=True):
        alone = generate(
            framework, model, source[source > 0][None], BOS, EOS, 5, beam_size=beam_size
        )[0]
        np.testing.assert_array_equal(row[: len(alone)], alone)


@pytest.mark.slow("a wider beam that finds worse")
@both
def test_a_wider_beam_finds_no_worse(framework):
    model = lively(framework, "Transformer")

    def log_p(ids):
        ids = np.concatenate([[[BOS]] * 3, ids], 1)
        logits = framework.run(model, SOURCE, ids[:, :-1]).astype(float)
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        picked = np.take_along_axis(log_p, ids[:, 1:, None], -1)[..., 0]
        ends = ids[:, 1:] == EOS
        until = np.cumsum(ends, 1) - ends == 0  # 0 is written before the end, too
        return (picked * until).sum(-1)

    greedy, wide = (
        log_p(generate(framework, model, SOURCE, BOS, EOS, 4, beam_size=size))
        for size in (1, 200)
    )
    assert (wide > greedy - 1e-4).all()


def test_generation_runs_without_dropout_and_leaves_the_mode_alone():
    """PyTorch only: a Keras layer has no mode but an argument in each call."""
    model = TORCH.Transformer(config(dropout=0.5))
    model.train()
    found = [TORCH.numpy(model.generate(TORCH.tensor(SOURCE), BOS, EOS, 6))] * 2
    np.testing.assert_array_equal(*found)
    assert model.training and model.encoder.layers[0].training
    model.eval()
    model.generate(TORCH.tensor(SOURCE), BOS, EOS, 6)
    assert not model.training


@pytest.mark.usefixtures("untraced")
@both
def test_what_was_generated_can_be_trained_on(framework):
    """The ids are ordinary tensors, not those of PyTorch's inference mode."""
    model = kept(framework, "Transformer", config())
    ids = model.generate(framework.tensor(SOURCE), BOS, EOS, 4)

    def loss(model, source):
        return framework.cross_entropy(model(source, ids), ids, 0)

    _, gradients = framework.gradients(model, loss, SOURCE)
    assert any(gradient.any() for gradient in gradients.values())


WHOLE, CAUSAL = "Transformer", "CausalLanguageModel"
MASK = np.ones((2, 1, 1, 3), bool)
HOLE = np.array([[1, 1, 1], [1, 0, 1]], bool)[:, None, None]


@both
@pytest.mark.parametrize(
    ("piece", "change", "error", "words"),
    [
        (
            WHOLE,
            {"max_new_tokens": 17},
            ValueError,
            "17 tokens: wanted",
        ),
        (WHOLE, {"max_new_tokens": 0}, ValueError, "max_new_tokens is 0"),
        (WHOLE, {"beam_size": 0}, ValueError, "beam_size is 0"),
        (WHOLE, {"beam_size": 2.0}, TypeError, "beam_size is 2.0"),
        (WHOLE, {"bos_id": -1}, ValueError, "bos_id is -1"),
        (WHOLE, {"bos_id": 9}, ValueError, "bos_id is 9"),
        (WHOLE, {"eos_id": None}, TypeError, "eos_id is None"),
        (WHOLE, {"eos_id": 9}, ValueError, "eos_id is 9"),
        (WHOLE, {"eos_id": [EOS, 9]}, ValueError, "eos_id is 9"),
        (CAUSAL, {"eos_id": ()}, ValueError, r"eos_id is \(\): wanted at least one"),
        (WHOLE, {"ids": IDS[:0]}, ValueError, r"source_ids has shape \(0, 3\)"),
        (CAUSAL, {"eos_id": 9}, ValueError, "eos_id is 9"),
        (WHOLE, {"ids": IDS + 2}, ValueError, "source_ids holds 9"),
        (CAUSAL, {"ids": IDS + 2}, ValueError, "ids holds 9"),
        (CAUSAL, {"attention_mask": [True]}, TypeError, "mask is a list"),
        (CAUSAL, {"beam_size": 0}, ValueError, "beam_size is 0"),
        (
            CAUSAL,
            {"max_new_tokens": 15},
            ValueError,
            "17 tokens: wanted",
        ),
        (
            CAUSAL,
            {"ids": IDS[:0]},
            ValueError,
            r"ids has shape \(0, 3\)",
        ),
        (CAUSAL, {"ids": IDS[:, :0]}, ValueError, r"shape \(2, 0\)"),
        (
            CAUSAL,
            {"ids": np.array([[5, 3, 7], [3, 4, 0]])},
            ValueError,
            "mask is None: wanted one, because row 1 .* with 0",
        ),
        (
            CAUSAL,
            {"eos_id": 0, "ids": np.array([[5, 3, 7], [0, 4, 6]])},
            ValueError,
            "mask is None: wanted one, because row 1 .* with 0",
        ),
        (
            CAUSAL,
            {"attention_mask": MASK * 1},
            TypeError,
            "mask holds",
        ),
        (
            CAUSAL,
            {"attention_mask": MASK[0, 0]},
            ValueError,
            "mask has sh",
        ),
        (
            CAUSAL,
            {"attention_mask": MASK[:1]},
            ValueError,
            "mask has sh",
        ),
        (
            CAUSAL,
            {"attention_mask": ~MASK},
            ValueError,
            "mask has no token in row 0",
        ),
        (
            CAUSAL,
            {"attention_mask": HOLE},
            ValueError,
            "padding between the tokens in row 1",
        ),
    ],
)
def test_generation_says_what_is_wrong(framework, piece, change, error, words):
    model = kept(framework, piece, config())
    start = {"bos_id": BOS} if piece == "Transformer" else {}
    named = {"ids": IDS, **start, "eos_id": EOS, "max_new_tokens": 3, **change}
    with pytest.raises(error, match=words):
        generate(framework, model, named.pop("ids"), **named)


@pytest.mark.slow("an integer type that is read as another")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("piece", [WHOLE, CAUSAL])
def test_prompts_are_arrays_of_any_integers(framework, piece):
    """New ids may be too large for the integer type of the prompts."""
    size = 400
    settled = config(vocab_size=size, unwritten_ids=range(3, 300), tie_output=False)
    model = kept(framework, piece, settled)
    options = {"eos_id": EOS, "max_new_tokens": 3, "beam_size": 2}
    if piece == WHOLE:
        options["bos_id"] = BOS
    if piece == CAUSAL:
        options["attention_mask"] = (SOURCE != 0)[:, None, None]
    wanted = generate(framework, model, SOURCE, **options)
    assert wanted.max() >= 300
    for kind in (np.int8, np.uint8, np.int64):
        found = model.generate(SOURCE.astype(kind), **options)
        np.testing.assert_array_equal(framework.numpy(found), wanted)


@pytest.mark.slow("a trace that keeps old weights")
@both
def test_a_changed_model_writes_what_it_computes(framework):
    """No trace of the old model is used after the change."""
    begun = np.full((3, 1), BOS)

    def greedy(model):
        ids = begun
        for _ in range(2):
            logits = framework.run(model, ids)[:, -1]
            logits[:, EOS] = -np.inf
            ids = np.concatenate([ids, logits.argmax(-1)[:, None]], 1)
        return ids[:, 1:]

    settled = config(tie_output=False, unwritten_ids=(EOS,), pad_id=None, num_layers=1)
    model, other = (
        twins("CausalLanguageModel", settled, weights_seed=seed)[
            framework is TENSORFLOW
        ]
        for seed in (4, 5)
    )
    generate(framework, model, begun, EOS, 2)
    before = greedy(model)
    model.decoder.layers[0] = other.decoder.layers[0]
    found = generate(framework, model, begun, EOS, 2)[:, -2:]
    replaced = greedy(model)
    np.testing.assert_array_equal(found, replaced)
    model.decoder.embeddings.scale = 0.0
    found = generate(framework, model, begun, EOS, 2)[:, -2:]
    np.testing.assert_array_equal(found, greedy(model))
    assert (before != replaced).any() and (replaced != found).any()


@pytest.mark.slow("a beam that writes what is ruled out")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_what_must_not_be_written_is_not(framework, beam_size):
    model = lively(framework, "Transformer")
    options = {"beam_size": beam_size}
    written = generate(framework, model, SOURCE, BOS, EOS, 8, **options)
    token = int(written[0, 0])
    model = lively(framework, "Transformer", unwritten_ids=(token, 6))
    other = generate(framework, model, SOURCE, BOS, EOS, 8, **options)
    assert {token, 6} & set(written.flatten().tolist())
    assert not {token, 6} & set(other.flatten().tolist())


@pytest.mark.slow("a half precision in which nothing is written")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_generation_runs_in_half_precision(framework, beam_size):
    try:
        keras.config.set_dtype_policy("bfloat16")
        model = kept(framework, "Transformer", config(unwritten_ids=(0, 8)))
    finally:
        keras.config.set_dtype_policy("float32")
    if framework is TORCH:
        model.to(torch.bfloat16)
    found = generate(framework, model, SOURCE, BOS, 8, 5, beam_size=beam_size)
    assert found.shape == (3, 5) and found.all()
