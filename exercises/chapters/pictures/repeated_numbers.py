"""Build a contrastive loss that knows which pairs of a batch say the same."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, d, numbers, temperature in (
        (1, 2, [7], 0.5),
        (2, 2, [3, 5], 0.5),
        (2, 3, [4, 4], 0.25),
        (3, 3, [8, 2, 8], 0.2),
        (4, 3, [1, 1, 6, 0], 0.7),
        (6, 4, [5, 9, 5, 5, 2, 9], 0.3),
    ):
        yield (
            2 * draw.normal(size=(batch, d)),
            draw.normal(size=(batch, d)),
            np.array(numbers),
            temperature,
        )


def reference(pictures, texts, numbers, temperature):
    def direction(ones, others):
        losses = []
        for row, one in enumerate(ones):
            powers = [
                np.exp(cosine(one, other) / temperature)
                for place, other in enumerate(others)
                if place == row or numbers[place] != numbers[row]
            ]
            own = cosine(one, others[row]) / temperature
            losses.append(np.log(sum(powers)) - own)
        return np.mean(losses)

    return np.float32((direction(pictures, texts) + direction(texts, pictures)) / 2)


def cosine(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b / np.sqrt((a @ a) * (b @ b))


EXERCISE = Exercise(
    title="The same number twice in a batch",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
If a batch has two pictures of 17, `contrastive_loss` calls the word of the one wrong
for the other. Write `pair_loss`, which knows the `numbers`: a pair of a picture and a
text **from different rows** that have the **same number** is left out of the softmax,
as if it weren't in the batch. Each picture's own text always stays. All else is as in
`contrastive_loss`: cosines divided by the temperature, and the mean of the two
cross-entropies, from pictures to texts and from texts to pictures.
""",
    solution={
        "torch": '''
def pair_loss(pictures, texts, numbers, temperature):
    """Return the loss in nats, a tensor ().

    pictures, texts (batch, d); numbers (batch,), integers;
    temperature: above 0.
    """
    pictures = nn.functional.normalize(pictures, dim=1)
    texts = nn.functional.normalize(texts, dim=1)
    logits = pictures @ texts.T / temperature
    own = torch.eye(len(numbers), dtype=torch.bool)
    same = numbers[:, None] == numbers
    logits = logits.masked_fill(same & ~own, -1e9)
    to_texts = torch.log_softmax(logits, dim=1)[own]
    to_pictures = torch.log_softmax(logits, dim=0)[own]
    return -(to_texts.mean() + to_pictures.mean()) / 2
''',
        "tensorflow": '''
def pair_loss(pictures, texts, numbers, temperature):
    """Return the loss in nats, a tensor ().

    pictures, texts (batch, d); numbers (batch,), integers;
    temperature: above 0.
    """
    pictures = tf.math.l2_normalize(pictures, axis=1)
    texts = tf.math.l2_normalize(texts, axis=1)
    logits = pictures @ tf.transpose(texts) / temperature
    own = tf.eye(len(numbers)) > 0
    same = numbers[:, None] == numbers
    logits = tf.where(same & ~own, -1e9, logits)
    to_texts = tf.nn.log_softmax(logits, axis=1)[own]
    to_pictures = tf.nn.log_softmax(logits, axis=0)[own]
    loss = tf.reduce_mean(to_texts) + tf.reduce_mean(to_pictures)
    return -loss / 2
''',
    },
    why="""
Both directions share one matrix of logits: the softmax over a row asks which text
belongs to a picture, the one over a column which picture belongs to a text. The mask is
symmetric, so it serves both.

With the mask, a perfect model can have a loss near 0 again, whatever the batch repeats.
In the chapter's runs, batches with repeats were hardly worse, so don't expect the mask
to help much there; it makes losses of batches with few and many repeats comparable.
Real captions have no numbers, so it is harder to tell which of them say the same thing.
""",
    hints=(
        "Begin as in `contrastive_loss`: normalize, multiply, divide by the "
        "temperature.",
        "`numbers[:, None] == numbers` says for each pair whether the numbers are "
        "equal. Which of these pairs must stay?",
        "Set the logits of the others to −1e9 before the softmax. Then take "
        "`log_softmax` along both axes, and the mean of each diagonal.",
    ),
    mistakes="""
The vectors are not normalized: those are dot products, not cosines.
@torch
- nn.functional.normalize(pictures, dim=1)
+ pictures
- nn.functional.normalize(texts, dim=1)
+ texts
@tensorflow
- tf.math.l2_normalize(pictures, axis=1)
+ pictures
- tf.math.l2_normalize(texts, axis=1)
+ texts

You normalize along the batch. Each vector is divided by its own length.
- normalize(pictures, dim=1)
+ normalize(pictures, dim=0)
- normalize(texts, dim=1)
+ normalize(texts, dim=0)
- l2_normalize(pictures, axis=1)
+ l2_normalize(pictures, axis=0)
- l2_normalize(texts, axis=1)
+ l2_normalize(texts, axis=0)

You take the direction from pictures to texts twice. For the other one, the softmax runs
over the pictures.
- log_softmax(logits, dim=0)
+ log_softmax(logits, dim=1)
- log_softmax(logits, axis=0)
+ log_softmax(logits, axis=1)

You take the direction from texts to pictures twice. For the other one, the softmax runs
over the texts.
- log_softmax(logits, dim=1)
+ log_softmax(logits, dim=0)
- log_softmax(logits, axis=1)
+ log_softmax(logits, axis=0)

You multiply by the temperature. Divide by it.
- / temperature
+ * temperature

The temperature is forgotten.
- / temperature
+ / 1

Nothing is left out: texts of the same number still count as wrong.
@torch
- logits.masked_fill(same & ~own, -1e9)
+ logits
@tensorflow
- tf.where(same & ~own, -1e9, logits)
+ logits

You leave out each picture's own text, too. It has to stay: it is the answer.
- same & ~own
+ same

You set the logits that are left out to 0. That is a cosine like any other; −1e9 leaves
them out.
- -1e9
+ 0.0

You add the two directions. Take their mean.
@torch
- to_pictures.mean()) / 2
+ to_pictures.mean())
@tensorflow
- -loss / 2
+ -loss

You sum over the batch. Take the mean.
- to_texts.mean() + to_pictures.mean()
+ to_texts.sum() + to_pictures.sum()
- tf.reduce_mean(to_texts) + tf.reduce_mean(to_pictures)
+ tf.reduce_sum(to_texts) + tf.reduce_sum(to_pictures)

A loss is the logarithm with a minus in front: the sign is missing.
- -(to_texts
+ (to_texts
- -loss / 2
+ loss / 2

The softmax is there, but not its logarithm.
- log_softmax
+ softmax

You count all texts of the same number as answers. They are left out, and only a
picture's own text is its answer.
@torch
- logits.masked_fill(same & ~own, -1e9)
+ logits
- (logits, dim=1)[own]
+ (logits, dim=1)[same]
- (logits, dim=0)[own]
+ (logits, dim=0)[same]
@tensorflow
- tf.where(same & ~own, -1e9, logits)
+ logits
- (logits, axis=1)[own]
+ (logits, axis=1)[same]
- (logits, axis=0)[own]
+ (logits, axis=0)[same]

You share the answer out among all texts of the same number (soft targets). Those from
other rows are left out, and a picture's own text gets all of it.
@torch
-     logits = logits.masked_fill(same & ~own, -1e9)
-     to_texts = torch.log_softmax(logits, dim=1)[own]
-     to_pictures = torch.log_softmax(logits, dim=0)[own]
+     soft = len(numbers) * same / same.sum(1, keepdim=True)
+     to_texts = soft * torch.log_softmax(logits, dim=1)
+     to_pictures = soft * torch.log_softmax(logits, dim=0)
@tensorflow
-     logits = tf.where(same & ~own, -1e9, logits)
-     to_texts = tf.nn.log_softmax(logits, axis=1)[own]
-     to_pictures = tf.nn.log_softmax(logits, axis=0)[own]
+     soft = tf.cast(same, tf.float32)
+     soft *= len(numbers) / tf.reduce_sum(soft, 1, keepdims=True)
+     to_texts = soft * tf.nn.log_softmax(logits, axis=1)
+     to_pictures = soft * tf.nn.log_softmax(logits, axis=0)
""",
    reference=reference,
    cases=cases,
    learns=(0, 1),
    equivalent={
        f"own = {eye}": "There are as many."
        for name in ("pictures", "texts")
        for eye in (
            f"torch.eye(len({name}), dtype=torch.bool)",
            f"tf.eye(len({name})) > 0",
        )
    }
    | {
        "logits = logits.masked_fill(same & ~own, -2000000000.0)": "It is as low.",
        "logits = tf.where(same & ~own, -2000000000.0, logits)": "It is as low.",
    },
)
