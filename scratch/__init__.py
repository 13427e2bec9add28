"""The pieces of the Transformer that the book's chapters build, in two frameworks."""
