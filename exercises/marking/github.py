"""The book's repository on GitHub, and where GitHub Pages shows a repository."""

import re

ADDRESS = "https://github.com/transformer-twice/book"
# The page that leads from a symptom to its cure, as it can be read before any site is.
TROUBLE = f"{ADDRESS}/blob/main/book/trouble.md"
GITHUB = re.compile(
    r"(?:https?://(?:[^@/]+@)?|ssh://git@|git@)github\.com[:/]"
    r"(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)


def published_address(repository):
    """Where GitHub Pages shows a repository: `https://owner.github.io/name/`."""
    owner, name = GITHUB.fullmatch(repository).group("owner", "name")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
