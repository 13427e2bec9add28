"""What a notebook says of its release: exercises, seed and the book's version.

Anyone can edit a file, so no mark depends on it. It decides which of a student's
notebooks belongs to a release, and adds notes.
"""

from dataclasses import asdict, dataclass

from exercises.engine.cells import CHECK
from exercises.engine.notebooks import source
from exercises.engine.registry import all_exercises, number

ANOTHER_SEED = "this notebook was released with another seed"
_KEY = "transformer_twice"
_MOST, _LONGEST = 1000, 20  # exercises; characters of a version


@dataclass(frozen=True)
class Identity:
    """What distinguishes one release from another."""

    exercises: tuple[str, ...] = ()
    seed: str = ""  # its fingerprint
    version: str = ""

    def metadata(self):
        """Return the metadata of a released notebook."""
        return {_KEY: asdict(self)}

    def name(self):
        """Return such as "exercises 3.1, 3.2"."""
        known = [number(name) for name in all_exercises() if name in self.exercises]
        return f"exercises {', '.join(known) or 'that this version does not know'}"

    def likeness(self, release):
        """Return how like a release this is; () if it shares none of the exercises."""
        lacks = set(release.exercises).difference(self.exercises)
        if len(lacks) == len(set(release.exercises)):
            return ()
        return not lacks, self.seed == release.seed, self.version == release.version

    def differences(self, release):
        """Return notes on how this differs from the release that is marked."""
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
    """Return the identity of a notebook, a dictionary with anything in it.

    Some tools remove metadata. Then the checks in the cells name the exercises.
    """
    try:
        release = notebook["metadata"][_KEY]
        exercises = tuple(map(_writable, release["exercises"][:_MOST]))
        version = _writable(release["version"])[:_LONGEST]
        return Identity(exercises, _writable(release["seed"]), version)
    except (KeyError, TypeError):
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        texts = map(source, cells)
        return Identity(tuple(name for text in texts for name in CHECK.findall(text)))


def _writable(value):
    """Return text that a file can hold: JSON allows half a surrogate pair."""
    return str(value).encode(errors="replace").decode()
