"""Write files that are never half there."""

from pathlib import Path


def write_whole(path, text, encoding="utf-8"):
    """Write a file, or leave what stood there, as where the disk is full.

    Args:
        path: where to; the new file is written beside it, under a hidden name.
        text: what it holds afterwards, its line ends as they are.
        encoding: how it is written down.
    """
    path = Path(path)
    new = path.with_name(f".{path.name}.new")
    try:
        with new.open("w", encoding=encoding, newline="") as file:
            file.write(text)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
