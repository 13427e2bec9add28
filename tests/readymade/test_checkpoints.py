"""Published weights compute in our models what they compute in `transformers`."""

import functools
import hashlib

import scratch.tensorflow  # starts TensorFlow quietly
from readymade.weights import load_checkpoint, minilm_path, save_checkpoint

import numpy as np
import pytest
import tensorflow as tf
import torch
import transformers
from helpers.library_models import config_of, random_model

pytestmark = pytest.mark.filterwarnings("ignore:the tokenizer is None")

# A few layers in float32 on numbers near 1: the order of additions differs, so that
# results differ by some roundings of 1e-7. A wrong weight or formula shows above 1e-2.
CLOSE = {"rtol": 0, "atol": 1e-5}

FRAMEWORKS = ["torch", "tensorflow"]
LENGTHS = [11, 7, 1]

# Tests share what is loaded, and what TensorFlow has traced of it.
loaded = functools.cache(load_checkpoint)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """reference(architecture): a random model of transformers and its folder."""
    saved = {}

    def get(architecture):
        if architecture not in saved:
            folder = tmp_path_factory.mktemp(architecture)
            model = random_model(architecture)
            model.save_pretrained(folder)
            saved[architecture] = model, folder
        return saved[architecture]

    return get


def batch(pad_id, lengths=LENGTHS, vocab_size=61, seed=0):
    """Random ids, padded after each row, and where they are real."""
    draw = np.random.default_rng(seed)
    allowed = [token for token in range(vocab_size) if token != pad_id]
    ids = np.full((len(lengths), max(lengths)), pad_id)
    for row, length in zip(ids, lengths, strict=True):
        row[:length] = draw.choice(allowed, length)
    return ids, np.arange(max(lengths)) < np.array(lengths)[:, None]


def pair(reference, architecture, framework):
    """Return their model, ours with its weights, and a batch: ids, and what is real."""
    theirs, folder = reference(architecture)
    ours, _ = loaded(folder, framework)
    return theirs, ours, *batch(theirs.config.pad_token_id)


def tensor(array, framework):
    return torch.tensor(array) if framework == "torch" else tf.constant(array)


def run(framework, function, *arrays, **named):
    """Call one of our models with arrays and return arrays."""
    arrays = [tensor(array, framework) for array in arrays]
    named = {name: tensor(array, framework) for name, array in named.items()}
    with torch.no_grad():
        return as_arrays(function(*arrays, **named))


def as_arrays(value):
    if isinstance(value, (list, tuple)):
        return [as_arrays(item) for item in value]
    return None if value is None else np.asarray(value)


def ask(model, ids, real, **named):
    """Call a model of transformers, attentions included."""
    named = {name: torch.tensor(value) for name, value in named.items()}
    with torch.no_grad():
        return model(
            input_ids=torch.tensor(ids),
            attention_mask=torch.tensor(real).long(),
            output_attentions=True,
            **named,
        )


def other_inputs(theirs, ids, real):
    """The other inputs of ours and theirs: masks, and segments if there are two.

    The mask hides one more token than the padding, as no model would by default.
    """
    seen = real & (np.arange(ids.shape[1]) != 2)
    segments = (np.arange(ids.shape[1]) > 4) * np.ones_like(ids)
    ours, others = {"attention_mask": seen[:, None, None]}, {"real": seen}
    if getattr(theirs.config, "type_vocab_size", 0) == 2:
        ours["segment_ids"] = others["token_type_ids"] = segments
    return ours, others


def assert_close(ours, theirs, real):
    """Compare at real positions; (batch, length, …)."""
    np.testing.assert_allclose(ours[real], np.asarray(theirs)[real], **CLOSE)


def assert_attentions_close(ours, theirs, real):
    """Compare rows of real queries, layer by layer; (batch, heads, queries, keys)."""
    for mine, other in zip(ours, theirs, strict=True):
        assert_close(mine.swapaxes(1, 2), other.transpose(1, 2), real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "architecture",
    ["BertModel", "DistilBertModel", "RobertaModel", "XLMRobertaModel"],
)
def test_encoders_equal_theirs(architecture, framework, reference):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    hidden, weights = run(framework, ours, ids)
    wanted = ask(theirs, ids, real)
    assert_close(hidden, wanted.last_hidden_state, real)
    assert_attentions_close(weights, wanted.attentions, real)


@pytest.mark.parametrize(
    ("architecture", "longest"),
    [
        ("BertModel", 20),
        ("DistilBertModel", 20),
        ("RobertaModel", 20 - 4),  # rows 0 to pad_id = 3 are for padding
        ("GPT2LMHeadModel", 20),
        ("XLMRobertaModel", 20 - 2),
        ("LlamaForCausalLM", 20),
        ("MistralForCausalLM", 20),
        ("Qwen2ForCausalLM", 20),
        ("Qwen3ForCausalLM", 20),
        ("MarianMTModel", 20),
    ],
)
def test_settings_that_hardly_affect_outputs_are_read(architecture, longest, reference):
    theirs, folder = reference(architecture)
    config = load_checkpoint(folder)[0].config
    norms = [m for m in theirs.modules() if "Norm" in type(m).__name__]
    epsilons = {getattr(m, "eps", getattr(m, "variance_epsilon", None)) for m in norms}
    assert epsilons == {config.layer_norm_eps}
    assert config.dropout == 0.3
    assert config.max_len == longest
    assert config.pad_id == theirs.config.pad_token_id


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_segments_equal_theirs(framework, reference):
    theirs, ours, ids, real = pair(reference, "BertModel", framework)
    segments = (np.arange(ids.shape[1]) > 4) * np.ones_like(ids)
    hidden, _ = run(framework, ours, ids, segment_ids=segments)
    wanted = ask(theirs, ids, real, token_type_ids=segments)
    assert_close(hidden, wanted.last_hidden_state, real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("architecture", ["BertModel", "RobertaModel"])
def test_the_pooler_is_placed(architecture, framework, reference):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    pooled = run(framework, lambda ids: ours.pool(ours(ids)[0]), ids)
    wanted = ask(theirs, ids, real).pooler_output
    np.testing.assert_allclose(pooled, wanted, **CLOSE)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("architecture", ["BertModel", "RobertaModel"])
def test_an_encoder_without_a_pooler_is_loaded(architecture, framework, tmp_path):
    """Some are published without it: transformers' add_pooling_layer=False."""
    theirs = random_model(architecture, add_pooling_layer=False)
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path, framework)
    assert ours.pooler is None
    ids, real = batch(theirs.config.pad_token_id)
    hidden, _ = run(framework, ours, ids)
    assert_close(hidden, ask(theirs, ids, real).last_hidden_state, real)


@pytest.mark.slow("a published head for words or tokens that computes otherwise")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("architecture", "classes"),
    [
        ("BertForMaskedLM", 61),
        ("DistilBertForMaskedLM", 61),
        ("RobertaForMaskedLM", 61),
        ("BertForTokenClassification", 5),
        ("DistilBertForTokenClassification", 5),
        ("RobertaForTokenClassification", 5),
        ("XLMRobertaForTokenClassification", 5),
    ],
)
def test_masked_words_and_classes_of_tokens_equal_theirs(
    architecture, classes, framework, reference
):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    for named, others in ({}, {"real": real}), other_inputs(theirs, ids, real):
        logits = run(framework, ours, ids, **named)
        assert logits.shape == (*ids.shape, classes)
        assert_close(logits, ask(theirs, ids, **others).logits, real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_pretraining_model_keeps_its_head_for_masked_words(framework, reference):
    theirs, ours, ids, real = pair(reference, "BertForPreTraining", framework)
    assert_close(
        run(framework, ours, ids), ask(theirs, ids, real).prediction_logits, real
    )


@pytest.mark.slow("a published head for classes that computes otherwise")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("architecture", "classes"),
    [
        ("BertForSequenceClassification", 5),
        ("DistilBertForSequenceClassification", 5),
        ("RobertaForSequenceClassification", 5),
        ("BertForNextSentencePrediction", 2),
    ],
)
def test_classes_equal_theirs(architecture, classes, framework, reference):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    for named, others in ({}, {"real": real}), other_inputs(theirs, ids, real):
        logits = run(framework, ours, ids, **named)
        assert logits.shape == (len(ids), classes)
        np.testing.assert_allclose(logits, ask(theirs, ids, **others).logits, **CLOSE)


@pytest.mark.slow("a published head for spans that computes otherwise")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "architecture",
    [
        "BertForQuestionAnswering",
        "DistilBertForQuestionAnswering",
        "RobertaForQuestionAnswering",
        "XLMRobertaForQuestionAnswering",
    ],
)
def test_spans_equal_theirs(architecture, framework, reference):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    for named, others in ({}, {"real": real}), other_inputs(theirs, ids, real):
        first, last = run(framework, ours, ids, **named)
        wanted = ask(theirs, ids, **others)
        # Ours has no span that begins or ends at a hidden token.
        seen = others.get("real", real)
        assert_close(first, wanted.start_logits, seen)
        assert_close(last, wanted.end_logits, seen)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("architecture", ["GPT2Model", "GPT2LMHeadModel"])
def test_gpt2_equals_theirs(architecture, framework, reference):
    theirs, ours, ids, real = pair(reference, architecture, framework)
    hidden, weights = run(framework, ours.decoder, ids)
    wanted = ask(theirs.base_model, ids, real)
    assert_close(hidden, wanted.last_hidden_state, real)
    assert_attentions_close([own for own, _ in weights], wanted.attentions, real)
    if architecture == "GPT2LMHeadModel":
        for named, others in ({}, {"real": real}), other_inputs(theirs, ids, real):
            logits = run(framework, ours, ids, **named)
            assert_close(logits, ask(theirs, ids, **others).logits, real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_gpt2_may_have_any_inner_size(framework, tmp_path):
    """By default, as in the reference above, it is four times the outer one."""
    config = config_of("GPT2LMHeadModel")
    config.n_inner = 40
    theirs = transformers.GPT2LMHeadModel(config).eval()
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path, framework)
    assert ours.config.d_ff == 40
    ids, real = batch(config.pad_token_id)
    assert_close(run(framework, ours, ids), ask(theirs, ids, real).logits, real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_gpt2_continues_as_theirs(framework, reference):
    theirs, folder = reference("GPT2LMHeadModel")
    ours, _ = loaded(folder, framework)
    ids, _ = batch(theirs.config.pad_token_id, lengths=[5, 5])
    eos_id = theirs.config.eos_token_id
    for row in ids:
        wanted = theirs.generate(
            torch.tensor(row[None]), do_sample=False, max_new_tokens=9
        )
        written = ours.generate(tensor(row[None], framework), eos_id, 9)
        assert np.asarray(written).tolist() == wanted.tolist()


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "architecture",
    [
        "LlamaForCausalLM",
        "MistralForCausalLM",
        "Qwen2ForCausalLM",
        "Qwen3ForCausalLM",
    ],
)
def test_llamas_equal_theirs(architecture, framework, reference):
    """Hidden states, attention and logits; biases, tied or own output, own d_k.

    Qwen3 has QK-norm, and here angles that are slowed down as in Llama 3.1.
    """
    theirs, ours, ids, real = pair(reference, architecture, framework)
    for named, others in ({}, {"real": real}), other_inputs(theirs, ids, real):
        hidden, weights = run(framework, ours.decoder, ids, **named)
        wanted = ask(theirs.base_model, ids, **others)
        assert_close(hidden, wanted.last_hidden_state, real)
        assert_attentions_close([own for own, _ in weights], wanted.attentions, real)
        logits = run(framework, ours, ids, **named)
        assert_close(logits, ask(theirs, ids, **others).logits, real)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "changed",
    [
        {"attention_bias": True, "mlp_bias": True},
        {"num_key_value_heads": 6, "head_dim": 4, "tie_word_embeddings": True},
    ],
    ids=["biases", "tied"],
)
def test_llamas_with_other_settings_equal_theirs(changed, framework, tmp_path):
    config = config_of("LlamaForCausalLM")
    for setting, value in changed.items():
        setattr(config, setting, value)
    theirs = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)
    theirs.save_pretrained(tmp_path, max_shard_size="9KB")
    assert (tmp_path / "model.safetensors.index.json").exists()
    ours, _ = load_checkpoint(tmp_path, framework)
    ids, real = batch(config.pad_token_id)
    assert_close(run(framework, ours, ids), ask(theirs, ids, real).logits, real)


@pytest.mark.slow("a family whose padded prompts are continued otherwise")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "architecture", ["GPT2LMHeadModel", "LlamaForCausalLM", "Qwen2ForCausalLM"]
)
@pytest.mark.parametrize("eos_id", ["its own", "one that comes late"])
def test_rows_padded_on_the_left_continue_as_theirs_does_each_alone(
    eos_id, architecture, framework, reference, request
):
    """Eight prompts, padded on the left; rotary positions also when traced."""
    if architecture != "LlamaForCausalLM":
        request.getfixturevalue("untraced")
    theirs, folder = reference(architecture)
    ours, _ = loaded(folder, framework)
    pad_id, lengths = theirs.config.pad_token_id, [5, 2, 8, 1] * 2
    ids, real = (part[:, ::-1].copy() for part in batch(pad_id, lengths=lengths))
    continued = [
        endless(theirs, tuple(row[-length:]))
        for row, length in zip(ids, lengths, strict=True)
    ]
    eos_id = (
        theirs.config.eos_token_id if eos_id == "its own" else late_token(continued)
    )
    written = ours.generate(
        tensor(ids, framework), eos_id, 9, attention_mask=real[:, None, None]
    )
    written = np.asarray(written).tolist()
    ends = set()
    for given, row, tokens in zip(ids, written, continued, strict=True):
        wanted = tokens[: tokens.index(eos_id) + 1] if eos_id in tokens else tokens
        assert row[:8] == given.tolist()
        assert row[8 : 8 + len(wanted)] == wanted
        assert set(row[8 + len(wanted) :]) <= {pad_id}
        ends.add(len(wanted))
    if eos_id != theirs.config.eos_token_id:
        assert len(ends) > 1, "all rows end at once"


@functools.cache
def endless(theirs, prompt):
    """Return the likeliest nine tokens after a prompt, past any end of the text."""
    return theirs.generate(
        torch.tensor([prompt]), do_sample=False, max_new_tokens=9, eos_token_id=None
    )[0, len(prompt) :].tolist()


def late_token(rows):
    """Return a token that is in a row, but not at its beginning."""
    return next(token for row in rows for token in row if token != row[0])


def ask_marian(model, source, target, real):
    """Call transformers' encoder-decoder, attentions included."""
    with torch.no_grad():
        return model(
            input_ids=torch.tensor(source),
            attention_mask=torch.tensor(real).long(),
            decoder_input_ids=torch.tensor(target),
            output_attentions=True,
        )


def marian_batch(config):
    """Source ids, target ids that begin like Marian's, and where each are real."""
    source, source_real = batch(config.pad_token_id)
    target, target_real = batch(config.pad_token_id, lengths=[4, 9, 6], seed=1)
    target[:, 0] = config.decoder_start_token_id
    return source, source_real, target, target_real


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("architecture", ["MarianModel", "MarianMTModel"])
def test_marian_equals_theirs(architecture, framework, reference):
    theirs, folder = reference(architecture)
    ours, _ = loaded(folder, framework)
    source, source_real, target, target_real = marian_batch(theirs.config)
    wanted = ask_marian(theirs, source, target, source_real)

    memory, weights = run(framework, ours.encoder, source)
    assert_close(memory, wanted.encoder_last_hidden_state, source_real)
    assert_attentions_close(weights, wanted.encoder_attentions, source_real)

    mask = source_real[:, None, None]
    hidden, weights = run(framework, ours.decoder, target, memory, memory_mask=mask)
    own, cross = zip(*weights, strict=True)
    assert_attentions_close(own, wanted.decoder_attentions, target_real)
    assert_attentions_close(cross, wanted.cross_attentions, target_real)
    if architecture == "MarianModel":
        assert_close(hidden, wanted.last_hidden_state, target_real)
    else:
        logits = run(framework, ours, source, target)
        assert_close(logits, wanted.logits, target_real)


def translate(theirs, ours, framework, source, real, eos_id, most=8):
    """Their tokens and ours, at most `most` in a row."""
    start_id, pad_id = theirs.config.decoder_start_token_id, theirs.config.pad_token_id
    wanted = theirs.generate(
        torch.tensor(source),
        attention_mask=torch.tensor(real).long(),
        do_sample=False,
        num_beams=1,
        max_new_tokens=most,
        eos_token_id=eos_id,
        bad_words_ids=[[pad_id]],  # as in every published Marian
    )
    written = ours.generate(tensor(source, framework), start_id, eos_id, most)
    return wanted[:, 1:].tolist(), np.asarray(written).tolist()


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_marian_writes_no_padding(framework, tmp_path):
    """Converted models score it 0, because its row is zero, and all else lower."""
    theirs = random_model("MarianMTModel")
    pad_id = theirs.config.pad_token_id
    with torch.no_grad():
        theirs.model.shared.weight[pad_id] = 0
        theirs.final_logits_bias -= 60
        theirs.final_logits_bias[0, pad_id] = 0
    theirs.save_pretrained(tmp_path)
    ours, _ = load_checkpoint(tmp_path, framework)
    source, real = batch(pad_id, lengths=[11, 7, 1])
    wanted, written = translate(theirs, ours, framework, source, real, 0, most=2)
    assert written == wanted
    assert all(row[0] != pad_id for row in written)


@pytest.mark.slow("a published translator that writes otherwise")
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_marian_translates_as_theirs(framework, reference):
    theirs, folder = reference("MarianMTModel")
    ours, _ = loaded(folder, framework)
    source, real = batch(theirs.config.pad_token_id, lengths=[11, 7, 1, 9, 4])
    wanted, written = translate(theirs, ours, framework, source, real, eos_id=0)
    assert written == wanted
    # A token that is late in one row, and not in another, ends that row alone.
    late = late_token(wanted)
    wanted, written = translate(theirs, ours, framework, source, real, eos_id=late)
    assert written == wanted
    ends = {row.index(late) if late in row else None for row in wanted}
    assert len(ends) > 1
    assert any(late in row[1:-1] for row in wanted)


def test_minilm_is_the_published_file():
    content = (minilm_path() / "model.safetensors").read_bytes()
    assert hashlib.sha256(content).hexdigest() == (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )


@pytest.fixture(scope="module")
def published():
    folder = minilm_path()
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


TEXTS = [
    "Time flies like an arrow; fruit flies like a banana.",
    "Señor Müller's 3½ naïve zebras (née donkeys) cost $1,234.56 – ¡caramba!",
    "No.",
]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_minilm_equals_theirs(framework, published):
    theirs, their_tokenizer = published
    ours, tokenizer = load_checkpoint(framework=framework)
    ids, mask, segments = tokenizer.encode_batch(TEXTS)
    asked = their_tokenizer(TEXTS, padding=True, return_tensors="np")
    np.testing.assert_array_equal(ids, asked["input_ids"])
    real = asked["attention_mask"].astype(bool)
    np.testing.assert_array_equal(mask[:, 0, 0], real)
    hidden, weights = run(framework, ours, ids, mask, segments)
    wanted = ask(theirs, ids, real)
    assert_close(hidden, wanted.last_hidden_state, real)
    assert_attentions_close(weights, wanted.attentions, real)
    pooled = run(framework, lambda ids: ours.pool(ours(ids)[0]), ids)
    np.testing.assert_allclose(pooled, wanted.pooler_output, **CLOSE)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_chat_model_that_pads_with_its_end_of_turn_reads_every_turn(
    framework, tmp_path
):
    config = config_of("LlamaForCausalLM")
    config.pad_token_id = config.eos_token_id = 2
    torch.manual_seed(0)
    theirs = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)
    theirs.save_pretrained(tmp_path)
    ids = np.array(
        [[1, 9, 33, 50, 2, 7, 1, 44, 60, 2, 7], [2, 2, 5, 9, 2, 8, 2, 2, 2, 2, 2]]
    )
    model, _ = load_checkpoint(tmp_path, framework)
    output = model(ids)
    wanted = theirs(torch.tensor(ids)).logits.detach()
    np.testing.assert_allclose(
        output.detach() if framework == "torch" else output, wanted, rtol=0, atol=5e-5
    )


PLACES = {
    "left": [[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1]],
    "middle": [[1, 1, 0, 0, 1, 1, 1], [1, 0, 1, 1, 0, 1, 1]],
    "both sides": [[0, 1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1, 0]],
    "mixed": [[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0, 0]],
}


@pytest.mark.slow("a published model that counts padding")
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("architecture", ["RobertaModel", "XLMRobertaModel"])
def test_robertas_count_positions_without_padding(
    architecture, framework, reference, tmp_path
):
    theirs, folder = reference(architecture)
    ours, _ = loaded(folder, framework)
    save_checkpoint(ours, None, tmp_path)
    again, _ = load_checkpoint(tmp_path, framework)
    pad_id = theirs.config.pad_token_id
    for places in PLACES.values():
        real = np.array(places, bool)
        drawn = np.random.default_rng(0).integers(4, 61, real.shape)
        ids = np.where(real, drawn, pad_id)
        wanted = ask(theirs, ids, real).last_hidden_state
        for model in (ours, again):
            hidden, _ = run(framework, model, ids)
            assert_close(hidden, wanted, real)
