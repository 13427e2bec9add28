"""Grouped-query attention: mistake 39."""

from readymade.museum.exhibits import exhibits

GROUPED_QUERY = [
    *exhibits(
        "grouped_query",
        """
39: grouped queries: heads dealt out in turn, not group by group
- query = query.reshape(
+ query = query.unflatten(1, (group, num_kv_heads)).transpose(1, 2).reshape(
-     query = tf.reshape(query, shape)
+     parts = (batch, group, num_kv_heads, length, size)
+     query = tf.transpose(tf.reshape(query, parts), (0, 2, 1, 3, 4))
+     query = tf.reshape(query, shape)

39: grouped queries: the mask in another order than the queries
- return query, mask.reshape(
+ return query, mask.transpose(1, 2).reshape(
-     shape = (many, shared, rows, keys)
+     mask = tf.transpose(mask, (0, 2, 1, 3))
+     shape = (many, shared, rows, keys)
""",
    ),
]
