"""Speculative decoding: guess tokens, then check them."""

from collections.abc import Mapping, Sequence

from scratch.checks import (
    listed,
    require_at_least,
    require_draft,
    require_ends,
    require_finite,
    require_known,
    require_one_prompt,
    require_room,
)
from scratch.random_numbers import uniform_numbers
from scratch.sampling import Sampling
from scratch.serving import guessed
from scratch.tensorflow.generation import tf_allowed_logits
from scratch.tensorflow.language_model import (
    TFCausalLanguageModel,
)
from scratch.tensorflow.serving import tf_next_tokens
from scratch.tensorflow.tracing import tf_traced

import tensorflow as tf


class TFReader:
    """A language model, and the keys and values of a text.

    Otherwise as `scratch.torch.Reader`.
    """

    def __init__(self, model: TFCausalLanguageModel):
        self.model = model
        self.cache, self.length = (), 0

    def read(self, ids: list[int], count: int) -> tf.Tensor:
        """Logits after each of the last `count` ids of a
        text, (count, vocab_size); the ids before are read
        once.
        """
        new = tf.constant([ids[self.length :]], tf.int64)
        step = tf_traced(self.model.decoder, "__call__")
        hidden, _, self.cache = step(
            new, need_weights=False, cache=self.cache
        )
        logits = self.model.logits(hidden[0, -count:])
        self.length = len(ids)
        never = self.model.config.unwritten_ids
        return tf_allowed_logits(logits, never)

    def write(
        self,
        ids: list[int],
        uniform: list[float | None],
        temperature: float | None,
    ) -> list[int]:
        """The tokens that the model writes after a text, one
        for each random number.
        """
        text = list(ids)
        for number in uniform:
            logits = self.read(text, 1)
            token = tf_next_tokens(
                logits, [temperature], [number]
            )
            text += token.numpy().tolist()
        return text[len(ids) :]

    def forget(self, length: int) -> None:
        """Keep the first `length` ids only."""
        if length < self.length:
            self.cache = [
                tuple(x[:, :, :length] for x in layer)
                for layer in self.cache
            ]
            self.length = length


def tf_speculate(
    model: TFCausalLanguageModel,
    draft: TFCausalLanguageModel | Mapping,
    ids: tf.Tensor,
    eos_id: int | Sequence[int],
    max_new_tokens: int,
    guesses: int = 4,
    temperature: float | None = None,
    seed: int | None = None,
) -> tf.Tensor:
    """Speculative decoding: a draft guesses some tokens, and
    the model checks all of them in one call.

    Otherwise as `scratch.torch.speculate`.
    """
    Sampling(temperature, seed=seed)
    require_draft(model, draft, TFCausalLanguageModel)
    require_one_prompt("ids", ids)
    require_known("ids", ids, model.config.vocab_size)
    require_ends(eos_id, model.config.vocab_size)
    require_at_least("max_new_tokens", max_new_tokens, 1)
    require_at_least("guesses", guesses, 1)
    text = tf.convert_to_tensor(ids)[0].numpy().tolist()
    stop = len(text) + max_new_tokens
    require_room(stop - 1, model, draft)
    ends, start = {*listed(eos_id)}, len(text)
    uniform = [None] * max_new_tokens
    if temperature is not None:
        uniform = uniform_numbers(seed, 1, max_new_tokens)[0]
    reader, helper = TFReader(model), TFReader(draft)
    counted, longest = isinstance(draft, Mapping), 0
    if counted:
        longest = max(map(len, draft), default=0)
    while len(text) < stop:
        # the last token needs no guess after it
        numbers = uniform[len(text) - start :][: guesses + 1]
        if counted:
            more = guessed(draft, text, numbers[:-1], longest)
        else:
            more = helper.write(
                text, numbers[:-1], temperature
            )
        logits = reader.read([*text, *more], len(more) + 1)
        highest = tf.reduce_max(logits, -1)
        require_finite(highest, tf.constant([text]))
        tokens = tf_next_tokens(
            logits,
            [temperature] * len(logits),
            numbers[: len(logits)],
        )
        # what the model writes, to its first other token
        for guess, token in zip(
            [*more, None],
            tokens.numpy().tolist(),
            strict=True,
        ):
            text.append(token)
            if token != guess or token in ends:
                break
        if text[-1] in ends:
            break
        # the newest token has not been read
        reader.forget(len(text) - 1)
        helper.forget(len(text) - 1)
    return tf.constant([text], tf.int64)
