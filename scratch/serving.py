"""Serving: requests that share steps, in slots, and memory, in blocks.

What a model has read of a request is kept as keys and values, one place for each token.
A place is a row of one large pool; a block is `size` places in a row.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scratch.checks import (
    listed,
    require_at_least,
    require_request,
    require_seed,
    require_some_ids,
)
from scratch.config import TransformerConfig
from scratch.random_numbers import uniform_numbers
from scratch.sampling import Sampling

import numpy as np


@dataclass(frozen=True)
class Request:
    """A text to continue, as `generate` continues it.

    Args:
        ids: the prompt, a list of integers.
        max_new_tokens: the most tokens that it gets.
        eos_id: the id that ends the text, or several.
        temperature, seed: as in Sampling; without a temperature, greedy search.

    Raises:
        TypeError, ValueError: for settings that make no sense.
    """

    ids: Sequence[int]
    max_new_tokens: int
    eos_id: int | Sequence[int]
    temperature: float | None = None
    seed: int | None = None

    def __post_init__(self):
        require_some_ids("ids", self.ids)
        require_at_least("max_new_tokens", self.max_new_tokens, 1)
        Sampling(self.temperature, seed=self.seed)
        require_seed(self.seed)


class Task:
    """A request, and how far it has come.

    Attributes:
        request: the Request.
        new: the tokens written so far, a list of integers.
        table: the numbers of its blocks, in the order of its tokens.
        cached: the number of its tokens whose keys and values are in them.
        done: whether its text has ended.
    """

    def __init__(self, request: Request):
        self.request, self.prompt = request, [*request.ids]
        self.ends = {*listed(request.eos_id)}
        self.new, self.table = [], []
        self.cached = 0
        self.done = False
        self.numbers = np.zeros(request.max_new_tokens)
        if request.temperature is not None:
            self.numbers = uniform_numbers(request.seed, 1, request.max_new_tokens)[0]

    @property
    def ids(self) -> list[int]:
        """Its prompt, and the tokens written so far."""
        return [*self.prompt, *self.new]

    def write(self, token: int) -> None:
        """Append a token; its end, or the most tokens, ends the text."""
        self.new.append(token)
        full = len(self.new) == self.request.max_new_tokens
        self.done = full or token in self.ends


class Blocks:
    """Who uses which block of the pool: paged attention's tables.

    A block that nobody uses keeps what it holds until it is given to another task. So
    a task whose text begins like an earlier one takes that one's full blocks.

    Args:
        count: the number of blocks.
        size: the number of tokens that one holds.
        shared: False where a block can't serve a second task.

    Source: Kwon et al. 2023, sections 4.1 to 4.4.
    """

    def __init__(self, count: int, size: int, shared: bool = True):
        self.size, self.shared = size, shared
        self.users = [0] * count
        self.free = dict.fromkeys(range(count))  # first the one free for longest
        self.holder, self.held = {}, {}  # a beginning's last block, and the reverse

    def begin(self, task: Task) -> bool:
        """Give a task blocks for its ids, and what is known of them; False if none."""
        ids = task.ids
        # the last token is read in any case: its logits are wanted
        for stop in range(self.size, len(ids), self.size):
            block = self.holder.get(tuple(ids[:stop]))
            if block is None:
                break
            self.free.pop(block, None)
            self.users[block] += 1
            task.table.append(block)
            task.cached = stop
        if self.extend(task, len(ids)):
            return True
        self.release(task)
        return False

    def extend(self, task: Task, length: int) -> bool:
        """Give a task blocks for `length` tokens; False if there are too few."""
        missing = -(-length // self.size) - len(task.table)
        if missing > len(self.free):
            return False
        for _ in range(missing):
            block = next(iter(self.free))
            del self.free[block]
            self.holder.pop(self.held.pop(block, None), None)
            self.users[block] = 1
            task.table.append(block)
        return True

    def remember(self, task: Task) -> None:
        """Let later tasks find the full blocks of a task."""
        if not self.shared:
            return
        ids = task.ids
        for stop in range(self.size, task.cached + 1, self.size):
            beginning = tuple(ids[:stop])
            block = task.table[stop // self.size - 1]
            if beginning not in self.holder:
                self.holder[beginning], self.held[block] = block, beginning

    def release(self, task: Task) -> None:
        """Take a task's blocks back; the last is the first to be given away again."""
        self.remember(task)
        for block in reversed(task.table):
            self.users[block] -= 1
            if not self.users[block]:
                self.free[block] = None
        task.table, task.cached = [], 0

    def places(self, task: Task, first: int, stop: int) -> np.ndarray:
        """The places of a task's tokens from `first` on, before `stop`."""
        token = np.arange(first, stop)
        block = np.array(task.table, int)[token // self.size]
        return block * self.size + token % self.size


class Schedule:
    """Which tasks a step reads: continuous batching.

    Args:
        config: of the model.
        slots: the most tasks that share a step.
        blocks: the Blocks that they share.

    Source: Yu et al. 2022 (Orca).
    """

    def __init__(self, config: TransformerConfig, slots: int, blocks: Blocks):
        self.config, self.slots, self.blocks = config, slots, blocks
        self.waiting, self.running = deque(), []

    def submit(self, request: Request) -> Task:
        """Put a request into the queue.

        Raises:
            TypeError, ValueError: for what is no Request, for ids that the model
                doesn't know, or a text that is longer than it or all blocks can hold.
        """
        require_request(request, Request, self.config, self.blocks)
        task = Task(request)
        self.waiting.append(task)
        return task

    def admitted(self) -> Iterator[Task]:
        """Yield waiting tasks, while there are slots and blocks for them.

        First come those that have a slot, but whose step was stopped.
        """
        for task in list(self.running):
            if len(task.ids) - task.cached > 1:
                yield task
        while self.waiting and len(self.running) < self.slots:
            if not self.blocks.begin(self.waiting[0]):
                return
            self.running.append(self.waiting.popleft())
            yield self.running[-1]

    def ready(self) -> list[Task]:
        """The running tasks, oldest first, each with a place for its newest token.

        If there are too few blocks, the newest task goes back into the queue.
        """
        for task in list(self.running):
            while task in self.running and not self.blocks.extend(task, len(task.ids)):
                newest = self.running.pop()
                self.blocks.release(newest)
                self.waiting.appendleft(newest)
        return list(self.running)

    def batch(self, tasks: list[Task]) -> tuple[np.ndarray, ...]:
        """What a step reads for tasks that have equally many tokens to read.

        Returns:
            new: the ids to read, (rows, new).
            write: the places of their keys and values, (rows, new).
            read: those of the tokens before, at the right of (rows, earlier).
            padding: how many at the left of each row are none, (rows,).
        """
        earlier = max(task.cached for task in tasks)
        padding = np.array([earlier - task.cached for task in tasks])
        new, write, read = [], [], []
        for task, left in zip(tasks, padding, strict=True):
            ids, places = task.ids, self.blocks.places(task, 0, len(task.ids))
            new.append(ids[task.cached :])
            write.append(places[task.cached :])
            read.append(np.pad(places[: task.cached], (left, 0)))
        return np.array(new), np.array(write), np.array(read), padding

    def write(self, tasks: list[Task], tokens: Sequence[int]) -> None:
        """Give each task its next token; those that end leave their slots."""
        for task, token in zip(tasks, tokens, strict=True):
            task.cached = len(task.ids)
            if not task.new:
                self.blocks.remember(task)  # its prompt
            task.write(token)
            if task.done:
                self.cancel(task)

    def serve(self, requests: Sequence[Request], step: Callable[[], None]) -> list:
        """Take steps until all requests have ended, and return their new tokens."""
        tasks = [self.submit(request) for request in requests]
        try:
            while not all(task.done for task in tasks):
                step()
        finally:  # those that have not ended
            for task in tasks:
                self.cancel(task)
        return [task.new for task in tasks]

    def cancel(self, task: Task) -> None:
        """Let a task go, whether or not its text has ended."""
        self.blocks.release(task)
        for tasks in (self.waiting, self.running):
            if task in tasks:
                tasks.remove(task)


def acceptance(target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Probability that a drafted token is kept: Σ min(target, draft).

    Args:
        target, draft: probabilities of the next token, (…, vocab_size).

    Returns:
        From 0 to 1, (…,).

    Source: Leviathan et al. 2023.
    """
    return np.minimum(target, draft).sum(-1)


def remainder(target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Distribution from which the token is drawn that replaces a rejected one.

    Args:
        target, draft: probabilities of the next token, (…, vocab_size).

    Returns:
        max(0, target − draft), divided by its sum, (…, vocab_size); the target where
        both are equal, so that nothing is ever rejected.

    Source: Leviathan et al. 2023, section 2.3.
    """
    above = np.maximum(target - draft, 0.0)
    total = above.sum(-1, keepdims=True)
    return np.where(total > 0, above / np.where(total > 0, total, 1.0), target)


def guessed(
    table: Mapping[tuple[int, ...], Mapping[int, float]],
    ids: Sequence[int],
    uniform: Sequence[float | None],
    longest: int | None = None,
) -> list[int]:
    """Guess the next tokens by a table of n-grams.

    Args:
        table: for some ids in a row, a tuple, how often each id came after them.
        ids: the text so far.
        uniform: for each guess a random number, 0 ≤ u < 1, or None for the commonest.
        longest: the most ids in a row that the table has; None to look it up.

    Returns:
        The guesses; fewer where the table knows no end of the text.
    """
    if longest is None:
        longest = max(map(len, table), default=0)
    text = list(ids)
    for number in uniform:
        ends = (tuple(text[-n:]) for n in range(min(longest, len(text)), 0, -1))
        counts = next((table[end] for end in ends if end in table), None)
        if not counts:
            break
        tokens = sorted(counts)
        end = np.cumsum([counts[token] for token in tokens])
        place = np.argmax(np.diff(end, prepend=0))
        if number is not None:
            # the token on whose part of the line the number falls, as in sampling
            place = (end <= number * end[-1]).sum()
        text.append(tokens[place])
    return text[len(ids) :]
