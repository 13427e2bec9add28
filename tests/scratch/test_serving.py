"""Serving: requests that share steps and memory are answered as each one alone."""

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import product

from scratch.config import TransformerConfig
from scratch.serving import Blocks, Request, Schedule, Task, acceptance, remainder

import numpy as np
import pytest
from helpers.frameworks import TENSORFLOW, TORCH, both
from helpers.served import ENDS, KINDS, SIZES, alone, model_in, some_requests

POOLS = [(64, 16, 8), (20, 4, 8), (70, 1, 3), (5, 16, 8), (64, 16, 1)]


def assert_as_alone(framework, kind, requests, pools):
    model = model_in(framework, kind)
    wanted = [alone(framework, model, request) for request in requests]
    assert len({*map(tuple, wanted)}) > len(requests) / 2  # texts differ
    for blocks, size, slots in pools:
        engine = framework.Engine(model, slots, blocks, size)
        assert engine.run(requests) == wanted
        schedule = engine.schedule
        assert len(schedule.blocks.free) == blocks
        assert not any(schedule.blocks.users)
        assert not schedule.running and not schedule.waiting
        # what an earlier text left in the pool helps and doesn't harm
        assert engine.run(requests[::-1]) == wanted[::-1]


@pytest.mark.parametrize("kind", KINDS)
def test_each_text_is_the_one_that_generate_writes(kind):
    assert_as_alone(TORCH, kind, some_requests(24), POOLS)


@pytest.mark.slow("TensorFlow's own pool, steps and traces")
@pytest.mark.parametrize("kind", ["learned", "window"])
def test_each_text_is_the_one_that_generate_writes_in_tensorflow(kind):
    assert_as_alone(TENSORFLOW, kind, some_requests(9), POOLS[1:2])


@pytest.mark.parametrize(
    "framework",
    [TORCH, pytest.param(TENSORFLOW, marks=pytest.mark.slow("its own rows"))],
    ids=str,
)
def test_rows_of_a_step_know_nothing_of_each_other(framework):
    """Neither of the others' keys nor of their positions or random numbers."""
    model, random = model_in(framework, "rotary"), np.random.default_rng(1)
    requests = []
    for seed, length in enumerate([3, 17, 9, 6]):
        ids = random.integers(3, 31, length).tolist()
        requests.append(Request(ids, 10, 2, temperature=0.9, seed=seed))
    engine = framework.Engine(model, slots=4, blocks=12, block_size=4)
    wanted = [alone(framework, model, request) for request in requests]
    assert engine.run(requests) == wanted


def test_twins_write_the_same():
    requests = some_requests(10)
    results = [
        framework.Engine(model_in(framework, "rotary"), 4, 24, 8).run(requests)
        for framework in (TORCH, TENSORFLOW)
    ]
    assert results[0] == results[1]


def test_requests_that_come_later_join_the_steps():
    """And one that is taken back leaves its blocks to the others."""
    model, requests = model_in(TORCH, "rotary"), some_requests(9)
    wanted = [alone(TORCH, model, request) for request in requests]
    engine = TORCH.Engine(model, 3, 24, 4)
    tasks = [engine.submit(request) for request in requests[:4]]
    for _ in range(3):
        engine.step()
    gone = next(task for task in tasks if not task.done)
    engine.schedule.cancel(gone)
    tasks += [engine.submit(request) for request in requests[4:]]
    while not all(task.done or task is gone for task in tasks):
        engine.step()
    for task, text in zip(tasks, wanted, strict=True):
        assert task.new == text or (task is gone and task.new == text[: len(task.new)])
    assert not any(engine.schedule.blocks.users)


@both
def test_a_step_that_was_stopped_changes_no_text(framework, monkeypatch):
    """As by the reader, after it gave a task a slot; `run` lets its own tasks go."""
    engine = framework.Engine(model_in(framework, "learned"), 3, 24, 4)
    requests = [Request([3, 4, 5], 6, 30), Request([6, 7], 6, 30)]
    wanted = [alone(framework, engine.model, request) for request in requests]
    tasks = [engine.submit(request) for request in requests]
    read = engine.read

    def stop(some):
        if engine.schedule.running[1:]:
            raise KeyboardInterrupt
        read(some)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "read", stop)
        for serve in (engine.step, partial(engine.run, requests)):
            with pytest.raises(KeyboardInterrupt):
                serve()
    assert [*engine.schedule.running, *engine.schedule.waiting] == tasks
    assert engine.run(requests) == wanted
    assert [task.new for task in tasks] == wanted


@both
def test_a_list_that_is_used_again_changes_no_text(framework):
    engine = framework.Engine(model_in(framework, "learned"), 3, 24, 4)
    ids, tasks, wanted = [3, 4, 5], [], []
    for new in (6, 7):
        ids[0] = new
        request = Request(ids, 6, 30)
        wanted.append(alone(framework, engine.model, request))
        tasks.append(engine.submit(request))
    while not all(task.done for task in tasks):
        engine.step()
    assert [task.new for task in tasks] == wanted and wanted[0] != wanted[1]


class World:
    """A random Schedule whose places hold, for keys, the text that these depend on."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        count, size, slots = self.random.integers((3, 1, 2), (9, 5, 6)).tolist()
        self.blocks, self.pool = Blocks(count, size), {}
        self.schedule = Schedule(TransformerConfig(**SIZES), slots, self.blocks)
        self.tasks, self.room = [], count * size

    def submit(self):
        """Submit a request whose text may fill the pool, and begin like others."""
        length = self.random.integers(1, self.room // 2 + 1)
        ids = self.random.integers(3, 5, length).tolist()
        most = self.random.integers(1, self.room - length + 2)
        self.tasks.append(self.schedule.submit(Request(ids, int(most), ENDS)))

    def step(self):
        for task in self.schedule.admitted():
            self.read([task])
        if ready := self.schedule.ready():
            self.read(ready)
        used = Counter(one for task in self.schedule.running for one in task.table)
        users = dict(enumerate(self.blocks.users))
        assert used == +Counter(users)
        assert {*self.blocks.free} == {*users} - {*used}

    def read(self, tasks):
        new, write, before, padding = self.schedule.batch(tasks)
        for row, task in enumerate(tasks):
            ids, known = task.ids, task.cached
            assert new[row].tolist() == ids[known:] != []
            beginnings = [tuple(ids[: n + 1]) for n in range(len(ids))]
            places = before[row, padding[row] :].tolist()
            assert [self.pool[place] for place in places] == beginnings[:known]
            places = write[row].tolist()
            self.pool |= zip(places, beginnings[known:], strict=True)
        tokens = self.random.integers(2, 22, len(tasks))  # one in ten is an end
        self.schedule.write(tasks, tokens.tolist())


def test_no_task_reads_a_place_that_holds_another_text():
    """Whatever comes, shares, is sent back, is cancelled, or ends at once."""
    cancelled = Counter()
    for seed in range(100):
        world = World(seed)
        for _ in range(40):
            if world.random.random() < 0.5:
                world.submit()
            if world.tasks and world.random.random() < 0.3:
                newest = -world.random.integers(1, min(6, len(world.tasks)) + 1)
                task = world.tasks.pop(newest)
                waits = "waits" if task in world.schedule.waiting else "runs"
                cancelled["ended" if task.done else waits, bool(task.new)] += 1
                world.schedule.cancel(task)
            world.step()
        while not all(task.done for task in world.tasks):
            world.step()
        assert len(world.blocks.free) == len(world.blocks.users)
        assert not world.schedule.running and not world.schedule.waiting
    # ("waits", True): one that has been sent back
    assert len(cancelled) == 4 and min(cancelled.values()) > 5, cancelled


@both
def test_a_text_that_ends_at_once_and_one_that_fills_the_pool(framework):
    model = model_in(framework, "learned")
    first = Request([3, 4, 5, 6, 7], 1, 2)
    (token,) = alone(framework, model, first)
    longer = [replace(first, max_new_tokens=16, eos_id=end) for end in (token, 30)]
    engine = framework.Engine(model, slots=2, blocks=5, block_size=4)
    texts = engine.run([first, *longer])
    assert texts[:2] == [[token]] * 2
    assert texts[2] == alone(framework, model, longer[1]) and len(texts[2]) == 16
    assert engine.run([]) == []


def test_steps_are_shared_and_a_common_beginning_is_read_once():
    model, read = model_in(TORCH, "rotary"), []
    requests = [Request([*range(3, 23), 23 + row], 6, 2) for row in range(4)]

    def read_ids(x):
        read.append(x.shape)
        return x

    with TORCH.edited(model.decoder.embeddings, read_ids, inputs=True):
        engine = TORCH.Engine(model, slots=4, block_size=8)
        read.clear()
        texts = engine.run(requests)
    longest = max(map(len, texts))
    assert read[:4] == [(1, 21), *[(1, 5)] * 3]  # 16 of 21 were known
    assert len(read) == 4 + longest - 1


def test_the_newest_goes_back_when_blocks_run_out():
    schedule = Schedule(TransformerConfig(**SIZES), slots=4, blocks=Blocks(4, 2))
    old, new = (schedule.submit(Request([first, 9], 6, 2)) for first in (3, 4))
    for task in schedule.admitted():
        schedule.write([task], [8])
    assert schedule.running == [old, new] == schedule.ready()
    schedule.write([old, new], [8, 8])
    schedule.write(schedule.ready(), [8, 8])
    assert schedule.ready() == [old]
    assert [*schedule.waiting] == [new] and new.new == [8, 8, 8] and not new.table
    assert [*schedule.admitted()] == []


def test_places_follow_the_table():
    task = Task(Request([3] * 7, 1, 2))
    task.table = [4, 0, 2]
    found = Blocks(5, 3).places(task, 1, 7)
    np.testing.assert_array_equal(found, [13, 14, 0, 1, 2, 6])


def test_drafts_and_remainders_make_the_target():
    """What is kept of the draft and what replaces the rest sum up to the target."""
    random = np.random.default_rng(0)
    target, draft = random.dirichlet([0.5] * 5, (2, 3, 4))
    kept = np.minimum(target, draft)
    rejected = 1 - acceptance(target, draft)
    assert rejected.shape == (3, 4)
    total = kept + rejected[..., None] * remainder(target, draft)
    np.testing.assert_allclose(total, target, atol=1e-12)
    np.testing.assert_allclose(remainder(target, target), target)
    by_hand = np.array([0.6, 0.3, 0.1]), np.array([0.3, 0.5, 0.2])
    assert acceptance(*by_hand) == pytest.approx(0.7)
    np.testing.assert_allclose(remainder(*by_hand), [1, 0, 0])


WRONG = {
    "ids is a ndarray: wanted a list of integers": {"ids": np.array([3, 4])},
    "ids is a str: wanted": {"ids": "34"},
    "ids is empty": {"ids": []},
    "ids is 3.5 (float)": {"ids": [3, 3.5]},
    "max_new_tokens is 0: wanted at least 1": {"max_new_tokens": 0},
    "temperature is 0": {"temperature": 0.0},
    "temperature is None: wanted": {"seed": 3},
    "seed is -1": {"temperature": 1.0, "seed": -1},
}


@pytest.mark.parametrize(("words", "wrong"), WRONG.items(), ids=[*WRONG])
def test_what_is_no_request_is_refused(words, wrong):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        Request(**{"ids": [3, 4], "max_new_tokens": 2, "eos_id": 2, **wrong})


@both
def test_what_cannot_be_served_is_refused_before_it_waits(framework):
    model = model_in(framework, "learned")
    engine = framework.Engine(model, blocks=4, block_size=4)
    good = Request([3], 2, 2)
    for request, words in [
        (Request([3, 31], 2, 2), "ids is 31: wanted less than 31"),
        (Request([3], 2, 31), "eos_id is 31"),
        (Request([3], 2, []), "eos_id is []: wanted at least one"),
        (Request([3] * 60, 12, 2), "has 71 tokens: wanted at most 70"),
        (Request([3] * 10, 8, 2), "has 17 tokens: wanted at most 16"),
    ]:
        for serve in (engine.submit, lambda one: engine.run([good, one])):
            with pytest.raises(ValueError, match=re.escape(words)):
                serve(request)
    for serve, wrong, words in [
        (engine.submit, [3], "request is a list: wanted a Request"),
        (engine.run, [good, [3]], "request is a list: wanted a Request"),
        (engine.run, good, "requests is a Request: wanted a list of requests"),
        (engine.run, iter([good]), "requests is a list_iterator: wanted a list"),
    ]:
        with pytest.raises(TypeError, match=re.escape(words)):
            serve(wrong)
    assert not engine.schedule.waiting
    for name, value in product(("slots", "blocks", "block_size"), (0, 1.5)):
        with pytest.raises((TypeError, ValueError), match=f"{name} is {value}"):
            framework.Engine(model, **{name: value})
    with pytest.raises(TypeError, match=r"model is a .*Decoder: wanted a .*LanguageMo"):
        framework.Engine(model.decoder)
