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
_LONGEST = 20  # characters of a version
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
        """Return how much this is like a release: of two, the greater is more so.

        It is empty for a notebook with none of the release's exercises.
        """
        shared = set(release.exercises).intersection(self.exercises)
        if not shared:
            return ()
        whole = shared == set(release.exercises)
        return whole, self.seed == release.seed, self.version == release.version

    def differences(self, release):
        """Return notes that say how this is not the release that is marked."""
        if self.exercises and not self.likeness(release):
            return [f"this notebook is of another release: of {self.name()}"]
        if not self.seed:  # its metadata were lost
            return []
        notes = [] if self.seed == release.seed else [ANOTHER_SEED]
        lacks = set(release.exercises).difference(self.exercises)
        if lacks:
            lacking = Identity(tuple(lacks)).name()
            notes.append(f"this notebook was released without {lacking}")
        if self.version != release.version:
            notes.append(
                f"this notebook was released with version {self.version} of the book; "
                f"it is marked with version {release.version}"
            )
        return notes


def read(notebook):
    """Return the identity of a notebook, a dictionary of anyone's making.

    Without its metadata, which some tools remove, the checks in its cells tell the
    exercises.
    """
    try:
        told = notebook["metadata"][_KEY]
        exercises = tuple(map(str, told["exercises"]))
        return Identity(exercises, str(told["seed"]), str(told["version"])[:_LONGEST])
    except (KeyError, TypeError):
        texts = [source(cell) for cell in notebook["cells"]]
        return Identity(tuple(name for text in texts for name in _CHECK.findall(text)))
