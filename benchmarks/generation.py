"""Cached greedy generation, against `transformers` with the same weights."""

import copy
import warnings
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

from benchmarks.memory import in_a_process_of_its_own, peak_memory
from benchmarks.timing import interleaved
from readymade.packed import packed
from readymade.weights import load_checkpoint

import torch
import transformers

NEW_TOKENS = 64
LAYERS = 6
BATCHES = (1, 16)
CONTENDERS = ("ours", "ours, packed", "transformers generate")
NEVER = 7_998  # an end token that no row happens to write
SIZES = {"vocab_size": 8_000, "attn_implementation": "sdpa"}


def gpt2():
    """A GPT-2 of moderate size, with random weights."""
    config = transformers.GPT2Config(
        **SIZES, n_embd=384, n_head=6, n_layer=LAYERS, pad_token_id=0, eos_token_id=None
    )
    return transformers.GPT2LMHeadModel(config)


def llama():
    """A Llama of moderate size, with random weights."""
    config = transformers.LlamaConfig(
        **SIZES,
        hidden_size=384,
        intermediate_size=1_024,
        num_hidden_layers=LAYERS,
        num_attention_heads=6,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=None,
    )
    return transformers.LlamaForCausalLM(config)


def marian():
    """A Marian of moderate size, with random weights."""
    config = transformers.MarianConfig(
        **SIZES,
        d_model=384,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=6,
        decoder_attention_heads=6,
        encoder_ffn_dim=1_536,
        decoder_ffn_dim=1_536,
        max_position_embeddings=512,
        pad_token_id=7_999,
        decoder_start_token_id=7_999,
        eos_token_id=0,
        forced_eos_token_id=None,
        bos_token_id=None,
        scale_embedding=True,
    )
    return transformers.MarianMTModel(config)


FAMILIES = {"GPT-2": gpt2, "Llama": llama, "Marian": marian}
ROUNDS = len(FAMILIES) * len(BATCHES)


def measure(repetitions, progress, batches=BATCHES, new_tokens=NEW_TOKENS):
    """Yield (framework, task, contender, seconds, megabytes) for each family."""
    for family in FAMILIES:
        for batch in batches:
            megabytes = {
                name: in_a_process_of_its_own(memory, family, batch, new_tokens, name)
                for name in CONTENDERS
            }
            with contenders(family) as runs:
                prompt = torch.randint(1, 7_000, (batch, 16))
                runs = {
                    name: partial(run, prompt, new_tokens) for name, run in runs.items()
                }
                same(*(run() for run in runs.values()))
                times = interleaved(runs, repetitions, progress)
            for name, seconds in times.items():
                task = f"{new_tokens} tokens, {family}, batch {batch}"
                yield "PyTorch", task, name, seconds, megabytes[name]


def memory(family, batch, new_tokens, name):
    """Return the megabytes that one contender needs."""
    with contenders(family) as runs:
        prompt = torch.randint(1, 7_000, (batch, 16))
        runs[name](prompt[:2], 2)  # warms up, and packs for the prompt and a token
        return peak_memory(partial(runs[name], prompt, new_tokens))


def equal_models(family):
    """Return a model of `transformers` with random weights, and ours with the same."""
    torch.manual_seed(0)
    theirs = FAMILIES[family]().eval()
    # No row ends early.
    theirs.generation_config.eos_token_id = None
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        # The folder has no tokenizer, and none is needed.
        warnings.filterwarnings("ignore", "the tokenizer is None")
        theirs.save_pretrained(folder)
        ours, _ = load_checkpoint(folder)
    return theirs, ours.eval()


@contextmanager
def contenders(family):
    """Yield {name: function of prompt and number of new tokens}, with equal weights."""
    theirs, ours = equal_models(family)
    used = copy.deepcopy(ours)
    runs = [
        partial(ours_on, family, ours),
        partial(ours_on, family, used),
        partial(theirs_on, theirs),
    ]
    with packed(used):
        yield dict(zip(CONTENDERS, runs, strict=True))


def ours_on(family, model, prompt, new_tokens):
    """Return the new tokens that our model writes: (batch, new_tokens)."""
    if family == "Marian":
        start = model.config.pad_id
        return model.generate(prompt, start, NEVER, new_tokens)
    return model.generate(prompt, NEVER, new_tokens)[:, prompt.shape[1] :]


def theirs_on(model, prompt, new_tokens, mask=None):
    """Return the new tokens that `transformers` writes: (batch, new_tokens)."""
    ids = model.generate(
        input_ids=prompt,
        attention_mask=torch.ones_like(prompt) if mask is None else mask,
        max_new_tokens=new_tokens,
        min_new_tokens=None,
        do_sample=False,
        num_beams=1,
        use_cache=True,
    )
    return ids[:, -new_tokens:]


def same(one, *others):
    """Raise RuntimeError unless all write the same tokens, or times mean nothing."""
    for other in others:
        if one.shape != other.shape or not torch.equal(one, other):
            raise RuntimeError(
                f"the contenders generate different tokens: {one[0].tolist()} and "
                f"{other[0].tolist()}"
            )
