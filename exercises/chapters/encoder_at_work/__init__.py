"""Chapter 7, in the order of its notebook."""

ORDER = ()
