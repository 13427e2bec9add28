"""Checks of arguments, for what would otherwise silently compute something else.

A check is a statement that returns nothing, so a chapter can show the mathematics
without it. It raises TypeError (the wrong kind of thing) or ValueError (a value that
makes no sense), and takes the tensors of both frameworks and NumPy's arrays. What a
framework refuses in clear words by itself is left to it. Sizes that are unknown while
a function is traced (None) pass.
"""

from scratch.checks.generation import (
    listed, require_beams, require_comparable, require_draft, require_ends,
    require_finite, require_language_model, require_marked_padding, require_one_prompt,
    require_prompt_mask, require_prompts, require_request, require_requests,
    require_room, require_sampling, require_seed, require_source,
)
from scratch.checks.masks import (
    require_attention_mask, require_mask, require_mask_for, require_memory,
)
from scratch.checks.numbers import (
    require_above_zero, require_at_least, require_choice, require_even,
    require_fraction, require_from_zero, require_heads, require_height_and_width,
    require_id, require_length, require_lengths, require_no_tokens, require_number,
    require_positions, require_temperature, require_vocabulary, require_window_layers,
)
from scratch.checks.tensors import (
    require_changed, require_function, require_ids, require_known, require_layer,
    require_marks, require_pairs, require_pictures, require_rewards,
    require_same_shape, require_segments, require_targets, require_tiles,
    require_vectors,
)
from scratch.checks.texts import (
    require_list, require_some_ids, require_special, require_text, require_texts,
    require_tokens,
)
from scratch.checks.training import (
    require_built, require_embeddings, require_encoder, require_lora, require_low_rank,
    require_rates, require_some, require_step, require_strategy, require_trainable,
    require_wide_gradients, require_wide_layers,
)
from scratch.checks.votes import require_vote, require_votes
