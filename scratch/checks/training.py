"""Checks of what is trained, and how."""

from scratch.checks.numbers import (
    require_above_zero,
    require_at_least,
    require_from_zero,
)
from scratch.checks.texts import require_texts


def require_step(rate, batch):
    """Raise unless `rate` is not negative, and `batch` is a tuple or a list."""
    require_from_zero("learning_rate", rate)
    if not isinstance(batch, (tuple, list)):
        raise TypeError(f"batches holds a {type(batch).__name__}: wanted tuples")


def require_some(name, values):
    """Raise if a list is empty, since training would have done nothing."""
    if not values:
        raise ValueError(
            f"{name} is empty: wanted at least one; an iterator can be read only once"
        )


def require_trainable(name, weights, clip, weight_decay):
    """Raise unless some `weights` are not frozen, and no step would go uphill."""
    if not any(getattr(one, "requires_grad", True) for one in weights):
        raise ValueError(f"{name} has frozen weights only: wanted one to train")
    require_above_zero("clip", clip)
    require_from_zero("weight_decay", weight_decay)


def require_rates(rates):
    """Raise unless `rates` lists (share, list of weights), and no weight twice.

    A generator, such as that of `parameters()`, would be empty when read once more.
    """
    lists = [rates]
    if isinstance(rates, (list, tuple)):
        lists += [weights for _, weights in rates]
    for one in lists:
        if not isinstance(one, (list, tuple)):
            wanted = "wanted a list of (share, list of weights)"
            raise TypeError(f"rates holds a {type(one).__name__}: {wanted}")
    for share, _ in rates:
        require_from_zero("a share in rates", share)
    weights = [id(one) for _, group in rates for one in group]
    if len(weights) > len({*weights}):
        raise ValueError("rates holds a weight twice: wanted each in one group only")


def require_built(variables, model):
    """Raise unless all weights of a Keras model, once called, are among `variables`."""
    known = {id(one) for one in variables}
    if new := [one.path for one in model.trainable_variables if id(one) not in known]:
        raise ValueError(f"model had no {new[0]}: wanted a model called before")


def require_wide_gradients(loss, step):
    """Raise if the gradients of a PyTorch loss are float16; looks in the first step."""
    left, seen = [loss.grad_fn] if step == 1 else [], {None}
    while left:
        if (node := left.pop()) not in seen:
            seen.add(node)
            left += [after for after, _ in node.next_functions]
            for one in getattr(node, "_input_metadata", ()):
                _require_wide(str(one.dtype))


def require_wide_layers(model):
    """Raise if the gradients of a Keras model are float16."""
    for layer in model._flatten_layers():
        if layer.trainable_variables:
            _require_wide(layer.compute_dtype)


def _require_wide(dtype):
    """Raise if gradients are float16."""
    if dtype.endswith("float16") and not dtype.endswith("bfloat16"):
        raise ValueError(
            "gradients are float16 (by the weights, autocast or mixed_float16): wanted "
            "float32 or bfloat16, because float16 rounds small ones to 0"
        )


def require_encoder(encoder, part="hidden_states"):
    """Raise unless `encoder` has this part, which a model around an encoder lacks."""
    if not hasattr(encoder, part):
        given = type(encoder).__name__
        raise TypeError(f"encoder is of type {given}: wanted an Encoder")


def require_embeddings(config, embeddings):
    """Raise unless `embeddings` read what the config is for: tokens, or pictures."""
    if embeddings is None:
        return
    kind, size = type(embeddings).__name__, config.vocab_size
    if hasattr(embeddings, "tokens") and size is None:
        raise ValueError(f"vocab_size is None: wanted a number beside {kind}")
    if not hasattr(embeddings, "tokens") and size is not None:
        raise ValueError(
            f"vocab_size is {size}: wanted None beside {kind}, which read no tokens"
        )


def require_low_rank(name, base, rank, alpha):
    """Raise unless `base` is a linear layer, and LoRA of this rank would change it."""
    require_at_least("rank", rank, 1)
    require_above_zero("alpha", alpha)
    weight = getattr(base, "kernel", getattr(base, "weight", None))
    if len(getattr(weight, "shape", ())) != 2:
        given = type(base).__name__
        raise TypeError(f"{name} is of type {given}: wanted a linear layer")


def require_lora(encoder, rank, alpha, names):
    """Raise unless add_lora can change all layers of this encoder or decoder."""
    require_encoder(encoder, "embeddings")
    require_texts("names", names)
    if not 0 < len({*names}) == len(names):
        raise ValueError(f"names is {names}: wanted at least one, and each once")
    for place, layer in enumerate(encoder.layers):
        for name in names:
            base = getattr(layer.self_attention, name, None)
            require_low_rank(f"{name} of layer {place}", base, rank, alpha)


def require_strategy(strategy, variables):
    """Raise unless a tf.distribute.Strategy can train a model with these variables."""
    replicas = strategy.num_replicas_in_sync
    if replicas != 1:
        raise ValueError(
            f"strategy has {replicas} replicas: wanted 1, because each would average "
            "over its own tokens alone"
        )
    scope = strategy.extended
    if not all(scope.variable_created_in_scope(one.value) for one in variables):
        raise ValueError(
            "model was built in the scope of another strategy: wanted a model and "
            f"its training in the same scope, here {type(strategy).__name__}'s"
        )
