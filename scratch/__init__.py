"""The pieces of the Transformer that the book's chapters build, in two frameworks."""

from scratch.load_order import load_triton_first

__version__ = "1.0.0"  # the only place; the tag of a version is "v" and this

load_triton_first()
