"""Build bits per character from windows that overlap, each token counted once."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for windows, window, stride, characters in (
        (1, 3, 1, 7),
        (3, 4, 4, 41),
        (4, 7, 2, 37),
        (5, 6, 4, 71),
        (2, 9, 3, 30),
    ):
        yield draw.uniform(0.5, 6, size=(windows, window)), stride, characters


def reference(losses, stride, characters):
    windows, window = losses.shape
    best = np.zeros((windows - 1) * stride + window)
    for number, row in enumerate(losses):  # what comes later has more context
        start = number * stride
        known = 0 if number == 0 else window - stride
        best[start + known : start + window] = row[known:]
    return np.float64(np.log2(np.exp(1)) * best.sum() / characters)


EXERCISE = Exercise(
    title="Count every token once",
    kind="build",
    difficulty=3,
    minutes=20,
    prompt="""
A text that is longer than the window is read in windows that overlap: each begins
`stride` tokens after the one before, so most tokens are predicted with more context
than if the windows didn't overlap. Row `i` of `losses` holds the loss of every token in
window `i`, in nats. Most tokens are in several rows. Count each token of the text
**once**, with the loss from the first window that contains it, and return the bits per
character of the whole text, which has `characters` characters.
""",
    solution={
        "torch": '''
def bits_per_character(losses, stride, characters):
    """Return a scalar tensor.

    losses (windows, window), in nats; stride, at least 1
    and at most window.
    """
    later = losses[1:, -stride:]
    nats = losses[0].sum() + later.sum()
    return nats / math.log(2) / characters
''',
        "tensorflow": '''
def bits_per_character(losses, stride, characters):
    """Return a scalar tensor.

    losses (windows, window), in nats; stride, at least 1
    and at most window.
    """
    later = losses[1:, -stride:]
    nats = tf.reduce_sum(losses[0]) + tf.reduce_sum(later)
    return nats / math.log(2) / characters
''',
    },
    why="""
The first window that contains a token is also the one with the most context before it:
in each later window the token stands further left. Only the last `stride` tokens of a
window are new, and they have at least `window - stride` tokens of context. A small
stride gives a better number and needs more computation, so a result is only
comparable if its stride is known. The number of characters divides the sum at the end,
and no mean over tokens is needed.
""",
    hints=(
        "All tokens of the first window are new. How many are new in each other one?",
        "The new tokens of a window are its last `stride` ones.",
        "Add up the nats, divide by ln 2, and then by the number of characters.",
    ),
    mistakes="""
Tokens in several windows are counted several times.
- losses[1:, -stride:]
+ losses[1:]

Only the first window counts. The new tokens of the others are missing.
- + later.sum()
+
- + tf.reduce_sum(later)
+

The first tokens of the first window are missing: all of it is new.
- losses[0].sum()
+ losses[0, -stride:].sum()
- tf.reduce_sum(losses[0])
+ tf.reduce_sum(losses[0, -stride:])

The first window is missing.
- losses[0].sum() + later
+ later
- tf.reduce_sum(losses[0]) +
+

You take the first `stride` tokens of each later window, which the window before has
predicted with more context. Its last ones are new.
- -stride:]
+ :stride]

Each token should count with the first window that contains it. You take the last one,
in which it has the least context.
- losses[1:, -stride:]
+ losses[:-1, :stride]
- losses[0]
+ losses[-1]

The later windows leave out their first `stride` tokens. They leave out all but their
last `stride`.
- -stride:]
+ stride:]

The later windows leave out their last `stride` tokens, which are the new ones.
- -stride:]
+ :-stride]

One token too many is counted in every later window.
- -stride:]
+ -stride - 1 :]

One token too few is counted in every later window.
- -stride:]
+ losses.shape[1] - stride + 1 :]

That is in nats per character. Divide by ln 2 to have bits.
- nats / math.log(2)
+ nats

That is the number of bits of the whole text. Divide it by the number of characters.
- / characters
+

You multiply by ln 2. A bit is less than a nat, so the number of bits is larger.
- / math.log(2)
+ * math.log(2)

Your logarithm of 2 has the base 10. A nat is converted by the natural one.
- math.log(2)
+ math.log10(2)

That is in bits per token of the text. Divide by the number of characters instead.
@torch
- / characters
+ / (losses[0].numel() + later.numel())
@tensorflow
- / characters
+ / (losses.shape[1] + later.shape[0] * later.shape[1])

That is the mean over all rows and columns. Count each token once, and divide by the
number of characters.
@torch
- nats / math.log(2) / characters
+ losses.mean() / math.log(2)
@tensorflow
- nats / math.log(2) / characters
+ tf.reduce_mean(losses) / math.log(2)

That is the mean of the counted tokens, divided by the number of characters. Divide
their sum.
@torch
- / characters
+ / characters / (losses[0].numel() + later.numel())
@tensorflow
- / characters
+ / characters / (losses.shape[1] + later.shape[0] * later.shape[1])

That is the perplexity per character. Bits are its logarithm.
- nats / math.log(2) / characters
+ math.e ** (nats / characters)

That is the mean of all losses, in bits, divided by the number of characters.
@torch
- nats / math.log(2) / characters
+ losses.mean() / math.log(2) / characters
@tensorflow
- nats / math.log(2) / characters
+ tf.reduce_mean(losses) / math.log(2) / characters

Each token counts with the mean of its windows. Count it with the first one alone.
@torch
- later = losses[1:, -stride:]
+ windows, window = losses.shape
+     total = torch.zeros((windows - 1) * stride + window)
+     number = torch.zeros_like(total)
+     for place in range(windows):
+         here = slice(place * stride, place * stride + window)
+         total[here] += losses[place]
+         number[here] += 1
- losses[0].sum() + later.sum()
+ (total / number).sum()
@tensorflow
- later = losses[1:, -stride:]
+ windows, window = losses.shape
+     total = np.zeros((windows - 1) * stride + window)
+     number = np.zeros_like(total)
+     for place in range(windows):
+         here = slice(place * stride, place * stride + window)
+         total[here] += losses[place].numpy()
+         number[here] += 1
- tf.reduce_sum(losses[0]) + tf.reduce_sum(later)
+ tf.constant((total / number).sum(), tf.float32)

You return the losses of the later windows' new tokens. One number is wanted.
- return nats / math.log(2) / characters
+ return later

You divide by `characters` twice, or by the square of it.
- / characters
+ / characters**2

The number of windows divides the sum. Divide by the number of characters only.
- / characters
+ / characters / losses.shape[0]

You take the logarithm of every loss. A loss is a logarithm already: divide it by ln 2.
@torch
- nats / math.log(2)
+ (losses[0].log2().sum() + later.log2().sum())
@tensorflow
- nats / math.log(2)
+ (
+         tf.reduce_sum(tf.math.log(losses[0]))
+         + tf.reduce_sum(tf.math.log(later))
+     ) / math.log(2)

You multiply by the number of characters. The bits are shared out among them.
- / characters
+ * characters

You take the first `stride` tokens of every window. The rest of the last window is
missing, and the others count with little context.
@torch
- losses[1:, -stride:]
+ losses[1:, :stride]
- losses[0].sum()
+ losses[0, :stride].sum()
@tensorflow
- losses[1:, -stride:]
+ losses[1:, :stride]
- losses[0])
+ losses[0, :stride])

The loss of the whole text is a sum over its tokens. You add up means.
@torch
- losses[0].sum() + later.sum()
+ losses[0].mean() + later.mean(1).sum()
@tensorflow
- tf.reduce_sum(losses[0]) + tf.reduce_sum(later)
+ tf.reduce_mean(losses[0]) + tf.reduce_sum(tf.reduce_mean(later, 1))

Tokens in several windows are counted several times, and the sum is in nats.
- losses[1:, -stride:]
+ losses[1:]
- nats / math.log(2)
+ nats

That is in nats per token of the text. Bits per character are wanted.
@torch
- nats / math.log(2) / characters
+ nats / (losses[0].numel() + later.numel())
@tensorflow
- nats / math.log(2) / characters
+ nats / (losses.shape[1] + later.shape[0] * later.shape[1])

That is the mean of the last `stride` tokens of all windows, in bits per token. Bits per
character are wanted, with all tokens of the first window.
@torch
- nats / math.log(2) / characters
+ losses[:, -stride:].mean() / math.log(2)
@tensorflow
- nats / math.log(2) / characters
+ tf.reduce_mean(losses[:, -stride:]) / math.log(2)

Those are characters per bit. Bits per character are the other way round.
- nats / math.log(2) / characters
+ characters / (nats / math.log(2))

You add up the means of the first window and of the new tokens. Add up all losses.
@torch
- losses[0].sum() + later.sum()
+ losses[0].mean() + later.mean()
@tensorflow
- tf.reduce_sum(losses[0]) + tf.reduce_sum(later)
+ tf.reduce_mean(losses[0]) + tf.reduce_mean(later)

One token too many is counted in every later window. The new ones begin at the window's
length minus `stride`.
- -stride:]
+ losses.shape[1] - stride - 1 :]

You take the logarithm of the sum. Losses are logarithms already: divide by ln 2.
@torch
- nats / math.log(2)
+ nats.log2()
@tensorflow
- nats / math.log(2)
+ tf.math.log(nats) / math.log(2)

Each later window adds its last token only. Its last `stride` tokens are new.
- -stride:]
+ -1:]

You take the mean over all rows for the loss of every token. Tokens in several windows
weigh more in it: add up each token's loss from the first window that contains it.
@torch
- nats / math
+ losses.mean() * (losses[0].numel() + later.numel()) / math
@tensorflow
- nats / math
+ tf.reduce_mean(losses) * (
+         losses.shape[1] + later.shape[0] * later.shape[1]
+     ) / math
""",
    reference=reference,
    cases=cases,
)
