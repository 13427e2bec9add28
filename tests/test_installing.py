"""The pins fit every Python that the README names, and the module fits Colab.

For Colab, pip answers for an environment that has the versions of Colab's image of
August 2026 (their metadata, which is all that a dry run looks at) and else the packages
of this one. It may ask no index, so a package that it wants to replace is an error.
"""

import json
import shutil
import subprocess
import sysconfig
import venv
from importlib.metadata import metadata
from pathlib import Path

import pytest
from helpers.book import ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

COLAB = {
    "torch": "2.11.0",
    "tensorflow": "2.20.0",
    "keras": "3.13.2",
    "transformers": "5.15.0",
    "numpy": "2.1.3",
    "ipython": "7.34.0",
    "ipywidgets": "7.7.1",
}


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """The Python of an environment with Colab's versions."""
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
    """The project's own source, to be installed or spoilt."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, tmp_path)
    for package in ("scratch", "exercises"):
        shutil.copytree(ROOT / package, tmp_path / package)
    return tmp_path


PIP = ["-m", "pip", "--isolated", "--disable-pip-version-check"]
DRY_RUN = ["install", "--dry-run", "--quiet", "--report", "-"]
OFFLINE = ["--no-index", "--no-build-isolation"]


def dry_run(python, project, extras=""):
    """Ask pip what it would install."""
    return subprocess.run(
        [python, *PIP, *DRY_RUN, *OFFLINE, f"{project}{extras}"],
        capture_output=True,
        text=True,
    )


def test_installing_into_colab_replaces_nothing(colab, project):
    """With both frameworks: what less installs, replaces no more."""
    run = dry_run(colab, project, "[torch,tensorflow]")
    assert run.returncode == 0, run.stderr
    (item,) = json.loads(run.stdout)["install"]
    assert item["metadata"]["name"] == "transformer-twice"
    assert {"torch", "tensorflow"} <= {*item["metadata"]["provides_extra"]}


def test_a_bound_above_colabs_version_is_noticed(colab, project):
    """Of numpy: of the others, pip knows the versions in the same way."""
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
    # Nothing but the bound differs from the project that installs above.
    assert dry_run(colab, project, "[torch,tensorflow]").returncode != 0


def refused(pins, python):
    """Return the pinned packages whose own metadata refuse this version of Python."""
    wanted = {pin.name: metadata(pin.name)["Requires-Python"] or "" for pin in pins}
    return [
        name
        for name, versions in wanted.items()
        if python not in SpecifierSet(versions)
    ]


def test_every_pin_installs_on_the_oldest_python_that_the_readme_names():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert len(pins) > 100
    # Debian 12 comes with 3.11.2: the first 3.11 counts, not the one that runs this.
    assert refused(pins, "3.11.0") == []
    assert "numpy" in refused(pins, "3.10.0")
