"""Requests of many lengths: our engine, and `transformers` with the same weights."""

import copy
from contextlib import contextmanager
from functools import partial
from itertools import chain

from benchmarks.generation import NEVER, equal_models, same, theirs_on
from benchmarks.memory import in_a_process_of_its_own, peak_memory
from benchmarks.timing import interleaved
from readymade.packed import packed
from scratch.serving import Request
from scratch.torch import Engine

import numpy as np
import torch

FAMILY = "Llama"
REQUESTS = (1, 8, 32)
SLOTS = max(REQUESTS)  # as many as a batch has rows
CONTENDERS = (
    "ours",
    "ours, packed",
    "transformers generate, in a batch",
    "transformers generate, one at a time",
)
ROUNDS = len(REQUESTS)


def measure(repetitions, progress, numbers=REQUESTS):
    """Yield (framework, task, contender, seconds, megabytes) for each number."""
    for number in numbers:
        megabytes = {
            name: in_a_process_of_its_own(memory, number, name) for name in CONTENDERS
        }
        requests = some_requests(number)
        with contenders() as runs:
            runs = {name: partial(run, requests) for name, run in runs.items()}
            texts = [[*chain(*run())] for run in runs.values()]
            same(*torch.tensor(texts)[:, None])
            times = interleaved(runs, repetitions, progress)
        task = f"many requests, {FAMILY}, {number} request{'s' * (number > 1)}"
        for name, seconds in times.items():
            yield "PyTorch", task, name, seconds, megabytes[name]


def some_requests(number):
    """Return requests with prompts of 4 to 64 tokens, for 4 to 32 new ones."""
    random = np.random.default_rng(0)
    found = []
    for _ in range(number):
        ids = random.integers(1, 7_000, random.integers(4, 65)).tolist()
        found.append(Request(ids, int(random.integers(4, 33)), NEVER))
    return found


def memory(number, name):
    """Return the megabytes that one contender needs."""
    with contenders() as runs:
        runs[name]([Request([1] * 16, 2, NEVER)] * 2)  # warms up, and packs
        return peak_memory(partial(runs[name], some_requests(number)))


@contextmanager
def contenders():
    """Yield {name: function of requests}, with equal weights; it returns new tokens."""
    theirs, ours = equal_models(FAMILY)
    used = copy.deepcopy(ours)
    runs = [
        partial(served, ours),
        partial(served, used),
        partial(in_a_batch, theirs),
        partial(one_at_a_time, theirs),
    ]
    with packed(used):
        yield dict(zip(CONTENDERS, runs, strict=True))


def served(model, requests):
    """Serve requests with a new engine, which knows no beginning of theirs."""
    return Engine(model, SLOTS).run(requests)


def in_a_batch(model, requests):
    """Pad prompts on the left, and go on until the longest text has ended."""
    longest = max(len(one.ids) for one in requests)
    ids = [[0] * (longest - len(one.ids)) + one.ids for one in requests]
    real = [[0] * (longest - len(one.ids)) + [1] * len(one.ids) for one in requests]
    most = max(one.max_new_tokens for one in requests)
    rows = theirs_on(model, torch.tensor(ids), most, torch.tensor(real))
    return [
        row[: one.max_new_tokens].tolist()
        for row, one in zip(rows, requests, strict=True)
    ]


def one_at_a_time(model, requests):
    """Go on with each prompt by itself."""
    return [
        theirs_on(model, torch.tensor([one.ids]), one.max_new_tokens)[0].tolist()
        for one in requests
    ]
