"""The pieces of the Transformer that the book's chapters build, in two frameworks."""

__version__ = "0.1.0"  # the only place; the tag of a version is "v" and this
