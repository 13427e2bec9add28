"""Embeddings and positions: mistakes 13 to 19."""

from broken.guard import Guard

import numpy as np
import test_embeddings
import test_encoder
import test_transformer

SHORTER = test_embeddings.test_a_shorter_input_gets_the_same_positions
SINUSOIDS = test_embeddings.test_sinusoids_are_the_papers

EMBEDDINGS = [
    *Guard(SHORTER, name="SinusoidalPositions").catch(
        "sinusoids of a fixed length, whatever the input"
    ),
    *Guard(SHORTER, name="LearnedPositions").catch(
        "learned positions of a fixed length, whatever the input"
    ),
    *Guard(
        test_embeddings.test_a_vector_is_the_tokens_plus_the_positions,
        training=False,
    ).catch("positions counted through the flattened batch"),
    *Guard(test_encoder.test_with_positions_order_counts).catch(
        "positions computed and never added"
    ),
    *Guard(SINUSOIDS).catch(
        "sine and cosine swapped",
        "sines in one half and cosines in the other, where they alternate",
        "the exponent doubled twice",
    ),
    *Guard(
        test_embeddings.test_embeddings_say_what_is_wrong,
        ids=np.array([[1.0]]),
        segment_ids=None,
        error=TypeError,
        words="ids holds.*float.*integers",
    ).catch("ids that are not integers cut to integers"),
    *Guard(
        test_transformer.test_the_first_loss_is_that_of_a_guess,
        piece="CausalLanguageModel",
        norm_first=False,
        tie_output=True,
    ).catch("a table of N(0, 1) tied to the logits"),
    *Guard(test_embeddings.test_a_table_begins_with_vectors_of_length_1).catch(
        "√d_model times a table that begins as the framework has it"
    ),
]
