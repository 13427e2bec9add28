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
    TokenLogits,
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
from scratch.torch.generation import (
    FREE,
    beam_search,
    forbid,
    generate_ids,
    greedy_search,
    likelier,
    only,
    plan_tokens,
    reorder,
)
from scratch.torch.heads import (
    CausalLanguageModel,
    MaskedLanguageModel,
    NextSentence,
    SequenceClassifier,
    SpanExtractor,
)
from scratch.torch.inference import (
    inference,
)
from scratch.torch.training import (
    cosine_schedule,
    cross_entropy,
    fit,
    noam_schedule,
    shift_right,
)
from scratch.torch.transformer import (
    Transformer,
)
