"""Attention, one head and many: mistakes 1 to 12."""

from readymade.museum.exhibits import exhibits

ATTENTION = [
    *exhibits(
        "attention",
        """
1: softmax over the queries instead of the keys
- torch.softmax(scores, dim=-1)
+ torch.softmax(scores, dim=-2)
- tf.nn.softmax(scores, axis=-1)
+ tf.nn.softmax(scores, axis=-2)

2: scale left out
- query = query / math.sqrt(d_k)
+ query = query / 1

2: scale by d_model where it is d_k
- d_k = query.shape[-1]
+ d_k = query.shape[1] * query.shape[-1]
""",
    ),
    *exhibits(
        "multi_head",
        """
10: heads split by reshaping alone
-     x = x.reshape(batch, length, num_heads, size)
-     return x.transpose(1, 2)
+     return x.reshape(batch, num_heads, length, size)
-     x = tf.reshape(x, (batch, length, num_heads, size))
-     return tf.transpose(x, (0, 2, 1, 3))
+     return tf.reshape(x, (batch, num_heads, length, size))

10: heads merged without being transposed back
- x = x.transpose(1, 2)  # (batch, length, heads, size)
+ pass
-     x = tf.transpose(x, (0, 2, 1, 3))
-     return tf.reshape
+     return tf.reshape

12: output projection left out
- self.projection(merge_heads(output))
+ merge_heads(output)
- self.projection(
-             tf_merge_heads(output)
-         )
+ tf_merge_heads(output)
""",
    ),
    *exhibits(
        "attention",
        """
3: mask applied after the softmax
- scores = scores.masked_fill(~attention_mask, lowest)
+ pass
- scores = tf.where(attention_mask, scores, lowest)
+ pass

5: a row that sees nothing: -1e9 gives uniform weights
- torch.finfo(scores.dtype).min
+ -1e9
- lowest = scores.dtype.min
+ lowest = -1e9
- weights = weights.masked_fill(~attention_mask, 0.0)
+ pass
- weights = tf.where(attention_mask, weights, 0.0)
+ pass

3: mask added as 0 and 1 instead of 0 and -inf
- scores = scores.masked_fill(~attention_mask, lowest)
+ scores = scores + attention_mask
- scores = tf.where(attention_mask, scores, lowest)
+ scores = scores + tf.cast(attention_mask, scores.dtype)
- weights = weights.masked_fill(~attention_mask, 0.0)
+ pass
- weights = tf.where(attention_mask, weights, 0.0)
+ pass

4: polarity inverted: the mask hides what it should show
- scores.masked_fill(~attention_mask
+ scores.masked_fill(attention_mask
- tf.where(attention_mask, scores
+ tf.where(~attention_mask, scores
- weights.masked_fill(~attention_mask
+ weights.masked_fill(attention_mask
- tf.where(attention_mask, weights
+ tf.where(~attention_mask, weights

4: polarity of nn.MultiheadAttention handed to the fused kernel
-         attention_mask,
-         dropout_p
+         None if attention_mask is None else ~attention_mask,
+         dropout_p
- mask=attention_mask,
+ mask=None if attention_mask is None else ~attention_mask,

5: a row that sees nothing: -inf gives NaN
- torch.finfo(scores.dtype).min
+ -torch.inf
- lowest = scores.dtype.min
+ lowest = -math.inf
- weights = weights.masked_fill(~attention_mask, 0.0)
+ pass
- weights = tf.where(attention_mask, weights, 0.0)
+ pass

5: a row that sees nothing: -1e9 is -inf in half precision
- torch.finfo(scores.dtype).min
+ torch.tensor(-1e9).to(scores.dtype)
- lowest = scores.dtype.min
+ lowest = tf.cast(-1e9, scores.dtype)
- weights = weights.masked_fill(~attention_mask, 0.0)
+ pass
- weights = tf.where(attention_mask, weights, 0.0)
+ pass

5: a row that sees nothing: the kernel's uniform mean let through
@tensorflow
- output = tf.where(seen, output, 0.0)
+ pass

7: the function scales its argument in place
@torch
- query = query / math.sqrt(d_k)
+ query /= math.sqrt(d_k)
""",
    ),
    *exhibits(
        "masks",
        """
4: a padding mask that is true at padding
- mask = ids != pad_id
+ mask = ids == pad_id

6: a mask of (batch, keys) laid along the queries
- return mask[:, None, None, :]
+ return mask[:, None, :, None]
""",
    ),
    *exhibits(
        "add_and_norm",
        """
7: the residual is added in place
@torch
- x = x + self.dropout(output)
+ x += self.dropout(output)
""",
    ),
    *exhibits(
        "encoder",
        """
8: mask lost after the first layer, whose map is collected
- all_weights.append(weights)
+ all_weights.append(weights); attention_mask = None
""",
    ),
    *exhibits(
        "multi_head",
        """
9: dropout of the weights also at inference
- dropout = self.dropout if self.training else None
+ dropout = lambda x: nn.functional.dropout(x, self.dropout.p)
- dropout = self.dropout if training else None
+ dropout = lambda x: self.dropout(x, training=True)

9: dropout of the fused kernel, which has no mode, also at inference
- self.dropout if self.training else None
+ self.dropout
- self.dropout if training else None
+ lambda x: self.dropout(x, training=True)

11: a d_model that num_heads does not divide accepted
- require_heads(d_model, num_heads)
+ pass

11: a head size that is not an integer cut to one
- require_heads(d_model, num_heads)
-             d_k = d_model // num_heads
+             d_k = int(d_model / num_heads)

12: one head's weights shared by all
- return x.transpose(1, 2)  # (batch, heads, length
+ return x.transpose(1, 2)[:, :1].expand(-1, num_heads, -1, -1)  # (
- return tf.transpose(x, (0, 2, 1, 3))  # (batch
+ return tf.repeat(tf.transpose(x, (0, 2, 1, 3))[:, :1], num_heads, 1)  # (
""",
    ),
]
