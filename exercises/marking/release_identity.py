"""What a notebook says of its release: its exercises, its seed, the book's version.

Anyone can edit a file, so no mark depends on it. It tells which of a student's
notebooks belongs to a release, and what to write in the notes.
"""

import re
from dataclasses import asdict, dataclass

from exercises.engine.notebooks import source
from exercises.engine.registry import all_exercises, number

ANOTHER_SEED = "this notebook was released with another seed"
_KEY = "transformer_twice"
_MOST, _LONGEST = 1000, 20  # exercises; characters of a version
_CHECK = re.compile(r'^check\("([\w.]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Identity:
    """What tells one release from another."""

    exercises: tuple[str, ...] = ()
    seed: str = ""  # its fingerprint
    version: str = ""

    def metadata(self):
        """Return what a released notebook carries in its metadata."""
        return {_KEY: asdict(self)}

    def name(self):
        """Return such as "exercises 3.1, 3.2"."""
        known = [number(name) for name in all_exercises() if name in self.exercises]
        return f"exercises {', '.join(known) or 'that this version does not know'}"

    def likeness(self, release):
        """Return how like a release this is; empty without any of its exercises."""
        lacks = set(release.exercises).difference(self.exercises)
        if len(lacks) == len(set(release.exercises)):
            return ()
        return not lacks, self.seed == release.seed, self.version == release.version

    def differences(self, release):
        """Return notes that say how this is not the release that is marked."""
        likeness, notes = self.likeness(release), []
        if not self.exercises or (likeness and not self.seed):  # it does not say
            return notes
        whole, same_seed, same_version = likeness or (False, True, True)
        if not whole:
            notes.append(f"this notebook is of another release: of {self.name()}")
        if not same_seed:
            notes.append(ANOTHER_SEED)
        if not same_version:
            notes.append(
                f"this notebook was made with version {self.version} of the book, and "
                f"is marked with {release.version}"
            )
        return notes


def identity_of(notebook):
    """Return the identity of a notebook, a dictionary of anyone's making.

    Without its metadata, which some tools remove, the checks in its cells tell the
    exercises.
    """
    try:
        told = notebook["metadata"][_KEY]
        exercises = tuple(map(_writable, told["exercises"][:_MOST]))
        version = _writable(told["version"])[:_LONGEST]
        return Identity(exercises, _writable(told["seed"]), version)
    except (KeyError, TypeError):
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        texts = map(source, cells)
        return Identity(tuple(name for text in texts for name in _CHECK.findall(text)))


def _writable(told):
    """Return it as text for a file: JSON can hold half a letter, which no file can."""
    return str(told).encode(errors="replace").decode()
