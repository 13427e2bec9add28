"""Every mistake that Transformers written from scratch make is named by an exercise.

The numbers are those of the museum, where each mistake is made in the shipped code.
Here a reader makes it, and is told.
"""

from exercises.engine import registry
from readymade.museum import EXHIBITS, INSIDE, PICTURES, POST_TRAINING, SERVING

# (number, exercise, words of the sentence that names the mistake)
NAMED = [
    (1, "attention.softmax_axis", "softmax still runs over the queries"),
    (2, "attention.padded_attention", "scale is left out"),
    (2, "multi_head.mixed_up_heads", "one head has d_k numbers, not d_model"),
    (3, "attention.padded_attention", "takes part in the softmax"),
    (3, "attention.padded_attention", "Adding 0 or 1"),
    (3, "attention.padded_attention", "with a score of 300 still takes"),
    (3, "attention.softmax_axis", "renormalize after the softmax"),
    (4, "attention.causal_mask", "the other way round"),
    (4, "decoder.target_mask", "says the opposite"),
    (5, "attention.padded_attention", "An empty sequence attends"),
    (5, "attention.padded_attention", "0 / 0"),
    (6, "attention.padded_attention", "hides queries"),
    (8, "encoder.lost_mask", "mask is still lost after the first layer"),
    (9, "encoder.lost_mask", "Dropout is still applied"),
    (10, "multi_head.mixed_up_heads", "split by a reshape alone"),
    (10, "multi_head.mixed_up_heads", "merged without being moved back"),
    (11, "multi_head.length_first", "cut off"),
    (12, "multi_head.mixed_up_heads", "output projection is left out"),
    (12, "multi_head.one_matrix", "share the weights of head 0"),
    (13, "embeddings.left_padding", "each of `max_len` places"),
    (14, "embeddings.positions_in_a_batch", "goes on from one sentence into the next"),
    (15, "embeddings.left_padding", "looked up and never added"),
    (16, "embeddings.sinusoidal_table", "halves have changed places"),
    (16, "embeddings.sinusoidal_table", "the 2 in the exponent there twice"),
    (17, "tokenization.left_padding", "ids are floats"),
    (18, "embeddings.unscaled_logits", "do not have deviation 1"),
    (19, "embeddings.position_share", "where Keras' numbers end"),
    (20, "encoder.layer_norm", "over the tokens and their numbers"),
    (20, "encoder.layer_norm", "divides by n − 1"),
    (20, "encoder.layer_norm", "added to the standard deviation"),
    (21, "encoder.layer_norm", "you use 1e-5"),
    (22, "encoder.pre_ln_stack", "residual is taken after the norm"),
    (22, "encoder.pre_ln_stack", "last sum is not normalized"),
    (22, "encoder.pre_ln_stack", "That is post-LN"),
    (23, "encoder.lost_mask", "when the model is used"),
    (24, "feed_forward.gelu", "tanh form"),
    (24, "feed_forward.loaded_activation", "`gelu` is the tanh form"),
    (25, "feed_forward.gated", "mixes positions"),
    (26, "decoder.cross_attention", "second self-attention"),
    (27, "decoder.mask_only_in_training", "still visible when the model is used"),
    (28, "decoder.target_mask", "off by one"),
    (28, "decoder.target_mask", "one fixed size"),
    (28, "attention.causal_mask", "one fixed size"),
    (28, "decoder.mask_only_in_training", "one fixed size"),
    (28, "decoder.target_mask", "nothing but padding is hidden"),
    (29, "decoder.cross_attention", "made of the target's padding"),
    (30, "transformer.smallest_transformer", "the shift is missing"),
    (30, "transformer.smallest_transformer", "shifted twice"),
    (31, "transformer.smallest_transformer", "shifted to the left"),
    (32, "transformer.train_without_padding", "counts in the loss like any other"),
    (33, "transformer.train_without_padding", "softmax is applied twice"),
    (33, "transformer.label_smoothing", "gets a part of ε"),
    (34, "decoder.cached_step", "should be the cache's length"),
    (34, "decoder.cached_step", "the next step will not know this token"),
    (34, "embeddings.sinusoidal_table", "number the positions yourself, from 0"),
    (35, "transformer.warm_up", "divides by zero"),
    (36, "todays_decoder.neighbours", "Your pairs are halves"),
    (36, "todays_decoder.neighbours", "rotate in the other direction"),
    (36, "todays_decoder.neighbours", "every text begins at position 0"),
    (37, "todays_decoder.rms_norm_by_hand", "doesn't subtract the mean"),
    (37, "todays_decoder.rms_norm_by_hand", "multiplied by 1 + scale"),
    (38, "feed_forward.gated", "have changed places"),
    (38, "feed_forward.gated", "They should be multiplied"),
    (38, "feed_forward.gated", "This is GLU"),
    (39, "todays_decoder.shared_keys", "still tiled: the order of the heads"),
    (40, "post_training.answers_in_a_chat", "Your mask is one place early"),
    (40, "post_training.token_rewards", "Tokens outside the answers count"),
    (41, "post_training.dpo_by_hand", "The reference model is missing"),
    (41, "post_training.dpo_by_hand", "Chosen and rejected have changed places"),
    (42, "post_training.mixed_groups", "compared with answers to other questions"),
    (42, "post_training.mixed_groups", "All answers are compared with one mean"),
    (43, "post_training.token_rewards", "your loss makes good answers less probable"),
    (44, "looking_inside.one_head_at_one_place", "cut the projection's output"),
    (45, "looking_inside.one_head_at_one_place", "write the head of x into"),
    (45, "looking_inside.one_head_at_one_place", "the edit has ended"),
    (46, "serving.rows_of_other_lengths", "have the position of the longest. A row's"),
    (46, "serving.rows_of_other_lengths", "mask is still that of the rows before"),
    (46, "serving.rows_of_other_lengths", "numbers are still taken by slot. Each"),
    (47, "serving.checked_guesses", "you draw from the target as it is"),
    (47, "serving.checked_guesses", "remainder doesn't sum to 1"),
    (47, "serving.checked_guesses", "with the target's probability"),
    (47, "serving.checked_guesses", "last token comes from the draft"),
    (48, "pictures.picture_from_patches", "each patch becomes a strip"),
    (48, "pictures.picture_from_patches", "column by column"),
    (48, "pictures.picture_from_patches", "with its channels last"),
    (48, "pictures.cls_and_registers", "[CLS] is at the end"),
    (48, "pictures.cls_and_registers", "[CLS] has no position"),
    (49, "pictures.repeated_numbers", "those are dot products, not cosines"),
    (49, "pictures.repeated_numbers", "from pictures to texts twice"),
    (49, "pictures.repeated_numbers", "You multiply by the temperature"),
]
# In any exercise, the judge itself names an argument that was changed in place.
OF_ANY_EXERCISE = {7}


def test_an_exercise_names_each_mistake():
    for number, exercise_id, words in NAMED:
        exercise = registry.find(exercise_id)
        mistakes = exercise.mistakes_in(exercise.mistaken_in[0])
        named = [says for says, _ in mistakes if words in " ".join(says.split())]
        assert named, f"{exercise_id} names no mistake {number}: {words!r}"


def test_no_mistake_is_without_an_exercise():
    named = {number for number, _, _ in NAMED} | OF_ANY_EXERCISE
    exhibits = *EXHIBITS, *POST_TRAINING, *INSIDE, *SERVING, *PICTURES
    assert {one.number for one in exhibits} - named == set()
