"""Copy the weights of one model into its twin."""

from typing import Any

from readymade.weights.parameters import parameters_of, write_all


def copy_weights(source: Any, target: Any) -> None:
    """Give `target` the weights of `source`, in either direction.

    Each may belong to PyTorch or Keras. Parameters are matched by attribute path
    and matrices are transposed where the frameworks store them differently.
    Constants and buffers stay as they are. If anything is wrong, nothing is changed.

    Args:
        source: a torch.nn.Module or keras.Layer.
        target: its twin, or another of its kind.

    Raises:
        TypeError: an argument belongs to neither framework.
        ValueError: a parameter has no counterpart or one of another shape, or is not of
            floating-point numbers (in a quantized layer, for example), or `target` ties
            two parameters that differ in `source`. Every one is named.
    """
    given, wanted = parameters_of(source), parameters_of(target)
    giver = f"the source ({type(source).__name__})"
    taker = f"the target ({type(target).__name__})"
    if wrong := misfits(given, wanted, giver, taker):
        listed = "\n  ".join(wrong)
        raise ValueError(
            f"the weights do not fit: wanted equal paths and shapes\n  {listed}"
        )
    write_all({path: one.read() for path, one in given.items()}, wanted)


def misfits(given, wanted, giver, taker):
    """Return a line for each parameter of two models that does not match."""
    wrong = []
    for path in given | wanted:
        if path not in wanted:
            wrong.append(f"only {giver} has {path} {given[path].shape}")
        elif path not in given:
            wrong.append(f"only {taker} has {path} {wanted[path].shape}")
        elif given[path].shape != wanted[path].shape:
            ours, theirs = given[path].shape, wanted[path].shape
            wrong.append(f"{path} is {ours} in {giver} and {theirs} in {taker}")
    for owner, parameters in ((giver, given), (taker, wanted)):
        wrong += [
            f"{path} holds {one.dtype} in {owner}: wanted floating-point numbers"
            for path, one in parameters.items()
            if "float" not in one.dtype
        ]
    return wrong
