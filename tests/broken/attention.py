"""Attention, one head and many: mistakes 1 to 12."""

from broken.guard import Guard

import numpy as np
import test_attention
import test_encoder
import test_masks
import test_parity
import test_properties
from helpers.configs import CONFIGS

LIKE_PYTORCH = test_attention.test_many_heads_equal_pytorch_own
BATCH = {"need_weights": True, "queries": 3, "keys": 5}
LONE_ROW = test_attention.test_a_row_that_sees_nothing_is_0_and_never_nan

ATTENTION = [
    *Guard(test_attention.test_attention_is_the_formula).catch(
        "softmax over the queries instead of the keys", "scale left out"
    ),
    *Guard(LIKE_PYTORCH, **BATCH).catch(
        "scale by d_model where it is d_k",
        "heads split by reshaping alone",
        "heads merged without being transposed back",
        "output projection left out",
    ),
    *Guard(
        test_attention.test_weights_sum_to_1_or_to_0_where_nothing_may_be_seen,
    ).catch(
        "mask applied after the softmax",
        "a row that sees nothing: -1e9 gives uniform weights",
    ),
    *Guard(test_attention.test_keys_that_are_hidden_change_nothing).catch(
        "mask added as 0 and 1 instead of 0 and -inf",
        "polarity inverted: the mask hides what it should show",
    ),
    *Guard(test_attention.test_the_fused_kernel_gives_the_same_output).catch(
        "polarity of nn.MultiheadAttention handed to the fused kernel"
    ),
    *Guard(test_masks.test_padding_mask_is_true_where_an_id_is_no_padding).catch(
        "a padding mask that is true at padding"
    ),
    *Guard(LONE_ROW, name="scaled_dot_product_attention", precision=np.float32).catch(
        "a row that sees nothing: -inf gives NaN"
    ),
    *Guard(LONE_ROW, name="scaled_dot_product_attention", precision=np.float16).catch(
        "a row that sees nothing: -1e9 is -inf in half precision"
    ),
    *Guard(LONE_ROW, name="fused_attention", precision=np.float32).catch(
        "a row that sees nothing: the kernel's uniform mean let through"
    ),
    *Guard(
        test_encoder.test_wider_padding_changes_nothing,
        training=False,
        settled=CONFIGS["post-LN"],
    ).catch("a mask of (batch, keys) laid along the queries"),
    *Guard(
        test_properties.test_a_function_leaves_its_arguments_as_they_were,
        name="scaled_dot_product_attention",
    ).catch("the function scales its argument in place"),
    *Guard(
        test_parity.test_a_layer_leaves_its_arguments_as_they_were,
        case="encoder layer, pre-LN",
    ).catch("the residual is added in place"),
    *Guard(
        test_encoder.test_wider_padding_changes_nothing,
        training=False,
        settled=CONFIGS["post-LN"],
    ).catch("mask lost after the first layer, whose map is collected"),
    *Guard(
        test_attention.test_dropout_of_weights_acts_in_training_only,
        training=False,
        need_weights=True,
    ).catch("dropout of the weights also at inference"),
    *Guard(
        test_attention.test_dropout_of_weights_acts_in_training_only,
        training=False,
        need_weights=False,
    ).catch("dropout of the fused kernel, which has no mode, also at inference"),
    *Guard(
        test_attention.test_a_number_of_heads_that_does_not_divide_d_model_is_named
    ).catch(
        "a d_model that num_heads does not divide accepted",
        "a head size that is not an integer cut to one",
    ),
    *Guard(test_attention.test_every_head_has_weights_of_its_own).catch(
        "one head's weights shared by all"
    ),
]
