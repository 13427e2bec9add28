"""Serving: a model's keys and values in one pool."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_finite,
    require_language_model,
    require_requests,
)
from scratch.serving import Blocks, Request, Schedule, Task
from scratch.tensorflow.generation import tf_allowed_logits
from scratch.tensorflow.language_model import (
    TFCausalLanguageModel,
)
from scratch.tensorflow.sampling import tf_drawn_tokens
from scratch.tensorflow.tracing import tf_traced

import tensorflow as tf


class TFEngine:
    """Serve many requests with one model, a step for all.

    Otherwise as `scratch.torch.Engine`.
    """

    def __init__(
        self,
        model: TFCausalLanguageModel,
        slots: int = 8,
        blocks: int = 256,
        block_size: int = 16,
    ):
        require_language_model(model, TFCausalLanguageModel)
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
        ids = tf.zeros((1, 1), tf.int64)
        _, cache = model.next_logits(ids, ())
        places = blocks * block_size
        self.pool = [
            [
                tf.Variable(
                    tf.zeros(
                        (places, x.shape[1], x.shape[3]),
                        x.dtype,
                    )
                )
                for x in layer[:2]
            ]
            for layer in cache
        ]

    def submit(self, request: Request) -> Task:
        """Put a request into the queue.

        Otherwise as `scratch.torch.Engine.submit`.
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

        Otherwise as `scratch.torch.Engine.run`.
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
            tf.constant, self.schedule.batch(tasks)
        )
        cache, mask = (), None
        if read.shape[1]:
            cache = [
                tuple(
                    tf.transpose(
                        tf.gather(x, read), (0, 2, 1, 3)
                    )
                    for x in layer
                )
                for layer in self.pool
            ]
            place = tf.range(read.shape[1] + new.shape[1])
            place = tf.cast(place, padding.dtype)
            mask = place >= padding[:, None]
            mask = mask[:, None, None]  # for heads, queries
        step = tf_traced(self.model)
        logits, cache = step(new, cache, mask)
        for layer, held in zip(self.pool, cache, strict=True):
            for x, later in zip(layer, held[:2], strict=True):
                # a window returns fewer than are new
                count = min(new.shape[1], later.shape[2])
                start = later.shape[2] - count
                last = write[:, new.shape[1] - count :]
                later = tf.transpose(
                    later[:, :, start:], (0, 2, 1, 3)
                )
                x.scatter_nd_update(last[..., None], later)
        never = self.model.config.unwritten_ids
        logits = tf_allowed_logits(logits, never)
        require_finite(tf.reduce_max(logits, -1), read)
        tokens = tf_next_tokens(
            logits,
            [task.request.temperature for task in tasks],
            [task.numbers[len(task.new)] for task in tasks],
        )
        self.schedule.write(tasks, tokens.numpy().tolist())


def tf_next_tokens(
    logits: tf.Tensor,
    temperature: list[float | None],
    uniform: list[float | None],
) -> tf.Tensor:
    """The next token of each row, as `generate` chooses it:
    the likeliest one, or one that is drawn.

    Otherwise as `scratch.torch.next_tokens`.
    """
    greedy = tf.constant([one is None for one in temperature])
    likeliest = tf.argmax(logits, -1)
    # as in sample: p = softmax(logits / temperature)
    logits = tf.cast(logits, tf.float64)
    logits = logits - tf.reduce_max(logits, -1, keepdims=True)
    heat = [[one or 1.0] for one in temperature]
    logits = logits / tf.constant(heat, logits.dtype)
    uniform = [one or 0.0 for one in uniform]
    uniform = tf.constant(uniform, logits.dtype)
    drawn = tf_drawn_tokens(logits, uniform)
    drawn = tf.cast(drawn, likeliest.dtype)
    return tf.where(greedy, likeliest, drawn)
