"""After pretraining: preferences, and rewards."""

from scratch.checks import (
    require_above_zero,
    require_known,
    require_marks,
    require_rewards,
    require_same_shape,
    require_targets,
)

import torch
import torch.nn.functional as F
from torch import Tensor


def answer_log_probs(
    logits: Tensor, ids: Tensor, answer_mask: Tensor
) -> Tensor:
    """Log-probability of each answer, summed over tokens.

    Args:
        logits: (batch, length, vocab_size); those at one
            position are for the token after it.
        ids: prompts and their answers, (batch, length).
        answer_mask: boolean, (batch, length), True at the
            answers' tokens.

    Returns:
        (batch,), in nats.
    """
    require_targets("ids", ids, logits)
    require_known("ids", ids, logits.shape[-1])
    require_marks("answer_mask", answer_mask, ids)
    log_p = torch.log_softmax(logits[:, :-1].float(), -1)
    ids = torch.as_tensor(ids).to(log_p.device, torch.int64)
    answer_mask = torch.as_tensor(answer_mask).to(ids.device)
    # (batch, length − 1)
    log_p = log_p.gather(-1, ids[:, 1:, None])[..., 0]
    return torch.where(answer_mask[:, 1:], log_p, 0.0).sum(1)


def dpo_loss(
    chosen: Tensor,
    rejected: Tensor,
    reference_chosen: Tensor,
    reference_rejected: Tensor,
    beta: float = 0.1,
) -> Tensor:
    """Direct preference optimization (DPO): the mean
    loss of pairs of answers, of which one was preferred.

    Args:
        chosen, rejected: log-probabilities of the answers
            by the model in training, (batch,).
        reference_chosen, reference_rejected: the same by
            the reference model, which is not trained.
        beta: what a log-ratio is worth as a reward.

    Source: Rafailov et al. 2023, section 4, equation 7.
    """
    require_same_shape(
        chosen, rejected, reference_chosen, reference_rejected
    )
    require_above_zero("beta", beta)
    # β · these changes are the implicit rewards
    gained = chosen - reference_chosen.detach()
    lost = rejected - reference_rejected.detach()
    margin = beta * (gained - lost)
    return -F.logsigmoid(margin).mean()


def group_advantages(
    rewards: Tensor, normalize: bool = True
) -> Tensor:
    """Advantages: how much better than the mean of its group
    an answer did, all of which answer one question.

    Args:
        rewards: float32 or float64, (groups, samples).
        normalize: whether to divide by the group's standard
            deviation, with samples − 1, as GRPO does.

    Returns:
        (groups, samples), 0 where a group's rewards are
        exactly equal.

    Source: Shao et al. 2024, section 4.1.2.
    """
    require_rewards(rewards)
    advantages = rewards - rewards.mean(1, keepdim=True)
    if normalize:
        # σ² = sum of squares / (samples − 1)
        spread = (advantages**2).sum(1, keepdim=True)
        spread = spread / (rewards.shape[1] - 1)
        advantages = advantages / spread**0.5
    equal = (rewards == rewards[:, :1]).all(1, keepdim=True)
    return torch.where(equal, 0.0, advantages)


def policy_gradient_loss(
    log_probs: Tensor, advantages: Tensor
) -> Tensor:
    """Policy gradient (REINFORCE): the loss that makes
    answers with a positive advantage more likely.

    Args:
        log_probs: of answers that the model wrote, (batch,).
        advantages: theirs, (batch,).

    Returns:
        −mean(advantage · log-probability).

    Source: Williams 1992.
    """
    require_same_shape(log_probs, advantages)
    advantages = advantages.detach()
    return -(advantages * log_probs).mean()
