"""The pieces of the Transformer that the book's chapters build, in two frameworks."""

__all__ = ["check", "hint", "solution"]


def __getattr__(name):
    """Load what the exercises need only when a reader asks for it."""
    if name in __all__:
        from scratch.exercises import reader

        return getattr(reader, name)
    raise AttributeError(f"module 'scratch' has no attribute {name!r}")
