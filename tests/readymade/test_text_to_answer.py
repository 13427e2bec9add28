"""From a text to a published model's answer."""

import json
import shutil

from readymade.weights import load_checkpoint, minilm_path

import numpy as np
import pytest
import torch
import transformers
from helpers.frameworks import TENSORFLOW, TORCH
from helpers.library_models import config_of
from helpers.tools import tool

CLOSE = {"rtol": 0, "atol": 1e-5}
FRAMEWORKS = {"torch": TORCH, "tensorflow": TENSORFLOW}
TEXTS = ["The quick brown fox", "jumps.", "over it"]


def saved_tokenizer(kind, folder, **settings):
    """Save the tokenizer of a kind of model; return theirs."""
    if kind == "bert":
        for name in ("vocab.txt", "tokenizer_config.json"):
            shutil.copy(minilm_path() / name, folder)
    else:
        trained, roles = tool("small_tokenizers").FAMILIES[kind]()
        trained.save(str(folder / "tokenizer.json"))
        config = {"tokenizer_class": "PreTrainedTokenizerFast"} | roles | settings
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return transformers.AutoTokenizer.from_pretrained(folder)


def saved_model(architecture, tokenizer, folder, **settings):
    """Save a random model with a tokenizer's vocabulary; return it."""
    config = config_of(architecture)
    config.update({"vocab_size": len(tokenizer), "max_position_embeddings": 60})
    config.update({"pad_token_id": tokenizer.pad_token_id, **settings})
    torch.manual_seed(3)
    model = getattr(transformers, architecture)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    model.save_pretrained(folder)
    return model


@pytest.mark.slow("a published batch that a model does not take")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        ("BertForSequenceClassification", "bert"),
        ("DistilBertForSequenceClassification", "bert"),
        ("XLMRobertaForSequenceClassification", "xlm_roberta"),
        ("GPT2LMHeadModel", "gpt2"),
        ("Qwen2ForCausalLM", "qwen2"),
    ],
)
def test_a_batch_is_what_the_model_takes(architecture, kind, framework, tmp_path):
    theirs = saved_tokenizer(kind, tmp_path)
    wanted = saved_model(architecture, theirs, tmp_path)
    model, tokenizer = load_checkpoint(tmp_path, framework)
    batch = tokenizer.encode_batch(TEXTS)
    logits = FRAMEWORKS[framework].run(model, *batch)
    asked = theirs(TEXTS, padding=True, padding_side="right", return_tensors="pt")
    with torch.no_grad():
        wanted = wanted(**asked).logits.numpy()
    if logits.ndim == 3:  # of each token
        real = batch.attention_mask[:, 0, 0]
        logits, wanted = logits[real], wanted[real]
    np.testing.assert_allclose(logits, wanted, **CLOSE)


CHAT = (
    "{% for one in messages %}<|im_start|>{{ one.role }}\n{{ one.content }}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.mark.slow("six lines of the page that do not answer")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_chat_model_answers_in_six_lines(framework, tmp_path):
    theirs = saved_tokenizer("qwen2", tmp_path, chat_template=CHAT)
    # Three ends that come late in what it would write: a turn, a text, and another.
    llama = saved_model("LlamaForCausalLM", theirs, tmp_path)
    said = [{"role": "user", "content": "Who is the fox?"}]
    prompt = theirs.apply_chat_template(
        said, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    options = {"do_sample": False, "max_new_tokens": 12}
    endless = llama.generate(**prompt, **options, eos_token_id=None)[0].tolist()
    length = prompt["input_ids"].shape[1]
    third = next(one for one in endless[length + 2 :] if one != endless[length])
    llama.generation_config.eos_token_id = [theirs.eos_token_id, third]
    llama.save_pretrained(tmp_path)
    wanted = llama.generate(**prompt, **options)[0].tolist()
    assert length + 2 < len(wanted) < len(endless)

    model, tokenizer = load_checkpoint(tmp_path, framework)
    messages = [{"role": "user", "content": "Who is the fox?"}]
    prompt = np.array([tokenizer.chat(messages)])
    written = model.generate(prompt, tokenizer.eos_ids, max_new_tokens=12)
    answer = np.asarray(written)[0, prompt.shape[1] :].tolist()
    text = tokenizer.decode(answer)

    assert answer == wanted[length:]
    assert text == theirs.decode(answer, skip_special_tokens=True)
