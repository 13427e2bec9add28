"""Chapter 19, in the order of its notebook, with the section to read again."""

ORDER = {}
