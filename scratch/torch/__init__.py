"""The Transformer in PyTorch, a file for each chapter."""

from scratch.torch.attention import (
    AttentionHead,
    MultiHeadAttention,
    causal_mask,
    fused_attention,
    linear,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    split_heads,
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
