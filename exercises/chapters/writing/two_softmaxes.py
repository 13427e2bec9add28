"""Find the bug: a softmax whose probabilities are taken for logits."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, middle, temperature in (
        (1, 1, 3, 0.0, 0.5),
        (2, 4, 5, 1.0, 0.7),
        (3, 5, 4, -1.0, 1.6),
        (2, 3, 6, 100.0, 0.4),  # too large for an exponential
    ):
        logits = middle + 2 * draw.normal(size=(batch, length, vocab_size))
        yield logits, temperature


def reference(logits, temperature):
    scaled = logits[:, -1].astype(np.float64) / temperature
    shares = np.exp(scaled - scaled.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


EXERCISE = Exercise(
    title="Nothing stands out",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A model with a vocabulary of 1,000 tokens has a low loss, but it writes gibberish at a
temperature of 1 and at 0.5: no token ever has a probability above 0.01. The function
below computes the probabilities of the next token. It raises no error, and its rows sum
to 1. Repair it.
""",
    bug="The softmax is still taken of probabilities",
    solution={
        "torch": '''
def next_probabilities(logits, temperature):
    """Return (batch, vocab_size), for the next token.

    logits (batch, length, vocab_size), of all positions.
    """
    last = logits[:, -1]
    scaled = last / temperature
    return torch.softmax(scaled, dim=1)
''',
        "tensorflow": '''
def next_probabilities(logits, temperature):
    """Return (batch, vocab_size), for the next token.

    logits (batch, length, vocab_size), of all positions.
    """
    last = logits[:, -1]
    scaled = last / temperature
    return tf.nn.softmax(scaled, axis=1)
''',
    },
    why=r"""
The softmax expects logits, which may be any numbers. Probabilities lie between 0 and 1,
so the largest can be at most $e$ times as likely as the smallest after another softmax
($e^2$ times at a temperature of 0.5). Of 1,000 tokens, the likeliest then has a
probability of at most 0.0027 (0.0073 at 0.5), and nearly anything can be drawn. No
shape and no sum of a row gives this away, and the loss in training doesn't either,
because it starts from the logits. Compare the largest probability with the one that you
expect.
""",
    hints=(
        "Print the intermediate values for logits such as [5, 0, 0]. Which are between "
        "0 and 1 when they need not be?",
        "What goes into the last line, logits or probabilities?",
        "The logits are divided by the temperature, and there is a single softmax.",
    ),
    mistakes="""
The softmax is still taken of probabilities. A softmax expects logits.
@torch
- scaled = last / temperature
+ scaled = torch.softmax(last, dim=1) / temperature
@tensorflow
- scaled = last / temperature
+ scaled = tf.nn.softmax(last, axis=1) / temperature

The temperature is in its place now, but there are still two softmaxes.
@torch
- scaled = last / temperature
+ scaled = torch.softmax(last / temperature, dim=1)
@tensorflow
- scaled = last / temperature
+ scaled = tf.nn.softmax(last / temperature, axis=1)

There are still two softmaxes, and the temperature multiplies instead of dividing.
@torch
- scaled = last / temperature
+ scaled = torch.softmax(last, dim=1) * temperature
@tensorflow
- scaled = last / temperature
+ scaled = tf.nn.softmax(last, axis=1) * temperature

There are still two softmaxes, and the temperature is gone.
@torch
- scaled = last / temperature
+ scaled = torch.softmax(last, dim=1)
@tensorflow
- scaled = last / temperature
+ scaled = tf.nn.softmax(last, axis=1)

There are still two softmaxes, and the second divides by the temperature once more.
@torch
- scaled = last / temperature
+ scaled = torch.softmax(last / temperature, dim=1) / temperature
@tensorflow
- scaled = last / temperature
+ scaled = tf.nn.softmax(last / temperature, axis=1) / temperature

The temperature changes nothing: those are the probabilities at temperature 1. What
multiplies all probabilities of a row cancels when they are made to sum to 1.
- last / temperature
+ last

You multiply the logits by the temperature. They are divided by it.
- last / temperature
+ last * temperature

You divide probabilities by the temperature, so they no longer sum to 1. Divide the
logits.
- last / temperature
+ last
- (scaled, dim=1)
+ (scaled, dim=1) / temperature
- (scaled, axis=1)
+ (scaled, axis=1) / temperature

You multiply probabilities by the temperature, so they no longer sum to 1.
- last / temperature
+ last
- (scaled, dim=1)
+ (scaled, dim=1) * temperature
- (scaled, axis=1)
+ (scaled, axis=1) * temperature

You raise the probabilities to the power 1 / temperature, which is a good way, but then
they have to be divided by their sum.
- last / temperature
+ last
- (scaled, dim=1)
+ (scaled, dim=1) ** (1 / temperature)
- (scaled, axis=1)
+ (scaled, axis=1) ** (1 / temperature)

The logits are divided by the temperature twice.
- last / temperature
+ last / temperature / temperature

The logits are divided by the square root of the temperature.
- last / temperature
+ last / temperature**0.5

The exponential of large logits is infinite. Subtract the largest of the row first, as a
ready-made softmax does.
- torch.softmax(scaled, dim=1)
+ scaled.exp() / scaled.exp().sum(1, keepdim=True)
- tf.nn.softmax(scaled, axis=1)
+ tf.exp(scaled) / tf.reduce_sum(tf.exp(scaled), 1, True)

Your softmax runs over the texts of the batch. It belongs to the vocabulary.
- dim=1
+ dim=0
- axis=1
+ axis=0

Those are the probabilities after the first token. The next token follows the last.
- logits[:, -1]
+ logits[:, 0]

Those are the probabilities of the token before the next: the position is off by one.
- logits[:, -1]
+ logits[:, -2]

You take the mean of the logits of all positions. The last one predicts.
@torch
- logits[:, -1]
+ logits.mean(1)
@tensorflow
- logits[:, -1]
+ tf.reduce_mean(logits, 1)

You take the last text of the batch. The last position of every text is wanted.
- logits[:, -1]
+ logits[-1]

You return the probabilities at every position. Those of the last one are wanted.
- logits[:, -1]
+ logits
- dim=1
+ dim=2
- axis=1
+ axis=2

You return logits. Probabilities are wanted.
- torch.softmax(scaled, dim=1)
+ scaled
- tf.nn.softmax(scaled, axis=1)
+ scaled

You return log-probabilities. Probabilities are wanted.
- torch.softmax
+ torch.log_softmax
- tf.nn.softmax
+ tf.nn.log_softmax

You return the likeliest token. The probabilities of all tokens are wanted.
- torch.softmax(scaled, dim=1)
+ scaled.argmax(dim=1)
- tf.nn.softmax(scaled, axis=1)
+ tf.argmax(scaled, axis=1)

The likeliest token gets everything. That is a temperature of almost 0.
- last / temperature
+ last * 1e6

A sigmoid looks at each token by itself, so the probabilities do not sum to 1.
- torch.softmax(scaled, dim=1)
+ torch.sigmoid(scaled)
- tf.nn.softmax(scaled, axis=1)
+ tf.sigmoid(scaled)

You raise the probabilities to the power of the temperature, and their sum is not 1. The
power is 1 / temperature, and then they are divided by their sum.
@torch
- last / temperature
+ last
- (scaled, dim=1)
+ (scaled, dim=1) ** temperature
@tensorflow
- last / temperature
+ last
- (scaled, axis=1)
+ (scaled, axis=1) ** temperature

Your softmax runs over the positions of the text. It belongs to the vocabulary.
@torch
- last = logits[:, -1]
+ last = logits
- torch.softmax(scaled, dim=1)
+ torch.softmax(scaled, dim=1)[:, -1]
@tensorflow
- last = logits[:, -1]
+ last = logits
- tf.nn.softmax(scaled, axis=1)
+ tf.nn.softmax(scaled, axis=1)[:, -1]

You divide the logits by their sum. Without an exponential, some are negative.
@torch
- torch.softmax(scaled, dim=1)
+ scaled / scaled.sum(1, keepdim=True)
@tensorflow
- tf.nn.softmax(scaled, axis=1)
+ scaled / tf.reduce_sum(scaled, 1, True)

You return exponentials. Divide each row by its sum.
@torch
- torch.softmax(scaled, dim=1)
+ scaled.exp()
@tensorflow
- tf.nn.softmax(scaled, axis=1)
+ tf.exp(scaled)

You divide the exponentials by the sum of the whole batch. Each row sums to 1, and large
logits need a ready-made softmax.
@torch
- torch.softmax(scaled, dim=1)
+ scaled.exp() / scaled.exp().sum()
@tensorflow
- tf.nn.softmax(scaled, axis=1)
+ tf.exp(scaled) / tf.reduce_sum(tf.exp(scaled))

You divide sigmoids by their sum. A softmax divides exponentials.
@torch
- return torch.softmax(scaled, dim=1)
+ share = torch.sigmoid(scaled)
+     return share / share.sum(1, keepdim=True)
@tensorflow
- return tf.nn.softmax(scaled, axis=1)
+ share = tf.sigmoid(scaled)
+     return share / tf.reduce_sum(share, 1, keepdims=True)
""",
    reference=reference,
    cases=cases,
)
