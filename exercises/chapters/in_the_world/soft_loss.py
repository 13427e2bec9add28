"""Build the loss of a student that learns from a teacher's probabilities."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    # (vocab_size, lengths of the texts, temperature, size of the logits)
    for vocab_size, lengths, temperature, size in (
        (2, [1], 2.0, 1),
        (3, [2, 1], 1.0, 1),
        (5, [4, 1, 2], 3.0, 2),
        (4, [2, 5, 3], 0.5, 1),
        (4, [3, 6], 2.0, 40),
        (7, [6, 2, 4, 5], 1.5, 2),
    ):
        shape = len(lengths), max(lengths), vocab_size
        real = np.arange(max(lengths)) < np.array(lengths)[:, None]
        student = size * draw.normal(size=shape)
        teacher = size * draw.normal(size=shape) + 1
        if size == 40:  # the student finds a word impossible that the teacher expects
            student[0, 0, 0] = -500
            teacher[0, 0, 0] = 100
        yield student, teacher, real, temperature


def reference(student, teacher, real, temperature):
    total = 0.0
    for learned, taught in zip(student[real], teacher[real], strict=True):
        p, q = (np.float64(row) / temperature for row in (learned, taught))
        p, q = (row - row.max() for row in (p, q))
        p, q = (row - np.log(np.exp(row).sum()) for row in (p, q))
        total += np.exp(q) @ (q - p)
    return float(total * temperature**2 / real.sum())


EXERCISE = Exercise(
    title="What the teacher thinks of every word",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
DistilBERT learned as a masked language model from BERT: at every token, both predict a
distribution over the vocabulary. Write the soft part of its loss. Let $q$ be the
teacher's distribution and $p$ the student's, both at temperature $T$: the logits are
divided by $T$ before the softmax. At each token the loss is
$T^2 \sum_w q_w (\ln q_w - \ln p_w)$, the **KL divergence** $D(q \| p)$ times $T^2$.
Take the mean over the **real** tokens of the whole batch.

Logits may be large, so a probability may be 0 in single precision. The loss has to be
finite even then.
""",
    solution={
        "torch": '''
def soft_loss(student, teacher, real, temperature):
    """Return the loss, a scalar tensor.

    student, teacher (batch, length, vocab_size), logits;
    real (batch, length), boolean, False for padding.
    """
    log_p = torch.log_softmax(student / temperature, dim=-1)
    log_q = torch.log_softmax(teacher / temperature, dim=-1)
    q = log_q.exp()
    losses = (q * (log_q - log_p)).sum(-1)
    return temperature**2 * losses[real].mean()
''',
        "tensorflow": '''
def soft_loss(student, teacher, real, temperature):
    """Return the loss, a scalar tensor.

    student, teacher (batch, length, vocab_size), logits;
    real (batch, length), boolean, False for padding.
    """
    log_p = tf.nn.log_softmax(student / temperature, axis=-1)
    log_q = tf.nn.log_softmax(teacher / temperature, axis=-1)
    q = tf.exp(log_q)
    losses = tf.reduce_sum(q * (log_q - log_p), -1)
    return temperature**2 * tf.reduce_mean(losses[real])
''',
    },
    why=r"""
The teacher's distribution says more than its best word: which other words would have
done, and which would not. A high temperature makes these differences count for more.
It also shrinks the gradients: by $T$ through the logits, and by about $T$ once more in
the difference of two flatter distributions; the factor $T^2$ makes up for that. The KL
divergence is the cross-entropy of chapter 9 less the teacher's own entropy, which no
student can change: the gradients are equal, but only the divergence falls to 0. The
teacher doesn't learn. Run it in `torch.no_grad()`, or outside of the `GradientTape`.
""",
    hints=(
        "Divide both logits by the temperature. The logarithms that `log_softmax` "
        "returns are finite even where a probability is 0.",
        "The teacher's probabilities are the weights. What is weighted is a difference "
        "of logarithms, teacher minus student.",
        "Sum over the vocabulary, then keep the real tokens with `losses[real]`, and "
        "take their mean.",
    ),
    mistakes="""
The factor T squared is missing.
- temperature**2 * 
+ 

Your loss is a plain number, or computed without gradients. Nothing can be trained with
it.
@torch
- return temperature**2 * losses[real].mean()
+ return (temperature**2 * losses[real].mean()).item()
@tensorflow
- return temperature**2 * tf.reduce_mean(losses[real])
+ return tf.stop_gradient(temperature**2 * tf.reduce_mean(losses[real]))

You multiply by T. The factor is its square.
- temperature**2
+ temperature

You divide by T squared. Multiply by it.
- temperature**2 * 
+ 1 / temperature**2 * 

The student's logits are not divided by the temperature. Both are.
- student / temperature
+ student

The teacher's logits are not divided by the temperature. Both are.
- teacher / temperature
+ teacher

Neither of the logits is divided by the temperature.
- student / temperature
+ student
- teacher / temperature
+ teacher

There is no temperature in your loss, neither in the logits nor in front.
- student / temperature
+ student
- teacher / temperature
+ teacher
- temperature**2 * 
+ 

You multiply the logits by the temperature. Divide them by it.
- student / temperature
+ student * temperature
- teacher / temperature
+ teacher * temperature

The divergence has the wrong direction: the teacher's probabilities are the weights.
@torch
- q = log_q.exp()
+ p = log_p.exp()
- (q * (log_q - log_p))
+ (p * (log_p - log_q))
@tensorflow
- q = tf.exp(log_q)
+ p = tf.exp(log_p)
- q * (log_q - log_p)
+ p * (log_p - log_q)

The student's probabilities are the weights in your sum. The teacher's are.
- log_q.exp()
+ log_p.exp()
- tf.exp(log_q)
+ tf.exp(log_p)

The sign is wrong: the teacher's logarithm comes first.
- log_q - log_p
+ log_p - log_q

That is the cross-entropy. The teacher's own entropy has to be subtracted, so that the
loss of a perfect student is 0.
- log_q - log_p
+ -log_p

That is the cross-entropy with the wrong sign, and the teacher's entropy is not
subtracted.
- log_q - log_p
+ log_p

Only the teacher's likeliest word counts in your loss. All words do.
@torch
- q = log_q.exp()
+ q = nn.functional.one_hot(log_q.argmax(-1), log_q.shape[-1])
@tensorflow
- q = tf.exp(log_q)
+ q = tf.one_hot(tf.argmax(log_q, -1), log_q.shape[-1])

You learn the teacher's likeliest word: that is its hard label, without its
probabilities.
@torch
- q = log_q.exp()
+ q = nn.functional.one_hot(log_q.argmax(-1), log_q.shape[-1])
- log_q - log_p
+ -log_p
@tensorflow
- q = tf.exp(log_q)
+ q = tf.one_hot(tf.argmax(log_q, -1), log_q.shape[-1])
- log_q - log_p
+ -log_p

The padding counts in your mean.
@torch
- losses[real].mean()
+ losses.mean()
@tensorflow
- losses[real]
+ losses

You take the loss of the padding, not of the real tokens.
- losses[real]
+ losses[~real]

The losses of the padding are 0, but you divide by all tokens. Divide by the real ones.
@torch
- losses[real].mean()
+ (losses * real).mean()
@tensorflow
- losses[real]
+ tf.where(real, losses, 0.0)

You take the mean of each text first, so a token of a short text counts for more.
@torch
- losses[real].mean()
+ ((losses * real).sum(1) / real.sum(1)).mean()
@tensorflow
- tf.reduce_mean(losses[real])
+ tf.reduce_mean(
+         tf.reduce_sum(tf.where(real, losses, 0.0), 1)
+         / tf.reduce_sum(tf.cast(real, tf.float32), 1)
+     )

You divide by the number of texts. Divide by the number of real tokens.
@torch
- losses[real].mean()
+ losses[real].sum() / len(real)
@tensorflow
- tf.reduce_mean(losses[real])
+ tf.reduce_sum(losses[real]) / len(real)

That is the sum over the tokens. Their mean is wanted.
@torch
- losses[real].mean()
+ losses[real].sum()
@tensorflow
- tf.reduce_mean(losses[real])
+ tf.reduce_sum(losses[real])

You take the mean over the vocabulary, too, as `reduction="mean"` does. A divergence is
the sum over all words.
@torch
- (q * (log_q - log_p)).sum(-1)
+ (q * (log_q - log_p)).mean(-1)
@tensorflow
- tf.reduce_sum(q * (log_q - log_p), -1)
+ tf.reduce_mean(q * (log_q - log_p), -1)

Your softmax runs over the tokens of a text. It belongs to the vocabulary.
@torch
- dim=-1
+ dim=1
@tensorflow
- axis=-1
+ axis=1

Your softmax runs over the texts of the batch. It belongs to the vocabulary.
@torch
- dim=-1
+ dim=0
@tensorflow
- axis=-1
+ axis=0

The logarithm of a probability that became 0 is infinite. Take `log_softmax`.
@torch
- torch.log_softmax(student / temperature, dim=-1)
+ torch.softmax(student / temperature, dim=-1).log()
- torch.log_softmax(teacher / temperature, dim=-1)
+ torch.softmax(teacher / temperature, dim=-1).log()
@tensorflow
- tf.nn.log_softmax(student / temperature, axis=-1)
+ tf.math.log(tf.nn.softmax(student / temperature, axis=-1))
- tf.nn.log_softmax(teacher / temperature, axis=-1)
+ tf.math.log(tf.nn.softmax(teacher / temperature, axis=-1))

A small number in the logarithm keeps it finite, and makes it wrong where a probability
is smaller still. Take `log_softmax`.
@torch
- torch.log_softmax(student / temperature, dim=-1)
+ (torch.softmax(student / temperature, dim=-1) + 1e-9).log()
- torch.log_softmax(teacher / temperature, dim=-1)
+ (torch.softmax(teacher / temperature, dim=-1) + 1e-9).log()
@tensorflow
- tf.nn.log_softmax(student / temperature, axis=-1)
+ tf.math.log(tf.nn.softmax(student / temperature, axis=-1) + 1e-9)
- tf.nn.log_softmax(teacher / temperature, axis=-1)
+ tf.math.log(tf.nn.softmax(teacher / temperature, axis=-1) + 1e-9)

You compare probabilities by their squared difference. The loss is a divergence.
@torch
- q * (log_q - log_p)
+ (q - log_p.exp()) ** 2
@tensorflow
- q * (log_q - log_p)
+ (q - tf.exp(log_p)) ** 2

You compare the logits by their squared difference. The loss is a divergence of
probabilities.
- q * (log_q - log_p)
+ (student - teacher) ** 2

You take probabilities for logits: the softmax is applied twice.
@torch
- student / temperature
+ torch.softmax(student, dim=-1) / temperature
- teacher / temperature
+ torch.softmax(teacher, dim=-1) / temperature
@tensorflow
- student / temperature
+ tf.nn.softmax(student, axis=-1) / temperature
- teacher / temperature
+ tf.nn.softmax(teacher, axis=-1) / temperature

The softmax is taken first, and the temperature divides probabilities. Divide the
logits.
@torch
- log_p = torch.log_softmax(student / temperature, dim=-1)
+ log_p = (torch.softmax(student, dim=-1) / temperature + 1e-30).log()
- log_q = torch.log_softmax(teacher / temperature, dim=-1)
+ log_q = (torch.softmax(teacher, dim=-1) / temperature + 1e-30).log()
@tensorflow
- log_p = tf.nn.log_softmax(student / temperature, axis=-1)
+ log_p = tf.math.log(tf.nn.softmax(student, axis=-1) / temperature + 1e-30)
- log_q = tf.nn.log_softmax(teacher / temperature, axis=-1)
+ log_q = tf.math.log(tf.nn.softmax(teacher, axis=-1) / temperature + 1e-30)

You take the logarithm of the teacher's mean probability of a word, and not the mean of
the logarithms.
@torch
- losses[real].mean()
+ -(q * log_p.exp()).sum(-1)[real].mean().log()
@tensorflow
- tf.reduce_mean(losses[real])
+ -tf.math.log(tf.reduce_mean(tf.reduce_sum(q * tf.exp(log_p), -1)[real]))

You return the loss of each token. Their mean is wanted.
@torch
- losses[real].mean()
+ losses[real]
@tensorflow
- tf.reduce_mean(losses[real])
+ losses[real]
""",
    reference=reference,
    cases=cases,
    learns=(0,),
)
