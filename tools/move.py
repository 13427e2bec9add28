"""Move the book to another address, in every file that has the old one.

Links to the pages move too: GitHub Pages shows them at an address that follows from the
repository's.
"""

import re
import subprocess
import sys
from pathlib import Path

from exercises.marking.github import published_address

ROOT = Path(__file__).parents[1]
CONFIGURED = re.compile(rb"^repository:\n  url: (\S+)$", re.MULTILINE)
GITHUB = b"https://github.com/"
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+")


def written_files(root):
    """Return the files of the working tree that git tracks or would add."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others"]
    listed = subprocess.run(
        [*command, "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout
    paths = [root / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file()]


def move(root, new):
    """Replace the configured address by `new`; return the files that changed."""
    old = CONFIGURED.search((root / "_config.yml").read_bytes())[1]
    name = old.removeprefix(GITHUB)
    # Colab's addresses too, but not where it begins a longer name.
    whole = re.compile(rb"(//github\.com/|/github/)" + re.escape(name) + rb"(?![\w-])")
    new_name = new.encode().removeprefix(GITHUB)
    pages, new_pages = (published_address(one).encode() for one in (old.decode(), new))
    changed = []
    for path in written_files(root):
        before = path.read_bytes()
        after = whole.sub(rb"\g<1>" + new_name, before).replace(pages, new_pages)
        if after != before:
            path.write_bytes(after)
            changed.append(path)
    return changed


if __name__ == "__main__":
    address = sys.argv[1].removesuffix("/").removesuffix(".git")
    if not ADDRESS.fullmatch(address):
        sys.exit("Say where to: make repository URL=https://github.com/you/book")
    for path in move(ROOT, address):
        print(path.relative_to(ROOT))
