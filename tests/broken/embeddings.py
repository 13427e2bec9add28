"""Embeddings and positions: mistakes 13 to 19."""

from broken.edit import Mistake

import numpy as np
import test_embeddings
import test_encoder
import test_transformer

SHORTER = test_embeddings.test_a_shorter_input_gets_the_same_positions
SINUSOIDS = test_embeddings.test_sinusoids_are_the_papers

EMBEDDINGS = [
    Mistake(
        13,
        "sinusoids of a fixed length, whatever the input",
        "embeddings",
        {"return self.table[place]": "return self.table"},
        {"return tf.gather(self.table, place)": "return self.table"},
        SHORTER,
        {"name": "SinusoidalPositions"},
    ),
    Mistake(
        13,
        "learned positions of a fixed length, whatever the input",
        "embeddings",
        {"return self.table(place)": "return self.table.weight"},
        {"return self.table(place)": "return self.table.embeddings"},
        SHORTER,
        {"name": "LearnedPositions"},
    ),
    Mistake(
        14,
        "positions counted through the flattened batch",
        "embeddings",
        {
            "x = x + self.positions(ids, start=start)": (
                "x = x + self.positions(ids.reshape(1, -1)).reshape(x.shape)"
            ),
        },
        {
            "x = x + self.positions(ids, start=start)": (
                "x = x + tf.reshape(\n"
                "            self.positions(tf.reshape(ids, (1, -1))), x.shape)"
            ),
        },
        test_embeddings.test_a_vector_is_the_tokens_plus_the_positions,
        {"training": False},
    ),
    Mistake(
        15,
        "positions computed and never added",
        "embeddings",
        {"x = x + self.positions(": "self.positions("},
        {"x = x + self.positions(": "self.positions("},
        test_encoder.test_with_positions_order_counts,
    ),
    Mistake(
        16,
        "sine and cosine swapped",
        "embeddings",
        {
            "[torch.sin(angle), torch.cos(angle)]": (
                "[torch.cos(angle), torch.sin(angle)]"
            ),
        },
        {"[tf.sin(angle), tf.cos(angle)]": "[tf.cos(angle), tf.sin(angle)]"},
        SINUSOIDS,
    ),
    Mistake(
        16,
        "sines in one half and cosines in the other, where they alternate",
        "embeddings",
        {"    if interleaved:": "    if not interleaved:"},
        {"    if interleaved:": "    if not interleaved:"},
        SINUSOIDS,
    ),
    Mistake(
        16,
        "the exponent doubled twice",
        "embeddings",
        {"10000 ** (even / d_model)": "10000 ** (2 * even / d_model)"},
        {"10000 ** (even / d_model)": "10000 ** (2 * even / d_model)"},
        SINUSOIDS,
    ),
    Mistake(
        17,
        "ids that are no integers cut to integers",
        "embeddings",
        {
            'require_ids("ids", ids)': "pass",
            "self.tokens(ids)": "self.tokens(ids.long())",
        },
        {'require_ids("ids", ids)': "pass"},
        test_embeddings.test_embeddings_say_what_is_wrong,
        {
            "ids": np.array([[1.0]]),
            "segment_ids": None,
            "error": TypeError,
            "words": "ids holds.*float.*integers",
        },
    ),
    Mistake(
        18,
        "a table of N(0, 1) tied to the logits",
        "embeddings",
        {"nn.init.normal_(table.weight, std=d_model**-0.5)": "pass"},
        {"stddev=d_model**-0.5": "stddev=1.0"},
        test_transformer.test_the_first_loss_is_that_of_a_guess,
        {"piece": "CausalLanguageModel", "norm_first": False, "tie_output": True},
    ),
    Mistake(
        19,
        "√d_model times a table that begins as the framework has it",
        "embeddings",
        {"nn.init.normal_(table.weight, std=d_model**-0.5)": "pass"},
        {"Embedding(size, d_model, normal)": "Embedding(size, d_model)"},
        test_embeddings.test_a_table_begins_with_vectors_of_length_1,
    ),
]
