"""Every notebook runs alone, as a stranger runs it, and prints what it has stored.

One execution proves both, and executing is what takes the time. The notebook is copied
into an empty folder, beside an environment that sees the book's packages and not the
book's module. So the set-up, the same in all notebooks, must install the module from
the published address, where git is told to find a snapshot of this working tree. pip
may ask no index: whatever the module needs must be there, and nothing else may come.
The first notebook installs; the others, like a reader's second chapter, find the module
there. The first in the list has a kernel of its own. The kernels of the others are
forked from a process that has imported the frameworks, and nothing of the book:
importing took a fifth of the time.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sysconfig
import venv
from functools import partial
from pathlib import Path

import pytest
from helpers import kernels
from helpers.book import BOOK, ROOT, address
from helpers.shared_folder import process_of_the_run, shared_folder

# Against hanging only: a busy machine is slow, not wrong.
SECONDS_A_NOTEBOOK = 3000
NBVAL = [
    *["-m", "pytest", "--quiet", "-p", "nbval.plugin", "--nbval"],
    f"--nbval-cell-timeout={SECONDS_A_NOTEBOOK}",
    f"--nbval-kernel-startup-timeout={SECONDS_A_NOTEBOOK}",
    f"--nbval-sanitize-with={ROOT / 'tests' / 'nbval.cfg'}",
]


slow = pytest.mark.slow("an output of this notebook that is not true any more")
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"), reverse=True)
FRAMEWORKS = ("torch", "tensorflow", "transformers.models.bert.modeling_bert")
if importlib.util.find_spec("triton"):  # first, as `scratch.load_order` has it
    FRAMEWORKS = ("triton", *FRAMEWORKS)


def git(folder, *arguments):
    return subprocess.run(
        ["git", "-C", folder, *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory):
    """A git repository with all that is in this working tree, committed or not."""
    with shared_folder(tmp_path_factory, "snapshot") as folder:
        if not (folder / ".git").exists():
            take_snapshot(folder)
    return folder


def take_snapshot(folder):
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    author = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
    git(folder, *author, "commit", "--quiet", "--message", "snapshot")


@pytest.fixture(scope="session")
def stranger(tmp_path_factory):
    """An environment with this one's packages, at first without `scratch`."""
    with shared_folder(tmp_path_factory, "stranger") as folder:
        paths = {"base": folder, "platbase": folder}
        packages = Path(sysconfig.get_path("purelib", vars=paths))
        if not packages.exists():
            venv.create(folder, symlinks=True)
            # A folder named here is searched, and its own .pth files (where an editable
            # installation hides) are not read.
            (packages / "book.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python", packages


def installed(packages):
    return {file.name for file in packages.iterdir()} - {"book.pth"}


def environment(snapshot):
    """What git and pip are told: the snapshot for the address, and no index.

    And pytest: to load no plugin but nbval's, as all others take two seconds.
    """
    return os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{snapshot}.insteadOf",
        "GIT_CONFIG_VALUE_0": address(),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads 0 as "no isolation"
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.fixture(scope="session")
def forked(stranger, snapshot, tmp_path_factory):
    """What tells nbval to have its kernels forked; see `helpers.kernels`."""
    python, _ = stranger
    with shared_folder(tmp_path_factory, "kernels") as folder:
        socket, script = folder / "socket", kernels.__file__
        if not socket.exists():
            kernel = folder / "share" / "jupyter" / "kernels" / "forked"
            kernel.mkdir(parents=True)
            argv = [str(python), script, "ask", str(socket), "{connection_file}"]
            spec = {"argv": argv, "display_name": "forked", "language": "python"}
            (kernel / "kernel.json").write_text(json.dumps(spec))
            command = [python, script, "serve", socket, str(process_of_the_run())]
            server = subprocess.Popen(
                [*command, *FRAMEWORKS],
                env=environment(snapshot) | {"TF_CPP_MIN_LOG_LEVEL": "2"},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert server.stdout.readline() == b"ready\n"
    yield {"JUPYTER_PATH": str(folder / "share" / "jupyter")}


# Three of them train. The others take longer.
QUICK = ("01", "02", "03", "04", "05", "06")
in_two_rings = pytest.mark.parametrize(
    "notebook",
    [
        pytest.param(path, id=path.stem)
        if path.stem.startswith(QUICK)
        else pytest.param(path, id=path.stem, marks=slow)
        for path in NOTEBOOKS
    ],
)


@pytest.mark.timeout(0)  # what it runs has a limit of its own
@in_two_rings
def test_runs_alone_and_prints_what_it_has_stored(
    notebook, snapshot, stranger, tmp_path, tmp_path_factory, request
):
    python, packages = stranger
    if notebook == NOTEBOOKS[0]:
        kernel, variables = "--nbval-current-env", {}
    else:
        kernel = "--nbval-kernel-name=forked"
        variables = request.getfixturevalue("forked")
    folder = tmp_path / "empty"
    folder.mkdir()
    shutil.copy(notebook, folder)
    execute = partial(
        subprocess.run,
        [python, *NBVAL, kernel, notebook.name],
        cwd=folder,
        env=environment(snapshot) | variables,
        capture_output=True,
        text=True,
        timeout=SECONDS_A_NOTEBOOK,
    )
    # While the first notebook installs, no other begins.
    with shared_folder(tmp_path_factory, "stranger"):
        run = None if installed(packages) else execute()
    run = run or execute()
    if run.returncode:
        pytest.fail(run.stdout + run.stderr, pytrace=False)
    (info,) = installed(packages) - {"scratch", "readymade", "exercises"}
    origin = json.loads((packages / info / "direct_url.json").read_text())
    assert origin["url"] == address()
