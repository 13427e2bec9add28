"""The shift, the loss, the schedule: mistakes 30, 32, 33 and 35."""

from readymade.museum.exhibits import exhibits

TRAINING = [
    *exhibits(
        "training",
        """
30: no shift: the decoder reads what it is to predict
- torch.cat([first, ids[:, :-1]], 1)
+ ids
- tf.concat([first, ids[:, :-1]], 1)
+ ids

30: two shifts
- [first, ids[:, :-1]]
+ [first, first, ids[:, :-2]]

32: the loss counts padding
- loss = torch.where(real, loss, 0.0)
+ pass
- loss = tf.where(real, loss, 0.0)
+ pass

32: the loss divided by all positions, padding too
- loss.sum() / real.sum().clamp(min=1)
+ loss.mean()
- tf.reduce_sum(loss) / tf.maximum(count, 1.0)
+ tf.reduce_mean(loss)

33: softmax before a loss that takes logits
- torch.log_softmax(logits, -1)
+ logits.softmax(-1).log_softmax(-1)
- tf.nn.log_softmax(logits, -1)
+ tf.nn.log_softmax(tf.nn.softmax(logits, -1), -1)

33: label smoothing that gives mass to padding
- allowed = vocab != pad_id
+ allowed = vocab >= 0

35: warm-up off by one: no learning at the first step
- slope = min(step**-0.5, step *
+ slope = min(step**-0.5, (step - 1) *

35: steps counted from 0: a division by zero, or no learning
- enumerate(progress, start=1)
+ enumerate(progress)
""",
    ),
]
