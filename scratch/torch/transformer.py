"""The whole Transformer: an encoder and a decoder."""

from collections.abc import Sequence

from scratch.checks import (
    require_at_least,
    require_id,
    require_source,
)
from scratch.config import TransformerConfig
from scratch.sampling import Sampling
from scratch.torch.choices import generate_ids
from scratch.torch.decoder import Decoder
from scratch.torch.encoder import Encoder
from scratch.torch.evaluation import inference
from scratch.torch.masks import padding_mask
from scratch.torch.token_logits import TokenLogits

import torch
from torch import Tensor, nn


class Transformer(nn.Module):
    """The encoder-decoder Transformer.

    Args:
        config: sizes and choices of the model; without
            target_vocab_size, source and target share their
            embeddings (of positions and segments, too).
        embeddings: the encoder's, as in Encoder.

    Call:
        source_ids: integers, (batch, source length); with
            embeddings of another kind, what these take.
        target_ids: the same, (batch, target length), shifted
            right.

    Returns:
        Logits (batch, target length, target vocabulary);
        those at one position are for the token after it.

    Source: Vaswani et al. 2017, section 3.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: nn.Module | None = None,
    ):
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, embeddings)
        shared = None
        if config.target_vocab_size is None:
            shared = self.encoder.embeddings
        self.decoder = Decoder(config, shared)
        tokens = self.decoder.embeddings.tokens
        self.logits = TokenLogits(self.decoder.config, tokens)

    def forward(
        self, source_ids: Tensor, target_ids: Tensor
    ) -> Tensor:
        memory, memory_mask = self.encode(source_ids)
        return self.decode(target_ids, memory, memory_mask)

    def encode(
        self, source_ids: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """The encoder's output, and its padding mask.

        Args:
            source_ids: as the model takes them.

        Returns:
            memory, (batch, source length, d_model), and
            memory_mask, (batch, 1, 1, source length), None
            without a pad_id.
        """
        memory_mask, pad_id = None, self.config.pad_id
        if pad_id is not None:
            memory_mask = padding_mask(source_ids, pad_id)
        memory = self.encoder.hidden_states(
            source_ids, memory_mask
        )
        return memory, memory_mask

    def decode(
        self,
        target_ids: Tensor,
        memory: Tensor,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """Logits of the next token at each position.

        Args:
            target_ids: integers, (batch, target length).
            memory: (batch, source length, d_model).
            memory_mask: (batch, 1, 1, source length).

        Returns:
            (batch, target length, target vocabulary).
        """
        hidden, _ = self.decoder(
            target_ids,
            memory,
            memory_mask=memory_mask,
            need_weights=False,
        )
        return self.logits(hidden)

    @torch.inference_mode()
    def next_logits(
        self,
        ids: Tensor,
        memory: Tensor,
        memory_mask: Tensor | None,
        cache: list | tuple,
    ) -> tuple[Tensor, list]:
        """Logits of the next token, and the new cache.

        Args:
            ids: target ids that the cache has not seen,
                (batch, length).
            memory, memory_mask: from `encode`.
            cache: (), then what the last call returned.

        Returns:
            logits (batch, vocab_size), and the cache.
        """
        hidden, _, cache = self.decoder(
            ids,
            memory,
            memory_mask=memory_mask,
            need_weights=False,
            cache=cache,
        )
        return self.logits(hidden[:, -1]), cache

    def generate(
        self,
        source_ids: Tensor,
        bos_id: int,
        eos_id: int | Sequence[int],
        max_new_tokens: int,
        beam_size: int = 1,
        use_cache: bool = True,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
    ) -> Tensor:
        """Translate by greedy search, beam search or
        sampling.

        Args:
            source_ids: (batch, source length), padded with
                pad_id; or what the embeddings take.
            bos_id: the id that begins a translation.
            eos_id: the id that ends it, or several.
            max_new_tokens: largest length of a translation.
            beam_size: 1 is greedy search.
            use_cache: False computes everything anew for
                each token.
            temperature, top_k, top_p, seed: as in Sampling.

        Returns:
            ids (batch, at most max_new_tokens), without
            bos_id; pad_id after the end (or the first
            eos_id).

        Raises:
            TypeError, ValueError: as generate_ids, and for a
                bos_id out of range.
        """
        require_source(source_ids, self.config.vocab_size)
        device = self.decoder.embeddings.tokens.weight.device
        source_ids = torch.as_tensor(source_ids).to(device)
        config = self.decoder.config
        require_id("bos_id", bos_id, config.vocab_size)
        require_at_least("beam_size", beam_size, 1)

        with inference(self):
            memory, memory_mask = self.encode(source_ids)
            # each beam of a row reads the row's memory
            memory = memory.repeat_interleave(beam_size, 0)
            if memory_mask is not None:
                memory_mask = memory_mask.repeat_interleave(
                    beam_size, 0
                )

            def next_logits(ids, cache):
                return self.next_logits(
                    ids, memory, memory_mask, cache
                )

            bos = torch.full((len(source_ids), 1), bos_id)
            ids = generate_ids(
                next_logits,
                bos.to(device),
                eos_id,
                max_new_tokens,
                config,
                beam_size,
                use_cache,
                Sampling(temperature, top_k, top_p, seed),
            )
        return ids[:, 1:]  # (batch, at most max_new_tokens)
