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
from scratch.torch.evaluation import inference
from scratch.torch.generation import allowed_logits
from scratch.torch.language_model import CausalLanguageModel
from scratch.torch.serving import next_tokens

import torch
from torch import Tensor


class Reader:
    """A language model, and the keys and values of a text.

    Args:
        model: without a sliding window, which would drop keys
            that are needed when guesses are taken back.
    """

    def __init__(self, model: CausalLanguageModel):
        self.model = model
        self.cache, self.length = (), 0

    def read(self, ids: list[int], count: int) -> Tensor:
        """Logits after each of the last `count` ids of a
        text, (count, vocab_size); the ids before are read
        once.
        """
        table = self.model.decoder.embeddings.tokens.weight
        new = torch.tensor([ids[self.length :]])
        with inference(self.model):
            hidden, _, self.cache = self.model.decoder(
                new.to(table.device),
                need_weights=False,
                cache=self.cache,
            )
            logits = self.model.logits(hidden[0, -count:])
        self.length = len(ids)
        never = self.model.config.unwritten_ids
        return allowed_logits(logits, never)

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
            token = next_tokens(
                logits, [temperature], [number]
            )
            text += token.tolist()
        return text[len(ids) :]

    def forget(self, length: int) -> None:
        """Keep the first `length` ids only."""
        if length < self.length:
            self.cache = [
                tuple(x[:, :, :length] for x in layer)
                for layer in self.cache
            ]
            self.length = length


def speculate(
    model: CausalLanguageModel,
    draft: CausalLanguageModel | Mapping,
    ids: Tensor,
    eos_id: int | Sequence[int],
    max_new_tokens: int,
    guesses: int = 4,
    temperature: float | None = None,
    seed: int | None = None,
) -> Tensor:
    """Speculative decoding: a draft guesses some tokens, and
    the model checks all of them in one call.

    A guess is kept if it is the token that the model writes
    at its place. Both draw with the random number of that
    place, so the text is that of `generate`.

    Args:
        model: a language model.
        draft: another one with the same ids, or a table of
            n-grams, as in guessed.
        ids: a prompt, (1, length).
        eos_id, max_new_tokens: as in generate.
        guesses: the most tokens that are guessed at a time.
        temperature, seed: as in Sampling.

    Returns:
        ids (1, at most length + max_new_tokens), as generate.

    Raises:
        TypeError, ValueError: as generate, and for a model or
            a draft that has a sliding window or other ids.

    Source: Leviathan et al. 2023, algorithm 1; with shared
    random numbers: Daliri et al. 2025.
    """
    Sampling(temperature, seed=seed)
    require_draft(model, draft, CausalLanguageModel)
    require_one_prompt("ids", ids)
    require_known("ids", ids, model.config.vocab_size)
    require_ends(eos_id, model.config.vocab_size)
    require_at_least("max_new_tokens", max_new_tokens, 1)
    require_at_least("guesses", guesses, 1)
    text = torch.as_tensor(ids)[0].tolist()
    stop = len(text) + max_new_tokens
    require_room(stop - 1, model, draft)
    ends, start = {*listed(eos_id)}, len(text)
    uniform = [None] * max_new_tokens
    if temperature is not None:
        uniform = uniform_numbers(seed, 1, max_new_tokens)[0]
    reader, helper = Reader(model), Reader(draft)
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
        require_finite(logits.amax(-1), torch.tensor([text]))
        tokens = next_tokens(
            logits,
            [temperature] * len(logits),
            numbers[: len(logits)],
        )
        # what the model writes, to its first other token
        for guess, token in zip(
            [*more, None], tokens.tolist(), strict=True
        ):
            text.append(token)
            if token != guess or token in ends:
                break
        if text[-1] in ends:
            break
        # the newest token has not been read
        reader.forget(len(text) - 1)
        helper.forget(len(text) - 1)
    return torch.tensor([text]).to(logits.device)
