"""The Transformer in PyTorch, a file for each chapter."""

from scratch.torch.attention import (
    AttentionHead, causal_mask, fused_attention, new_linear,
    padding_mask, scaled_dot_product_attention,
)
from scratch.torch.classifier import (
    SequenceClassifier, TokenClassifier,
)
from scratch.torch.decoder import (
    Decoder, decoder_mask, DecoderLayer, left_padding,
)
from scratch.torch.embeddings import (
    Embeddings, layer_norm_from, LearnedPositions,
    new_embedding, positions_from, SinusoidalPositions,
    sinusoids, TokenLogits, TokenPositions,
)
from scratch.torch.encoder import (
    AddAndNorm, Encoder, EncoderLayer, Pooler,
)
from scratch.torch.evaluation import inference
from scratch.torch.feed_forward import (
    ACTIVATIONS, FeedForward,
)
from scratch.torch.fine_tuning import (
    add_lora, fine_tune, layer_rates, LoRA, merge_lora,
    SpanExtractor,
)
from scratch.torch.generation import (
    allowed_logits, beam_search, best_beams, best_text,
    generate_ids, greedy_search, left_padded, reordered,
    written_mask,
)
from scratch.torch.language_model import CausalLanguageModel
from scratch.torch.multi_head import (
    merge_heads, MultiHeadAttention, split_heads,
)
from scratch.torch.post_training import (
    answer_log_probs, dpo_loss, group_advantages,
    policy_gradient_loss,
)
from scratch.torch.pretraining import (
    MaskedLanguageModel, NextSentence,
)
from scratch.torch.sampling import (
    drawn_tokens, highest, sample, token_ranks, top_k_logits,
    top_p_logits,
)
from scratch.torch.sliding_window import (
    cached_length, dropped, newest, within_window,
)
from scratch.torch.todays_decoder import (
    attention_from, feed_forward_from, fold_groups,
    frequencies, GatedFeedForward, GroupedQueryAttention,
    rotate,
)
from scratch.torch.training import (
    cosine_schedule, cross_entropy, fit, noam_schedule,
    shift_right,
)
from scratch.torch.transformer import Transformer
