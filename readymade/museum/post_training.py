"""Answers, preferences, rewards: mistakes 40 to 43, in the losses of chapter 15.

Another common one, a prompt without the tokens of the chat template, is outside this
code.
"""

from readymade.museum.exhibits import exhibits

POST_TRAINING = [
    *exhibits(
        "post_training",
        """
40: answers: each token scored by the logits of its own place
- logits[:, :-1]
+ logits[:, 1:]

40: answers: the ids shifted, their mask not
- answer_mask[:, 1:]
+ answer_mask[:, :-1]

40: answers: the question and the padding scored, too
- torch.where(answer_mask[:, 1:], log_p, 0.0).sum(1)
+ log_p.sum(1)
- log_p = tf.where(answer_mask[:, 1:], log_p, 0.0)
+ pass

40: answers: what does not count multiplied by 0, so that NaN stays NaN
- torch.where(answer_mask[:, 1:], log_p, 0.0).sum(1)
+ (log_p * answer_mask[:, 1:]).sum(1)
- log_p = tf.where(answer_mask[:, 1:], log_p, 0.0)
+ log_p = log_p * tf.cast(answer_mask[:, 1:], tf.float32)

41: DPO: the reference is the model in training
- chosen - reference_chosen.detach()
+ chosen - chosen
- rejected - reference_rejected.detach()
+ rejected - rejected
- chosen - tf.stop_gradient(reference_chosen)
+ chosen - chosen
- rejected - tf.stop_gradient(reference_rejected)
+ rejected - rejected

41: DPO: no reference
- chosen - reference_chosen.detach()
+ chosen
- rejected - reference_rejected.detach()
+ rejected
- chosen - tf.stop_gradient(reference_chosen)
+ chosen
- rejected - tf.stop_gradient(reference_rejected)
+ rejected

41: DPO: chosen and rejected exchanged
- gained - lost
+ lost - gained

41: DPO: the logarithm of a sigmoid that has become 0
- F.logsigmoid(margin)
+ margin.sigmoid().log()
- tf.math.log_sigmoid(margin)
+ tf.math.log(tf.sigmoid(margin))

42: advantages: the mean over all groups
- rewards.mean(1, keepdim=True)
+ rewards.mean()
- tf.reduce_mean(rewards, 1, keepdims=True)
+ tf.reduce_mean(rewards)

42: advantages: the mean over the groups, sample by sample
- rewards.mean(1, keepdim=True)
+ rewards.mean(0, keepdim=True)
- tf.reduce_mean(rewards, 1, keepdims=True)
+ tf.reduce_mean(rewards, 0, keepdims=True)

42: advantages: equal rewards divided by their spread of 0
- torch.where(equal, 0.0, advantages)
+ advantages
- tf.where(equal, 0.0, advantages)
+ advantages

43: policy gradient: the sign that makes good answers less likely
- -(advantages * log_probs).mean()
+ (advantages * log_probs).mean()
- -tf.reduce_mean(advantages * log_probs)
+ tf.reduce_mean(advantages * log_probs)
""",
    ),
]
