"""Answers, preferences, rewards: mistakes 40 to 43."""

from broken.guard import Guard

import test_post_training as tests

POST_TRAINING = [
    *Guard(
        tests.test_an_answer_has_the_log_probabilities_of_its_own_tokens, scale=1.0
    ).catch(
        "answers: each token scored by the logits of its own place",
        "answers: the ids shifted, their mask not",
        "answers: the question and the padding scored, too",
    ),
    *Guard(tests.test_what_the_answer_cannot_read_changes_nothing).catch(
        "answers: what does not count multiplied by 0, so that NaN stays NaN"
    ),
    *Guard(tests.test_dpo_is_the_papers_equation, beta=0.1).catch(
        "DPO: the reference is the model in training",
        "DPO: no reference",
        "DPO: chosen and rejected exchanged",
    ),
    *Guard(
        tests.test_dpo_is_finite_at_any_margin,
        margin=-tests.FAR,
        loss=tests.FAR,
        slope=-1,
    ).catch("DPO: the logarithm of a sigmoid that has become 0"),
    *Guard(
        tests.test_a_group_of_advantages_has_mean_0_and_its_own_standard_deviation
    ).catch(
        "advantages: the mean over all groups",
        "advantages: the mean over the groups, sample by sample",
    ),
    *Guard(tests.test_equal_rewards_teach_nothing, normalize=True, samples=3).catch(
        "advantages: equal rewards divided by their spread of 0"
    ),
    *Guard(tests.test_the_policy_gradient_weighs_log_probabilities_by_advantages).catch(
        "policy gradient: the sign that makes good answers less likely"
    ),
]
