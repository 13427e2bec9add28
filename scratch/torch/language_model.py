"""A language model: a decoder that continues a text."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_known,
    require_marked_padding,
    require_prompts,
)
from scratch.config import TransformerConfig
from scratch.sampling import Sampling
from scratch.torch.choices import generate_ids
from scratch.torch.decoder import Decoder
from scratch.torch.evaluation import inference
from scratch.torch.kv_cache import cached_length
from scratch.torch.prompts import left_padded, written_mask
from scratch.torch.token_logits import TokenLogits

import torch
from torch import Tensor, nn


class CausalLanguageModel(nn.Module):
    """Decoder-only language model: it continues a text.

    Call:
        ids, attention_mask: as in Decoder.

    Returns:
        Logits (batch, length, vocab_size); those at one
        position are for the token after it.

    Source: Radford et al. 2018, section 3.1.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.decoder = Decoder(config, cross_attention=False)
        tokens = self.decoder.embeddings.tokens
        self.logits = TokenLogits(self.decoder.config, tokens)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        hidden, _ = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    @torch.inference_mode()
    def next_logits(
        self,
        ids: Tensor,
        cache: list | tuple,
        attention_mask: Tensor | None = None,
    ) -> tuple[Tensor, list]:
        """Logits of the next token, and the new cache.

        Args:
            ids: those that the cache has not seen,
                (batch, length).
            cache: (), then what the last call returned.
            attention_mask: as in Decoder.

        Returns:
            logits (batch, vocab_size), and the cache.
        """
        hidden, _, cache = self.decoder(
            ids,
            attention_mask=attention_mask,
            need_weights=False,
            cache=cache,
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        ids: Tensor,
        eos_id: int | Sequence[int],
        max_new_tokens: int,
        beam_size: int = 1,
        use_cache: bool = True,
        attention_mask: Tensor | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
    ) -> Tensor:
        """Continue prompts by greedy search, beam search or
        sampling.

        Args:
            ids: prompts, (batch, length). Those that are
                shorter are padded, at either end.
            eos_id: the id that ends a text, or several.
            max_new_tokens: the most that a prompt gets.
            beam_size: 1 is greedy search.
            use_cache: False computes everything anew for
                each token.
            attention_mask: boolean, (batch, 1, 1, length),
                False at padding; None if there is none.
            temperature, top_k, top_p, seed: as in Sampling.

        Returns:
            ids (batch, at most length + max_new_tokens) of
            padding, if any, then the prompt, the new tokens,
            and pad_id after the end (or the first eos_id).
            The mask that goes with them is written_mask(
            attention_mask, their length), in which pad_ids
            after an end count as tokens.

        Raises:
            TypeError, ValueError: as left_padded and
                generate_ids, or without a mask where ids
                may be padded.
        """
        require_at_least("beam_size", beam_size, 1)
        require_prompts("ids", ids)
        table = self.decoder.embeddings.tokens.weight
        ids = torch.as_tensor(ids).to(
            table.device, torch.int64
        )
        require_known("ids", ids, len(table))
        mask = attention_mask
        require_marked_padding(
            ids, mask, self.config.pad_id, eos_id
        )
        if mask is not None:
            ids = left_padded(ids, mask)
            # each beam of a row has the row's padding
            mask = torch.as_tensor(mask)
            mask = mask.repeat_interleave(beam_size, 0)

        def next_logits(new, cache):
            seen = None
            if mask is not None:
                length = new.shape[1]
                if cache:
                    length += cached_length(cache[0])
                seen = written_mask(mask, length)
            return self.next_logits(new, cache, seen)

        with inference(self):
            return generate_ids(
                next_logits,
                ids,
                eos_id,
                max_new_tokens,
                self.decoder.config,
                beam_size,
                use_cache,
                Sampling(temperature, top_k, top_p, seed),
            )
