"""The one description from which every model of the book is built."""

from dataclasses import dataclass, replace
from operator import index

from scratch.checks import (
    require_above_zero,
    require_at_least,
    require_choice,
    require_even,
    require_fraction,
    require_heads,
    require_id,
    require_list,
    require_no_tokens,
    require_vocabulary,
    require_window_layers,
)

SIZES = ("d_model", "num_heads", "d_ff", "num_layers", "max_len")
OPTIONAL_SIZES = """
    vocab_size target_vocab_size num_decoder_layers d_k d_v num_kv_heads window
""".split()
ACTIVATION_NAMES = ("relu", "gelu", "gelu_tanh", "silu", "swiglu")
POSITION_NAMES = ("sinusoidal", "learned", "rotary")
NORM_NAMES = ("layer", "rms")
POOLER_NAMES = (None, "tanh", "relu")
FLAGS = """
    norm_first norm_embeddings scale_embeddings tie_output bias interleaved output_bias
    qk_norm count_padding
""".split()


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices of a Transformer; the defaults are the paper's base model.

    The fields from `interleaved` on are there for published checkpoints.

    Args:
        vocab_size: number of tokens (of the source language, where there are two);
            None where the encoder reads pictures.
        d_model: length of a token's vector.
        num_heads: attention heads in a layer.
        d_ff: length of the feed-forward layer's inner vector.
        num_layers: layers of the encoder, and of the decoder unless
            num_decoder_layers is given.
        dropout: fraction that is dropped, from 0 up to but not including 1.
        max_len: length of the longest sequence, in tokens.
        activation: "relu", "gelu" (exact), "gelu_tanh" (its approximation) or "silu";
            "swiglu" for a gated feed-forward layer, whose gate has SiLU.
        norm_first: True for layer norm before each sublayer (pre-LN) instead of after
            it (post-LN).
        layer_norm_eps: what layer norm adds to the variance, and RMSNorm to the mean
            square, inside the root.
        positions: "sinusoidal" (fixed), "learned" or "rotary" (queries and keys of
            self-attention are rotated).
        pad_id: the id of padding; None if there is none, as in pictures.
        num_segments: number of segments; 0 for no segment embeddings.
        norm_embeddings: True for layer norm on the sum of the embeddings.
        scale_embeddings: True to multiply token embeddings by √d_model.
        target_vocab_size: number of target tokens; None if source and target share
            one vocabulary, and with it one table of embeddings.
        num_decoder_layers: layers of the decoder; None for num_layers.
        tie_output: True to compute logits with the table of embeddings.
        d_k: length of one head's queries and keys; None for d_model / num_heads.
        d_v: length of one head's values; None for d_k.
        norm: "layer" (layer norm) or "rms" (RMSNorm).
        rotary_base: with rotary positions, the base of their angles.
        num_kv_heads: heads of keys and values, each of which serves as many heads of
            queries (grouped-query attention); None for num_heads.
        bias: False for linear layers without biases.
        interleaved: True for sines and cosines that alternate, as in the paper; False
            for all sines and then all cosines (Marian).
        output_bias: True to add a bias to the logits (BERT, RoBERTa, DistilBERT,
            Marian).
        pooler: the activation, "tanh" (BERT) or "relu", of a dense layer between the
            first token's vector and a classifier; None for no such layer.
        unwritten_ids: ids that `generate` never chooses (Marian's padding).
        qkv_bias: the same as bias, for queries, keys and values alone (Qwen2); None for
            bias.
        qk_norm: True for RMSNorm on each head's queries and keys (Qwen3).
        rotary_scaling: None, or factor, low, high and length (Llama 3.1): of the pairs
            of numbers, those that turn at most `low` times in `length` tokens turn
            slower by the factor, those that turn `high` times or more as fast as ever.
        window: how many positions a query of a decoder's self-attention may look back,
            itself included (sliding window attention); None for all. Encoders and
            cross-attention have none.
        window_layers: the numbers, from 0, of the decoder's layers that have the
            window; None for all.
        count_padding: False for learned positions, in an encoder, that count tokens
            alone, wherever padding is (RoBERTa).

    Raises:
        TypeError: if a field is of the wrong kind.
        ValueError: if a value makes no sense, alone or beside the others.

    Source: Vaswani et al. 2017, section 3 and table 3 (base).
    """

    vocab_size: int | None
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    num_layers: int = 6
    dropout: float = 0.1
    max_len: int = 512
    activation: str = "relu"
    norm_first: bool = False
    layer_norm_eps: float = 1e-5
    positions: str = "sinusoidal"
    pad_id: int | None = 0
    num_segments: int = 0
    norm_embeddings: bool = False
    scale_embeddings: bool = True
    target_vocab_size: int | None = None
    num_decoder_layers: int | None = None
    tie_output: bool = True
    d_k: int | None = None
    d_v: int | None = None
    norm: str = "layer"
    rotary_base: float = 10_000.0
    num_kv_heads: int | None = None
    bias: bool = True
    interleaved: bool = True
    output_bias: bool = False
    pooler: str | None = None
    unwritten_ids: tuple[int, ...] = ()
    qkv_bias: bool | None = None
    qk_norm: bool = False
    rotary_scaling: tuple[float, float, float, float] | None = None
    window: int | None = None
    window_layers: tuple[int, ...] | None = None
    count_padding: bool = True

    def __post_init__(self):
        for name in SIZES:
            require_at_least(name, getattr(self, name), 1)
        for name in OPTIONAL_SIZES:
            if getattr(self, name) is not None:
                require_at_least(name, getattr(self, name), 1)
        require_at_least("num_segments", self.num_segments, 0)
        target = self.target_vocab_size or self.vocab_size or 0
        if self.vocab_size is None:
            require_no_tokens(self)
        elif self.pad_id is not None:
            require_id("pad_id", self.pad_id, min(self.vocab_size, target))
        require_list("unwritten_ids", self.unwritten_ids)
        for token in self.unwritten_ids:
            require_id("unwritten_ids", token, target)
        require_fraction("dropout", self.dropout)
        for name in ("layer_norm_eps", "rotary_base"):
            require_above_zero(name, getattr(self, name))
        for name in FLAGS:
            require_choice(name, getattr(self, name), (True, False))
        require_choice("qkv_bias", self.qkv_bias, (True, False, None))
        require_choice("activation", self.activation, ACTIVATION_NAMES)
        require_choice("positions", self.positions, POSITION_NAMES)
        require_choice("norm", self.norm, NORM_NAMES)
        require_choice("pooler", self.pooler, POOLER_NAMES)
        if self.d_k is None:
            require_heads(self.d_model, self.num_heads)
        if self.positions == "sinusoidal":
            require_even("d_model", self.d_model, "sines and cosines are pairs")
        countable = self.positions == "learned" and self.pad_id is not None
        if not (self.count_padding or countable):
            raise ValueError(
                f"count_padding is False, positions is {self.positions!r} and pad_id "
                f"is {self.pad_id}: wanted 'learned' and an id"
            )
        if self.positions == "rotary":
            d_k = self.d_k or self.d_model // self.num_heads
            require_even("d_k", d_k, "rotary positions turn pairs of numbers")
        if self.rotary_scaling is not None:
            scaling = tuple(self.rotary_scaling)
            for number in scaling:
                require_above_zero("rotary_scaling", number)
            if len(scaling) != 4 or scaling[1] >= scaling[2]:
                wanted = "(factor, low, high, length), low below high"
                raise ValueError(f"rotary_scaling is {scaling}: wanted {wanted}")
            self._store("rotary_scaling", scaling)
        if self.num_kv_heads and self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_kv_heads is {self.num_kv_heads}: wanted a number that divides "
                f"num_heads, {self.num_heads}"
            )
        if self.window_layers is not None:
            layers = self.num_decoder_layers or self.num_layers
            require_window_layers(self.window_layers, self.window, layers)
            self._store("window_layers", tuple(sorted(map(index, self.window_layers))))
        for name in (*SIZES, *OPTIONAL_SIZES, "num_segments", "pad_id"):
            if getattr(self, name) is not None:
                self._store(name, index(getattr(self, name)))
        self._store("unwritten_ids", tuple(map(index, self.unwritten_ids)))

    def _store(self, name, value):
        """Set a field of the frozen dataclass."""
        object.__setattr__(self, name, value)

    def for_decoder(self) -> "TransformerConfig":
        """The same design as the decoder sees it.

        Returns:
            A config with the decoder's vocabulary and layers, and without segments.

        Raises:
            ValueError: there is no vocabulary.
        """
        require_vocabulary(self)
        return replace(
            self,
            vocab_size=self.target_vocab_size or self.vocab_size,
            num_layers=self.num_decoder_layers or self.num_layers,
            num_segments=0,
        )

    def for_layers(self) -> list["TransformerConfig"]:
        """The same design as each layer of the decoder sees it.

        Returns:
            A list of configs. Those of layers without the window have none.
        """
        windowed = replace(self.for_decoder(), window_layers=None)
        full, layers = replace(windowed, window=None), range(windowed.num_layers)
        numbers = layers if self.window_layers is None else self.window_layers
        return [windowed if number in numbers else full for number in layers]
