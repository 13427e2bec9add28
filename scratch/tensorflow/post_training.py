"""After pretraining: preferences, and rewards."""

from scratch.checks import (
    require_above_zero,
    require_known,
    require_marks,
    require_rewards,
    require_same_shape,
    require_targets,
)

import tensorflow as tf


def tf_answer_log_probs(
    logits: tf.Tensor, ids: tf.Tensor, answer_mask: tf.Tensor
) -> tf.Tensor:
    """Log-probability of each answer, summed over tokens.

    Otherwise as `scratch.torch.answer_log_probs`.
    """
    require_targets("ids", ids, logits)
    require_known("ids", ids, logits.shape[-1])
    require_marks("answer_mask", answer_mask, ids)
    logits = tf.cast(logits[:, :-1], tf.float32)
    log_p = tf.nn.log_softmax(logits, -1)
    # (batch, length − 1)
    ids = tf.cast(ids[:, 1:], tf.int64)
    log_p = tf.gather(log_p, ids, batch_dims=2)
    log_p = tf.where(answer_mask[:, 1:], log_p, 0.0)
    return tf.reduce_sum(log_p, 1)


def tf_dpo_loss(
    chosen: tf.Tensor,
    rejected: tf.Tensor,
    reference_chosen: tf.Tensor,
    reference_rejected: tf.Tensor,
    beta: float = 0.1,
) -> tf.Tensor:
    """Direct preference optimization (DPO): the mean
    loss of pairs of answers, of which one was preferred.

    Otherwise as `scratch.torch.dpo_loss`.
    """
    require_same_shape(
        chosen, rejected, reference_chosen, reference_rejected
    )
    require_above_zero("beta", beta)
    # β · these changes are the implicit rewards
    gained = chosen - tf.stop_gradient(reference_chosen)
    lost = rejected - tf.stop_gradient(reference_rejected)
    margin = beta * (gained - lost)
    return -tf.reduce_mean(tf.math.log_sigmoid(margin))


def tf_group_advantages(
    rewards: tf.Tensor, normalize: bool = True
) -> tf.Tensor:
    """Advantages: how much better than the mean of its group
    an answer did, all of which answer one question.

    Otherwise as `scratch.torch.group_advantages`.
    """
    require_rewards(rewards)
    mean = tf.reduce_mean(rewards, 1, keepdims=True)
    advantages = rewards - mean
    if normalize:
        # σ² = sum of squares / (samples − 1)
        spread = tf.reduce_sum(advantages**2, 1)[:, None]
        spread = spread / (rewards.shape[1] - 1)
        advantages = advantages / spread**0.5
    equal = tf.reduce_all(rewards == rewards[:, :1], 1, True)
    return tf.where(equal, 0.0, advantages)


def tf_policy_gradient_loss(
    log_probs: tf.Tensor, advantages: tf.Tensor
) -> tf.Tensor:
    """Policy gradient (REINFORCE): the loss that makes
    answers with a positive advantage more likely.

    Otherwise as `scratch.torch.policy_gradient_loss`.
    """
    require_same_shape(log_probs, advantages)
    advantages = tf.stop_gradient(advantages)
    return -tf.reduce_mean(advantages * log_probs)
