"""Grouped-query attention: mistake 39."""

from broken.guard import Guard

import test_grouped_query

GROUPED_QUERY = Guard(
    test_grouped_query.test_a_group_of_heads_reads_the_same_keys, need_weights=True
).catch(
    "grouped queries: heads dealt out in turn, not group by group",
    "grouped queries: the mask in another order than the queries",
)
