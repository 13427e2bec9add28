"""Explore: which of MiniLM's weights a small update cannot move in half precision."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import NUM_LAYERS, tensors

import numpy as np

ROLES = ("query", "key", "value")


def values(draw):
    return {
        "layer": int(draw.integers(NUM_LAYERS)),
        "role": str(draw.choice(ROLES)),
        "power": int(draw.integers(14, 18)),
    }


def weights(layer, role, part="weight"):
    return tensors()[f"encoder.layer.{layer}.attention.self.{role}.{part}"]


def in_bfloat16(x):
    """Return float32 numbers rounded to the nearest bfloat16, a tie to the even one."""
    bits = x.astype(np.float32).view(np.uint32)
    bits = bits + 0x7FFF + (bits >> 16 & 1)
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)


def in_float16(x):
    return x.astype(np.float16).astype(np.float32)


def unmoved(x, update, rounded):
    """Return the share of numbers that an update leaves as they are."""
    before = rounded(x)
    return float(np.mean(rounded(before + np.float32(update)) == before))


def reference(layer, role, power):
    x = weights(layer, role)
    return [unmoved(x, 2.0**-power, rounded) for rounded in (in_bfloat16, in_float16)]


OURS = "from exercises.chapters.many_machines import small_updates as ours"

EXERCISE = Exercise(
    title="Updates that get lost",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
A weight in half precision can't hold a small change: $1 + 0.001$ is 1 again in
bfloat16. Adam changes each weight by about the learning rate, which is small in
fine-tuning. `load_checkpoint()` from `readymade.weights` loads MiniLM. Take the matrix
`{{role}}` in the `self_attention` of layer {{layer}} (counted from 0), convert it to
**bfloat16**, and add $2^{-{{power}}}$ to every weight, in bfloat16. What share of the
weights is the same as before the addition? And what is the share in **float16**?

Give two numbers from 0 to 1, with three decimals. Use the matrix only, not the bias.
""",
    starter="""
lost = ...  # bfloat16, float16, such as (0.123, 0.012)
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint()
part = model.layers[{{layer}}].self_attention.{{role}}
lost = []
for kind in (torch.bfloat16, torch.float16):
    before = part.weight.detach().to(kind)
    after = before + 2.0**-{{power}}
    lost.append(float((after == before).float().mean()))
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, tokenizer = load_checkpoint(framework="tensorflow")
part = model.layers[{{layer}}].self_attention.{{role}}
lost = []
for kind in (tf.bfloat16, tf.float16):
    before = tf.cast(part.kernel, kind)
    after = before + 2.0**-{{power}}
    same = tf.cast(after == before, tf.float32)
    lost.append(float(tf.reduce_mean(same)))
""",
    },
    why="""
A bfloat16 number has 8 significant bits, a float16 number 11. If a change is less than
half of the last bit, rounding takes it away, and the next change, too: a thousand lost
updates add up to nothing. That is why mixed precision keeps a copy of the weights in
float32, the master weights. The updates are added there, and the copy in half precision
is made again at each step.
""",
    hints=(
        "Convert first, then add: `before = weight.to(torch.bfloat16)` in PyTorch, "
        "`tf.cast(kernel, tf.bfloat16)` in TensorFlow.",
        "`after == before` is True where nothing has changed. Its mean is the share.",
        "Do it once for each of the two types. In TensorFlow the matrix is `kernel`.",
    ),
    mistakes=f"""
Those are the weights that moved. The share that stayed is asked for.
+ lost = [1 - share for share in right]

The two numbers are right, in the wrong order.
+ lost = [right[1], right[0]]

Those are percentages. A share lies between 0 and 1.
+ lost = [100 * share for share in right]

Those are counts. Divide by the number of weights.
+ lost = [share * 384 * 384 for share in right]

No weight stays the same in your answer. Convert first, then add, all in half precision,
and take the matrix, not the bias.
+ lost = [0.0, 0.0]

You convert after the addition, and compare with the converted weights: the old weight
still has its float32 digits then. Convert first.
+ {OURS}
+ x, update = ours.weights(layer, role), np.float32(2.0**-power)
+ lost = [
+     float(np.mean(rounded(x + update) == rounded(x)))
+     for rounded in (ours.in_bfloat16, ours.in_float16)
+ ]

Both numbers are those of bfloat16.
+ lost = [right[0], right[0]]

Both numbers are those of float16.
+ lost = [right[1], right[1]]

The first is right. For the second, convert the weights of the model, not those that are
already in bfloat16.
+ {OURS}
+ x = ours.in_bfloat16(ours.weights(layer, role))
+ lost = [right[0], ours.unmoved(x, 2.0**-power, ours.in_float16)]

That is the next layer, or the first if layer 5 is asked for. Layers are counted from 0.
+ {OURS}
+ lost = ours.reference((layer + 1) % 6, role, power)

That is the layer before, or the last if layer 0 is asked for. Layers are counted from
0.
+ {OURS}
+ lost = ours.reference((layer - 1) % 6, role, power)

That is another matrix of the layer. {{{{role}}}} is asked for.
+ {OURS}
+ other = ours.ROLES[ours.ROLES.index(role) - 1]
+ lost = ours.reference(layer, other, power)

That is another matrix of this layer. {{{{role}}}} is asked for.
+ {OURS}
+ other = ours.ROLES[ours.ROLES.index(role) - 2]
+ lost = ours.reference(layer, other, power)

Your change is twice as large.
+ {OURS}
+ lost = ours.reference(layer, role, power - 1)

Your change is half as large.
+ {OURS}
+ lost = ours.reference(layer, role, power + 1)

All weights stay the same in your answer. Add 2 to the power of -{{{{power}}}} to each
weight, not that share of it and not a power of ten, and compare exactly.
+ lost = [1.0, 1.0]

The first number is right. In float16 some weights stay the same as well, if you add in
float16.
+ lost = [right[0], 0.0]

The second number is right. In bfloat16 some weights stay the same as well, if you add
in bfloat16.
+ lost = [0.0, right[1]]

You compare with the float32 weights, and the conversion changes nearly all of those.
Compare with the weights before the addition, in the same type.
+ {OURS}
+ x, update = ours.weights(layer, role), np.float32(2.0**-power)
+ lost = [
+     float(np.mean(rounded(rounded(x) + update) == x))
+     for rounded in (ours.in_bfloat16, ours.in_float16)
+ ]
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
    equivalent={
        f"after = before - 2.0**-{values(np.random.default_rng(0))['power']}": (
            "Subtracting it leaves about as many weights as they are."
        ),
    },
)
