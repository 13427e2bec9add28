"""The Transformer in PyTorch, a file for each chapter."""

from scratch.torch.attention import (
    AttentionHead,
    MultiHeadAttention,
    causal_mask,
    fused_attention,
    linear,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    split_heads,
)
from scratch.torch.decoder import (
    Decoder,
    DecoderLayer,
    decoder_mask,
)
from scratch.torch.embeddings import (
    Embeddings,
    LearnedPositions,
    SinusoidalPositions,
    embedding,
    layer_norm,
    positions,
    sinusoids,
)
from scratch.torch.encoder import (
    AddAndNorm,
    Encoder,
    EncoderLayer,
    Pooler,
)
from scratch.torch.feed_forward import (
    ACTIVATIONS,
    FeedForward,
    feed_forward,
)
