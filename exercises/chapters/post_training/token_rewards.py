"""Build the policy-gradient loss from the log-probabilities of tokens."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield (
        np.array([[-1.0, -0.5, -2.0], [-0.25, -3.0, -1.5]]),
        np.array([[False, True, True], [True, True, False]]),
        np.array([1.0, 0.0]),
    )
    for rows, length in ((2, 4), (3, 5), (4, 3), (5, 6)):
        first = draw.integers(0, length - 1, size=(rows, 1))
        places = np.arange(length)
        last = draw.integers(first + 1, length + 1, size=(rows, 1))
        mask = (first <= places) & (places < last)
        yield (
            -draw.uniform(0.1, 3, (rows, length)),
            mask,
            draw.normal(1, 1, rows).round(2),
        )


def reference(log_p, mask, rewards):
    advantages = rewards - rewards.mean()
    total = 0.0
    for row, advantage in enumerate(advantages):
        total += advantage * log_p[row][mask[row]].astype(np.float64).sum()
    return np.asarray(-total / len(rewards))


EXERCISE = Exercise(
    title="A loss from rewards",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
A model has answered one question several times. `log_p` holds the log-probability of
each token at the token's own place, `mask` is True at the tokens of the answers, and
`rewards` has one number for each answer. Write the loss of REINFORCE with the mean
reward as the baseline: minus the mean, over the answers, of advantage times
log-probability of the whole answer. The advantage is the reward minus the mean reward;
don't divide by a deviation or by a length.
""",
    solution={
        "torch": '''
def reward_loss(log_p, mask, rewards):
    """Return a scalar tensor.

    log_p and mask (answers, length); rewards (answers,).
    """
    answer = torch.where(mask, log_p, 0.0).sum(dim=1)
    advantage = rewards - rewards.mean()
    return -(advantage * answer).mean()
''',
        "tensorflow": '''
def reward_loss(log_p, mask, rewards):
    """Return a scalar tensor.

    log_p and mask (answers, length); rewards (answers,).
    """
    answer = tf.where(mask, log_p, 0.0)
    answer = tf.reduce_sum(answer, axis=1)
    advantage = rewards - tf.reduce_mean(rewards)
    return -tf.reduce_mean(advantage * answer)
''',
    },
    why="""
The probability of an answer is the product of those of its tokens, so its logarithm is
the sum. A baseline that doesn't depend on the answer changes no expected gradient,
because log-probabilities of answers that the model draws itself have a mean gradient of
0. (The mean of n rewards contains the answer's own, which shrinks the gradient by the
factor 1 − 1/n and leaves its direction.) But the gradient becomes far less noisy:
without the baseline, answers of low reward are pushed up as well, only less. Every
token of an answer gets the same advantage. The loss can't know which token earned the
reward.
""",
    hints=(
        "What is the logarithm of a product of probabilities?",
        "Set the tokens outside the answers to 0 and add up each row: one number for "
        "each answer.",
        "Multiply by rewards minus their mean, take the mean over the answers, and put "
        "a minus before it.",
    ),
    mistakes="""
The sign is wrong: your loss makes good answers less probable.
- return -
+ return

Your loss is a plain number, or computed without gradients. Nothing can be trained with
it.
@torch
- return -(advantage * answer).mean()
+ return -(advantage * answer).mean().item()
@tensorflow
- return -tf.reduce_mean(advantage * answer)
+ return tf.stop_gradient(-tf.reduce_mean(advantage * answer))

The baseline is missing: subtract the mean reward.
- rewards - rewards.mean()
+ rewards
- rewards - tf.reduce_mean(rewards)
+ rewards

You divide each answer by its length. The sum over its tokens is wanted.
@torch
- log_p, 0.0).sum(dim=1)
+ log_p, 0.0).sum(dim=1) / mask.sum(dim=1)
@tensorflow
-     answer = tf.reduce_sum(answer, axis=1)
+     answer = tf.reduce_sum(answer, axis=1)
+     answer /= tf.reduce_sum(tf.cast(mask, answer.dtype), axis=1)

Tokens outside the answers count: the question, or padding.
- torch.where(mask, log_p, 0.0)
+ log_p
- tf.where(mask, log_p, 0.0)
+ log_p

You take the tokens outside the answers.
- where(mask, log_p, 0.0)
+ where(~mask, log_p, 0.0)

You use probabilities. The loss takes their logarithms.
@torch
-     return
+     answer = torch.exp(answer)
+     return
@tensorflow
-     return
+     answer = tf.exp(answer)
+     return

You add over the answers. Take their mean.
- (advantage * answer).mean()
+ (advantage * answer).sum()
- tf.reduce_mean(advantage * answer)
+ tf.reduce_sum(advantage * answer)

You divide by the standard deviation of the rewards. That was not asked for here.
@torch
- rewards - rewards.mean()
+ (rewards - rewards.mean()) / rewards.std(correction=0)
@tensorflow
- rewards - tf.reduce_mean(rewards)
+ (rewards - tf.reduce_mean(rewards)) / tf.math.reduce_std(rewards)

You divide by the standard deviation of the rewards, with answers − 1. That was not
asked for here.
@torch
- rewards - rewards.mean()
+ (rewards - rewards.mean()) / rewards.std()
@tensorflow
- advantage = rewards - tf.reduce_mean(rewards)
+ advantage = rewards - tf.reduce_mean(rewards)
+     spread = tf.reduce_sum(advantage**2) / (len(rewards) - 1)
+     advantage = advantage / tf.sqrt(spread)

Only the last token of each answer gets the advantage. All its tokens do.
@torch
- torch.where(mask, log_p, 0.0).sum(dim=1)
+ torch.where(mask.cumsum(1) == mask.sum(1)[:, None], log_p * mask, 0.0)
+     answer = answer.gather(1, answer.ne(0).float().argmax(1)[:, None])[:, 0]
@tensorflow
-     answer = tf.reduce_sum(answer, axis=1)
+     count = tf.cumsum(tf.cast(mask, tf.int32), axis=1)
+     last = count == tf.reduce_max(count, axis=1, keepdims=True)
+     answer = tf.reduce_sum(tf.where(last, answer, 0.0), axis=1)
""",
    reference=reference,
    cases=cases,
    learns=(0,),
)
