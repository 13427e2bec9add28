"""The Transformer in PyTorch, a file for each chapter."""

from scratch.torch.attention import (
    AttentionHead,
    MultiHeadAttention,
    attention_from,
    causal_mask,
    fused_attention,
    merge_heads,
    new_linear,
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
    layer_norm_from,
    new_embedding,
    positions_from,
    sinusoids,
)
from scratch.torch.encoder import (
    AddAndNorm,
    Encoder,
    EncoderLayer,
    Pooler,
)
from scratch.torch.evaluation import (
    inference,
)
from scratch.torch.feed_forward import (
    ACTIVATIONS,
    FeedForward,
    feed_forward_from,
)
from scratch.torch.generation import (
    allowed_logits,
    beam_search,
    best_beams,
    best_text,
    generate_ids,
    greedy_search,
    left_padded,
    reordered,
)
from scratch.torch.heads import (
    CausalLanguageModel,
    MaskedLanguageModel,
    NextSentence,
    SequenceClassifier,
    SpanExtractor,
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
