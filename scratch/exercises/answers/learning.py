"""Call a reader's layer, and tell which weight no gradient reaches."""


def call_layer(made, case, framework, args, kwargs):
    """Return (the layer's output, the name of a weight that cannot learn or "")."""
    if framework == "torch":
        return _torch_call(made, args, kwargs)
    training = {"training": True} if case.training else {}
    return _tensorflow_call(made, args, {**kwargs, **training})


def _torch_call(made, args, kwargs):
    import torch

    output = made(*args, **kwargs)
    parts = [part for part in _flat(output) if _is_float(part, torch.is_tensor)]
    weights = dict(made.named_parameters())
    if not parts or not weights:
        return output, ""
    total = sum(part.sum() for part in parts)
    if not total.requires_grad:
        return output, next(iter(weights))
    gradients = torch.autograd.grad(total, weights.values(), allow_unused=True)
    return output, _first_without(gradients, weights)


def _tensorflow_call(made, args, kwargs):
    import tensorflow as tf

    with tf.GradientTape() as tape:
        output = made(*args, **kwargs)
        parts = [part for part in _flat(output) if _is_float(part, tf.is_tensor)]
        total = sum(map(tf.reduce_sum, parts))
    if not parts or not made.trainable_weights:
        return output, ""
    names = [_attribute(made, weight) for weight in made.trainable_weights]
    variables = [weight.value for weight in made.trainable_weights]
    return output, _first_without(tape.gradient(total, variables), names)


def _attribute(made, weight):
    """Name a weight of Keras as its layer does, where that holds it in an attribute."""
    for name, part in vars(made).items():
        if part is weight:
            return name
        if any(one is weight for one in getattr(part, "trainable_weights", ())):
            return f"{name}.{weight.name}"
    return weight.name


def _flat(output):
    if isinstance(output, list | tuple):
        return [part for item in output for part in _flat(item)]
    return [output]


def _is_float(part, is_tensor):
    return is_tensor(part) and "float" in str(part.dtype)


def _first_without(gradients, names):
    pairs = zip(gradients, names, strict=True)
    return next((name for gradient, name in pairs if gradient is None), "")
