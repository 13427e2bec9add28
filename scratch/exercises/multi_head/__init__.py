"""Chapter 4, in the order of its notebook."""

ORDER = ("mixed_up_heads", "neighbour_head")
