"""Embeddings and positions: mistakes 13 to 19."""

from readymade.museum.exhibits import exhibits

EMBEDDINGS = [
    *exhibits(
        "embeddings",
        """
13: sinusoids of a fixed length, whatever the input
@torch
- x = self.table[place]
+ x = self.table
@tensorflow
- x = tf.gather(self.table, place)
+ x = self.table

13: learned positions of a fixed length, whatever the input
@torch
- return self.table(place)
+ return self.table.weight
@tensorflow
- return self.table(place)
+ return self.table.embeddings

14: positions counted through the flattened batch
@torch
- x = x + self.positions(ids, start=start)
+ x = x + self.positions(ids.reshape(1, -1)).reshape(x.shape)
@tensorflow
-         x = x + self.positions(ids, start=start)
+         x = x + tf.reshape(
+             self.positions(tf.reshape(ids, (1, -1))), x.shape)

15: positions computed and never added
- x = x + self.positions(
+ self.positions(

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

17: ids that are not integers cut to integers
- require_ids("ids", ids)
+ pass
@torch
- self.tokens(ids)
+ self.tokens(ids.long())
@tensorflow

18: a table of N(0, 1) tied to the logits
- nn.init.normal_(table.weight, std=d_model**-0.5)
+ pass
- stddev=d_model**-0.5
+ stddev=1.0

19: √d_model times a table that begins as the framework has it
- nn.init.normal_(table.weight, std=d_model**-0.5)
+ pass
- Embedding(size, d_model, normal)
+ Embedding(size, d_model)
""",
    ),
]
