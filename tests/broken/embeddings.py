"""Embeddings and positions: mistakes 13 to 19."""

from broken.edit import Guard

import numpy as np
import test_embeddings
import test_encoder
import test_transformer

SHORTER = test_embeddings.test_a_shorter_input_gets_the_same_positions
SINUSOIDS = test_embeddings.test_sinusoids_are_the_papers

EMBEDDINGS = [
    *Guard(SHORTER, "embeddings", name="SinusoidalPositions").catch("""
13: sinusoids of a fixed length, whatever the input
@torch
- return self.table[place]
+ return self.table
@tensorflow
- return tf.gather(self.table, place)
+ return self.table
"""),
    *Guard(SHORTER, "embeddings", name="LearnedPositions").catch("""
13: learned positions of a fixed length, whatever the input
@torch
- return self.table(place)
+ return self.table.weight
@tensorflow
- return self.table(place)
+ return self.table.embeddings
"""),
    *Guard(
        test_embeddings.test_a_vector_is_the_tokens_plus_the_positions,
        "embeddings",
        training=False,
    ).catch("""
14: positions counted through the flattened batch
@torch
- x = x + self.positions(ids, start=start)
+ x = x + self.positions(ids.reshape(1, -1)).reshape(x.shape)
@tensorflow
-         x = x + self.positions(ids, start=start)
+         x = x + tf.reshape(
+             self.positions(tf.reshape(ids, (1, -1))), x.shape)
"""),
    *Guard(test_encoder.test_with_positions_order_counts, "embeddings").catch("""
15: positions computed and never added
- x = x + self.positions(
+ self.positions(
"""),
    *Guard(SINUSOIDS, "embeddings").catch("""
16: sine and cosine swapped
- [torch.sin(angle), torch.cos(angle)]
+ [torch.cos(angle), torch.sin(angle)]
- [tf.sin(angle), tf.cos(angle)]
+ [tf.cos(angle), tf.sin(angle)]

16: sines in one half and cosines in the other, where they alternate
- if interleaved:
+ if not interleaved:

16: the exponent doubled twice
- 10000 ** (even / d_model)
+ 10000 ** (2 * even / d_model)
"""),
    *Guard(
        test_embeddings.test_embeddings_say_what_is_wrong,
        "embeddings",
        ids=np.array([[1.0]]),
        segment_ids=None,
        error=TypeError,
        words="ids holds.*float.*integers",
    ).catch("""
17: ids that are no integers cut to integers
- require_ids("ids", ids)
+ pass
@torch
- self.tokens(ids)
+ self.tokens(ids.long())
@tensorflow
"""),
    *Guard(
        test_transformer.test_the_first_loss_is_that_of_a_guess,
        "embeddings",
        piece="CausalLanguageModel",
        norm_first=False,
        tie_output=True,
    ).catch("""
18: a table of N(0, 1) tied to the logits
- nn.init.normal_(table.weight, std=d_model**-0.5)
+ pass
- stddev=d_model**-0.5
+ stddev=1.0
"""),
    *Guard(
        test_embeddings.test_a_table_begins_with_vectors_of_length_1, "embeddings"
    ).catch("""
19: √d_model times a table that begins as the framework has it
- nn.init.normal_(table.weight, std=d_model**-0.5)
+ pass
- Embedding(size, d_model, normal)
+ Embedding(size, d_model)
"""),
]
