"""The Transformer in PyTorch, a file for each piece."""

from scratch.torch.add_and_norm import AddAndNorm
from scratch.torch.attention import (
    AttentionHead, fused_attention, new_linear, scaled_dot_product_attention,
)
from scratch.torch.choices import (
    attention_from, feed_forward_from, generate_ids, layer_norm_from, window_from,
)
from scratch.torch.classifier import SequenceClassifier, TokenClassifier
from scratch.torch.decoder import Decoder, decoder_mask, DecoderLayer, left_padding
from scratch.torch.embeddings import (
    Embeddings, LearnedPositions, new_embedding, positions_from, SinusoidalPositions,
    sinusoids, TokenPositions,
)
from scratch.torch.encoder import Encoder, EncoderLayer, Pooler
from scratch.torch.evaluation import inference
from scratch.torch.feed_forward import ACTIVATIONS, FeedForward
from scratch.torch.fine_tuning import fine_tune, layer_rates
from scratch.torch.gated_feed_forward import GatedFeedForward
from scratch.torch.generation import (
    allowed_logits, beam_search, best_beams, best_text, greedy_search, highest,
)
from scratch.torch.grouped_query import fold_groups, GroupedQueryAttention
from scratch.torch.inside import edited, recorded
from scratch.torch.kv_cache import cached_length, dropped, extended, reordered
from scratch.torch.language_model import CausalLanguageModel
from scratch.torch.lora import add_lora, LoRA, merge_lora
from scratch.torch.masks import causal_mask, padding_mask
from scratch.torch.multi_head import merge_heads, MultiHeadAttention, split_heads
from scratch.torch.pictures import contrastive_loss, PatchEmbeddings, patches
from scratch.torch.post_training import (
    answer_log_probs, dpo_loss, group_advantages, policy_gradient_loss,
)
from scratch.torch.pretraining import MaskedLanguageModel, NextSentence
from scratch.torch.prompts import left_padded, written_mask
from scratch.torch.rotary import frequencies, rotate
from scratch.torch.sampling import (
    drawn_tokens, sample, token_ranks, top_k_logits, top_p_logits,
)
from scratch.torch.serving import Engine, next_tokens
from scratch.torch.sliding_window import SlidingWindow
from scratch.torch.span_extractor import SpanExtractor
from scratch.torch.speculation import speculate, Reader
from scratch.torch.token_logits import TokenLogits
from scratch.torch.training import (
    cosine_schedule, cross_entropy, fit, noam_schedule, shift_right,
)
from scratch.torch.transformer import Transformer
