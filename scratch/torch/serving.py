"""Serving: a model's keys and values in one pool."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_finite,
    require_language_model,
    require_requests,
)
from scratch.serving import Blocks, Request, Schedule, Task
from scratch.torch.evaluation import inference
from scratch.torch.generation import allowed_logits
from scratch.torch.language_model import CausalLanguageModel
from scratch.torch.sampling import drawn_tokens

import torch
from torch import Tensor


class Engine:
    """Serve many requests with one model, a step for all.

    Each text is what `generate` writes for its request alone,
    but for rounding: where two tokens are so close that the
    size of a batch decides between them.

    Args:
        model: a language model. It must not change
            while what it has read is kept.
        slots: the most requests that share a step.
        blocks: the blocks of keys and values that they share.
        block_size: the number of tokens in a block.

    Source: Kwon et al. 2023, section 4.
    """

    def __init__(
        self,
        model: CausalLanguageModel,
        slots: int = 8,
        blocks: int = 256,
        block_size: int = 16,
    ):
        require_language_model(model, CausalLanguageModel)
        require_at_least("slots", slots, 1)
        require_at_least("blocks", blocks, 1)
        require_at_least("block_size", block_size, 1)
        self.model = model
        # a window drops keys that another task may need
        layers = model.decoder.layers
        shared = all(layer.window is None for layer in layers)
        self.schedule = Schedule(
            model.config,
            slots,
            Blocks(blocks, block_size, shared),
        )
        # one token shows the shapes: (places, heads, size)
        ids = torch.zeros(1, 1, dtype=torch.int64)
        with inference(model):
            _, cache = model.next_logits(ids, ())
        places = blocks * block_size
        self.pool = [
            [
                torch.zeros(
                    places, x.shape[1], x.shape[3]
                ).to(x)
                for x in layer[:2]
            ]
            for layer in cache
        ]

    def submit(self, request: Request) -> Task:
        """Put a request into the queue.

        Returns:
            A Task, whose `new` has the tokens so far, and
            whose `done` says whether its text has ended.

        Raises:
            TypeError, ValueError: for what is no Request, or
                can't be served.
        """
        return self.schedule.submit(request)

    def step(self) -> None:
        """Write a token for each running task, after the
        first token of each that finds a slot.
        """
        for task in self.schedule.admitted():
            self.read([task])
        tasks = self.schedule.ready()
        if tasks:
            self.read(tasks)

    def run(self, requests: Sequence[Request]) -> list:
        """Serve requests until all have ended.

        Returns:
            The new tokens of each, a list of lists.

        Raises:
            TypeError, ValueError: as submit, before any is
                served.
        """
        require_requests(
            requests,
            Request,
            self.schedule.config,
            self.schedule.blocks,
        )
        return self.schedule.serve(requests, self.step)

    def read(self, tasks: list[Task]) -> None:
        """Read what tasks have not read, and write a token
        for each.
        """
        new, write, read, padding = map(
            torch.from_numpy, self.schedule.batch(tasks)
        )
        cache, mask = (), None
        if read.shape[1]:
            cache = [
                tuple(x[read].transpose(1, 2) for x in layer)
                for layer in self.pool
            ]
            place = torch.arange(read.shape[1] + new.shape[1])
            mask = place >= padding[:, None]
            mask = mask[:, None, None]  # for heads, queries
        with inference(self.model):
            logits, cache = self.model.next_logits(
                new, cache, mask
            )
        for layer, held in zip(self.pool, cache, strict=True):
            for x, later in zip(layer, held[:2], strict=True):
                # a window returns fewer than are new
                count = min(new.shape[1], later.shape[2])
                start = later.shape[2] - count
                last = write[:, new.shape[1] - count :]
                x[last] = later[:, :, start:].transpose(1, 2)
        never = self.model.config.unwritten_ids
        logits = allowed_logits(logits, never)
        require_finite(logits.amax(-1), read)
        tokens = next_tokens(
            logits,
            [task.request.temperature for task in tasks],
            [task.numbers[len(task.new)] for task in tasks],
        )
        self.schedule.write(tasks, tokens.tolist())


def next_tokens(
    logits: Tensor,
    temperature: list[float | None],
    uniform: list[float | None],
) -> Tensor:
    """The next token of each row, as `generate` chooses it:
    the likeliest one, or one that is drawn.

    Args:
        logits: of the next tokens, (rows, vocab_size).
        temperature: of each row, None for the likeliest.
        uniform: a random number for each, 0 ≤ u < 1, which
            counts where there is a temperature.

    Returns:
        ids (rows,).
    """
    greedy = torch.tensor(
        [one is None for one in temperature]
    )
    likeliest = logits.argmax(-1).cpu()
    # as in sample: p = softmax(logits / temperature)
    logits = logits.cpu().double()
    logits = logits - logits.amax(-1, keepdim=True)
    heat = [[one or 1.0] for one in temperature]
    logits = logits / torch.tensor(heat, dtype=logits.dtype)
    uniform = [one or 0.0 for one in uniform]
    uniform = torch.tensor(uniform, dtype=logits.dtype)
    drawn = drawn_tokens(logits, uniform)
    return torch.where(greedy, likeliest, drawn)
