"""Write a file whole or not at all."""

from pathlib import Path


def write_whole(path, text, encoding="utf-8"):
    """Write a file, or leave the old one if writing fails, as on a full disk.

    Args:
        path: the file. A hidden file beside it is written first.
        text: the content, whose line ends stay as they are.
        encoding: the file's.
    """
    path = Path(path)
    new = path.with_name(f".{path.name}.new")
    try:
        with new.open("w", encoding=encoding, newline="") as file:
            file.write(text)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
