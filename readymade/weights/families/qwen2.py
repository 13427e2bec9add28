"""Qwen2 (Yang et al. 2024): Llama's layers, with biases in queries, keys and values."""

from dataclasses import replace

from readymade.weights.families.family import Setting, flag, integer, integer_from_0
from readymade.weights.families.llama import HEAD, LLAMA, SETTINGS
from scratch.checks import require_choice

FULL, SLIDING = "full_attention", "sliding_attention"


def read_kinds(settings):
    """Return the kind of attention of each layer.

    Where `layer_types` does not list them, `max_window_layers` counts the first layers,
    those without a window.
    """
    layers, kinds = integer(settings, "num_hidden_layers"), settings["layer_types"]
    has_window = flag(settings, "use_sliding_window")
    has_window = has_window and settings["sliding_window"] is not None
    full = integer_from_0(settings, "max_window_layers") if has_window else layers
    if kinds is None:
        return [FULL if number < full else SLIDING for number in range(layers)]
    if not isinstance(kinds, list) or len(kinds) != layers:
        raise ValueError(f"layer_types is {kinds!r}: wanted a list of {layers} kinds")
    for kind in kinds:
        require_choice("layer_types", kind, [FULL, SLIDING] if has_window else [FULL])
    return kinds


def read_window(settings, name):
    """Return how far a query may look back, None if no layer has a window."""
    if SLIDING not in read_kinds(settings):
        return None
    return integer(settings, "sliding_window")


def read_layers(settings, name):
    """Return the numbers of the layers with a window, None if it is all or none."""
    kinds = read_kinds(settings)
    numbers = tuple(i for i, kind in enumerate(kinds) if kind == SLIDING)
    return numbers if 0 < len(numbers) < len(kinds) else None


def window_layers(config):
    """Return the numbers of the layers with a window, a list."""
    if config.window is None:
        return []
    return [*(config.window_layers or range(config.num_layers))]


def write_use(config, name):
    """Return whether any layer has a window."""
    return config.window is not None


def write_full(config, name):
    """Return how many layers come before the first with a window."""
    return min(window_layers(config), default=config.num_layers)


def write_kinds(config, name):
    """Return the kind of attention of each layer."""
    numbers = window_layers(config)
    return [SLIDING if i in numbers else FULL for i in range(config.num_layers)]


WINDOW = [
    Setting("use_sliding_window", "window", read_window, write_use),
    Setting("sliding_window", "window", read_window),
    Setting("max_window_layers", "window_layers", read_layers, write_full),
    Setting("layer_types", "window_layers", read_layers, write_kinds),
]
QWEN2 = replace(
    LLAMA,
    kind="qwen2",
    settings=[*SETTINGS, *WINDOW],
    defaults=LLAMA.defaults
    | {
        "max_position_embeddings": 32_768,
        "use_sliding_window": False,
        "sliding_window": 4096,
        "max_window_layers": 28,
        "layer_types": None,
    },
    required={},
    copies={},
    fields=LLAMA.fields | {"bias": False, "qkv_bias": True},
    heads={"Qwen2ForCausalLM": HEAD},
)
