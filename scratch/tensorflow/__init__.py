"""The Transformer in TensorFlow, a file for each piece."""

# First of all, so that TensorFlow starts up quietly.
import scratch.tensorflow.quiet  # isort: skip

from scratch.tensorflow.add_and_norm import TFAddAndNorm
from scratch.tensorflow.attention import (
    tf_fused_attention, tf_new_linear, tf_scaled_dot_product_attention,
    TFAttentionHead,
)
from scratch.tensorflow.choices import (
    tf_attention_from, tf_feed_forward_from, tf_generate_ids, tf_layer_norm_from,
    tf_window_from,
)
from scratch.tensorflow.classifier import TFSequenceClassifier, TFTokenClassifier
from scratch.tensorflow.decoder import (
    tf_decoder_mask, tf_left_padding, TFDecoder, TFDecoderLayer,
)
from scratch.tensorflow.embeddings import (
    tf_new_embedding, tf_positions_from, tf_sinusoids, TFEmbeddings, TFLearnedPositions,
    TFSinusoidalPositions, TFTokenPositions,
)
from scratch.tensorflow.encoder import TFEncoder, TFEncoderLayer, TFPooler
from scratch.tensorflow.feed_forward import TF_ACTIVATIONS, TFFeedForward
from scratch.tensorflow.fine_tuning import tf_fine_tune, tf_layer_rates
from scratch.tensorflow.gated_feed_forward import TFGatedFeedForward
from scratch.tensorflow.generation import (
    tf_allowed_logits, tf_beam_search, tf_best_beams, tf_best_text, tf_greedy_search,
    tf_highest,
)
from scratch.tensorflow.grouped_query import tf_fold_groups, TFGroupedQueryAttention
from scratch.tensorflow.inside import tf_edited, tf_recorded
from scratch.tensorflow.kv_cache import (
    tf_cached_length, tf_dropped, tf_extended, tf_reordered,
)
from scratch.tensorflow.language_model import TFCausalLanguageModel
from scratch.tensorflow.lora import tf_add_lora, tf_merge_lora, TFLoRA
from scratch.tensorflow.masks import tf_causal_mask, tf_padding_mask
from scratch.tensorflow.multi_head import (
    tf_merge_heads, tf_split_heads, TFMultiHeadAttention,
)
from scratch.tensorflow.pictures import (
    tf_contrastive_loss, tf_patches, TFPatchEmbeddings,
)
from scratch.tensorflow.post_training import (
    tf_answer_log_probs, tf_dpo_loss, tf_group_advantages, tf_policy_gradient_loss,
)
from scratch.tensorflow.pretraining import TFMaskedLanguageModel, TFNextSentence
from scratch.tensorflow.prompts import tf_left_padded, tf_written_mask
from scratch.tensorflow.rotary import tf_frequencies, tf_rotate
from scratch.tensorflow.sampling import (
    tf_drawn_tokens, tf_sample, tf_token_ranks, tf_top_k_logits, tf_top_p_logits,
)
from scratch.tensorflow.saving import fittable, saveable
from scratch.tensorflow.serving import TFEngine, tf_next_tokens
from scratch.tensorflow.sliding_window import TFSlidingWindow
from scratch.tensorflow.span_extractor import TFSpanExtractor
from scratch.tensorflow.speculation import tf_speculate, TFReader
from scratch.tensorflow.token_logits import TFTokenLogits
from scratch.tensorflow.tracing import tf_traced
from scratch.tensorflow.training import (
    tf_cosine_schedule, tf_cross_entropy, tf_fit, tf_noam_schedule, tf_shift_right,
)
from scratch.tensorflow.transformer import TFTransformer

import keras

# Keras can save each layer and fit each model. They are told
# so here: nothing stands between a reader and a class.
for part in list(vars().values()):
    if not isinstance(part, type):
        continue
    if issubclass(part, keras.Layer):
        saveable(part)
    if issubclass(part, keras.Model):
        fittable(part)
