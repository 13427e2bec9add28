"""Find the bug: rewards of one question are compared with another's."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([1.0, 0.0, 0.5, 0.25]), 2
    for groups, samples in ((1, 3), (2, 3), (3, 2), (4, 5), (3, 4)):
        level = draw.uniform(0, 2, size=(groups, 1)).round(2)  # easy and hard questions
        # no two rewards of a group are equal, so its deviation is never 0
        drawn = [draw.choice(100, samples, replace=False) for _ in range(groups)]
        yield (level + np.array(drawn) / 100).ravel(), samples


def reference(rewards, samples):
    found = []
    for start in range(0, len(rewards), samples):
        group = rewards[start : start + samples].astype(np.float64)
        found += ((group - group.mean()) / group.std(ddof=1)).tolist()
    return np.array(found)


EXERCISE = Exercise(
    title="Compared with whom?",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
`rewards` holds the rewards of all answers in a row: first those of question 0, then
those of question 1, and so on, `samples` of each. The function should return the
normalized advantages in the same order: the reward minus the mean of all answers to
*its* question, divided by their standard deviation with samples − 1. (No two rewards of
a question are equal, so that isn't 0.)

It runs, the shapes are right, the advantages sum to 0, and the model hardly learns.
Answers to easy questions seem good to it, and answers to hard ones bad. Fix it.
""",
    bug="An answer is still compared",
    solution={
        "torch": '''
def advantages(rewards, samples):
    """Return (answers,). rewards (answers,)."""
    groups = rewards.reshape(-1, samples)
    mean = groups.mean(dim=1, keepdim=True)
    spread = groups.std(dim=1, keepdim=True)
    return ((groups - mean) / spread).flatten()
''',
        "tensorflow": '''
def advantages(rewards, samples):
    """Return (answers,). rewards (answers,)."""
    groups = tf.reshape(rewards, (-1, samples))
    mean = tf.reduce_mean(groups, axis=1, keepdims=True)
    square = (groups - mean) ** 2
    square = tf.reduce_sum(square, axis=1, keepdims=True)
    spread = tf.sqrt(square / (samples - 1))
    return tf.reshape((groups - mean) / spread, (-1,))
''',
    },
    why="""
A reshape fills the last axis first, so rows of `samples` are the groups. If the rewards
are reshaped to `samples` rows, or averaged over axis 0, answers to different questions
end up in one mean. What is compared then is mostly how hard the questions are, which no
answer can change. No shape shows it, because both axes disappear again.
""",
    hints=(
        "Number the answers of 2 questions with 3 samples from 0 to 5. Which numbers "
        "are in a row of `groups`, and which should be?",
        "A row should hold the answers to one question, so it has `samples` entries. "
        "Over which axis are mean and deviation taken?",
    ),
    mistakes="""
An answer is still compared with answers to other questions: the mean and the deviation
are taken over axis 0.
@torch
- mean(dim=1
+ mean(dim=0
- std(dim=1
+ std(dim=0
@tensorflow
- reduce_mean(groups, axis=1
+ reduce_mean(groups, axis=0
- reduce_sum(square, axis=1
+ reduce_sum(square, axis=0
- (samples - 1)
+ (groups.shape[0] - 1)

The axis is right now, but in TensorFlow the sum of squares is still divided by the
number of groups − 1, not by samples − 1.
@tensorflow
- (samples - 1)
+ (groups.shape[0] - 1)

The rows of your table hold answers to different questions: a reshape fills the last
axis first.
@torch
- rewards.reshape(-1, samples)
+ rewards.reshape(samples, -1).T
- ((groups - mean) / spread).flatten()
+ ((groups - mean) / spread).T.flatten()
@tensorflow
- tf.reshape(rewards, (-1, samples))
+ tf.transpose(tf.reshape(rewards, (samples, -1)))
- tf.reshape((groups - mean) / spread, (-1,))
+ tf.reshape(tf.transpose((groups - mean) / spread), (-1,))

All answers are compared with one mean. Each question has its own.
@torch
- groups.mean(dim=1, keepdim=True)
+ groups.mean()
- groups.std(dim=1, keepdim=True)
+ groups.std()
@tensorflow
-     mean = tf.reduce_mean(groups, axis=1, keepdims=True)
+     mean = tf.reduce_mean(groups)
- tf.reduce_sum(square, axis=1, keepdims=True)
+ tf.reduce_sum(square)
- (samples - 1)
+ (rewards.shape[0] - 1)

The means are right now. The deviation is still taken over other questions' answers.
@torch
- std(dim=1
+ std(dim=0
@tensorflow
-     square = (groups - mean) ** 2
+     square = (groups - tf.reduce_mean(groups, 0)) ** 2
- reduce_sum(square, axis=1
+ reduce_sum(square, axis=0
- (samples - 1)
+ (groups.shape[0] - 1)

The deviation is right now. The mean is still that of other questions' answers.
@torch
- mean(dim=1
+ mean(dim=0
@tensorflow
- spread = tf.sqrt(square / (samples - 1))
+ spread = tf.sqrt(square / (samples - 1))
+     mean = tf.reduce_mean(groups, axis=0, keepdims=True)

The groups are right. You divide by the variance: take its root.
@torch
- / spread)
+ / spread**2)
@tensorflow
- tf.sqrt(square / (samples - 1))
+ square / (samples - 1)

The groups are right. You don't divide by their deviation.
- (groups - mean) / spread
+ (groups - mean)

The groups are right. Your deviation is the population's: divide by samples − 1.
@torch
- std(dim=1, keepdim=True)
+ std(dim=1, keepdim=True, correction=0)
@tensorflow
- (samples - 1)
+ samples
""",
    reference=reference,
    cases=cases,
)
