"""Test which of 24 published models work: the table on the API's page.

    python -m tools.experiments.published_models            all: about five minutes
    python -m tools.experiments.published_models NAME …     only these, printed

Nothing is downloaded. `published_models.json` has the settings in each model's
config.json and the kind of its tokenizer. Only sizes are reduced: the model is one of
`transformers` with random weights, in the published precision, and the tokenizer is a
small one of the same kind. Both are saved to a folder, which `load_checkpoint` reads
in each framework. Writes readymade/data/published_models.csv.
"""

import csv
import json
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import scratch.tensorflow  # starts TensorFlow quietly
from readymade.weights import load_checkpoint, minilm_path
from readymade.weights.tokenizers.writing import tokenizer_files
from scratch.tokenization import ROBERTA, BytePairEncoding, Tokenizer
from tools.experiments.small_tokenizers import FAMILIES, LEARNED, sentence_pieces
from tools.experiments.tables import DATA

import numpy as np
import torch
import transformers

CSV = DATA / "published_models.csv"
PUBLISHED = json.loads(Path(__file__).with_suffix(".json").read_text())
COLUMNS = ("name", "loads", "tokenizer", "outputs", "greedy", "note")
TEXTS = [
    "The quick brown fox",
    "jumps over 12345 lazy dogs, doesn't it?",
    " naïve façade ½ 日本 🦊",
]
NEW = 12  # tokens to write
# Numbers in a model of two layers are of the order of 1 and rounded to 1e-7.
CLOSE = 1e-4
WIDTHS = ("hidden_size", "dim", "n_embd", "d_model")
HEADS = ("num_attention_heads", "n_heads", "n_head", "encoder_attention_heads")
INNER = ("intermediate_size", "hidden_dim", "encoder_ffn_dim", "decoder_ffn_dim")
LAYERS = (
    *("num_hidden_layers", "n_layers", "n_layer"),
    *("encoder_layers", "decoder_layers"),
)


def save_tokenizer(kind, folder, same_pad):
    """Save a small tokenizer of a published kind; return that of `transformers`."""
    if kind == "marian":
        return save_marian(folder)
    if kind.startswith("bert"):
        config = {"tokenizer_class": "BertTokenizer"}
        config["do_lower_case"] = kind == "bert"
        shutil.copy(minilm_path() / "vocab.txt", folder)
    elif kind == "roberta":
        model = BytePairEncoding.train(LEARNED[0], 500)
        first, last = ["<s>", "<pad>", "</s>", "<unk>"], ["<mask>"]
        tokens = [*first, *model.vocab, *last]
        vocab = {token: place for place, token in enumerate(tokens)}
        ours = Tokenizer(BytePairEncoding(vocab, model.merges), ROBERTA)
        files = tokenizer_files(ours, "RobertaTokenizer", len(vocab), 512)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return transformers.AutoTokenizer.from_pretrained(folder)
    else:
        tokenizer, roles = FAMILIES[kind]()
        tokenizer.save(str(folder / "tokenizer.json"))
        config = {"tokenizer_class": "PreTrainedTokenizerFast", **roles}
        if same_pad:
            config["pad_token"] = config["eos_token"]
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return transformers.AutoTokenizer.from_pretrained(folder)


def save_marian(folder):
    """Save a SentencePiece for each side and one vocabulary for both."""
    pieces, _ = (
        sentence_pieces(folder, side, "\n".join(LEARNED), vocab_size=200)
        for side in ("source", "target")
    )
    kept = [pieces.id_to_piece(i) for i in range(3, pieces.get_piece_size())]
    tokens = ["</s>", "<unk>", *kept, "<pad>"]
    vocab = {token: place for place, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocab))
    return transformers.MarianTokenizer.from_pretrained(folder)


def shrunk(settings, tokenizer):
    """Return the published settings with small sizes and the tokenizer's ids."""
    config = {**settings, "vocab_size": len(tokenizer)}
    heads = next(settings[name] for name in HEADS if name in settings)
    width = next(settings[name] for name in WIDTHS if name in settings)
    small, kv_heads = 3, settings.get("num_key_value_heads")
    if kv_heads is not None:
        config["num_key_value_heads"] = 2
        small = 2 * heads // kv_heads
    for name in settings:
        if name in WIDTHS:
            config[name] = 8 * small
        elif name in HEADS or name == "decoder_attention_heads":
            config[name] = small
        elif name in INNER:
            config[name] = 40
        elif name in LAYERS:
            config[name] = 2
    if "head_dim" in settings:
        config["head_dim"] = 8 * settings["head_dim"] * heads // width
    for role in ("bos", "eos", "pad", "decoder_start", "forced_eos"):
        name = f"{role}_token_id"
        if settings.get(name) is not None:
            role = {"decoder_start": "pad", "forced_eos": "eos"}.get(role, role)
            config[name] = getattr(tokenizer, f"{role}_token_id")
        if isinstance(settings.get(name), list):  # as many ends as it has
            more = range(len(tokenizer) - len(settings[name]) + 1, len(tokenizer))
            config[name] = [config[name], *more]
    if config.get("bos_token_id", 0) is None:
        config["bos_token_id"] = config["eos_token_id"]
    return config


def save_model(entry, tokenizer, folder):
    """Save a random model with published settings; return it in float32."""
    kind = getattr(transformers, entry["architecture"])
    config = kind.config_class(**shrunk(entry["settings"], tokenizer))
    torch.manual_seed(0)
    model = kind(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:  # sinusoids, not weights
                parameter.normal_(std=0.3)
    model.to(getattr(torch, entry.get("dtype", "float32"))).save_pretrained(folder)
    return kind.from_pretrained(folder, dtype=torch.float32).eval()


def ids_of(tokenizer, texts):
    """Return the ids of texts, each as a batch of one, as an array."""
    return [np.array([tokenizer(text)["input_ids"]]) for text in texts]


def call(framework, function, *arrays, **named):
    """Call one of our models with arrays; return its outputs as a list of arrays."""
    if framework == "torch":
        arrays = map(torch.tensor, arrays)
    with torch.no_grad():
        outputs = function(*arrays, **named)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return [np.asarray(one) for one in outputs if hasattr(one, "shape")]


def same_outputs(model, theirs, framework, ids):
    """Whether hidden states or logits are equal for each of the texts."""
    translates = theirs.config.is_encoder_decoder
    for one in ids:
        named = {"decoder_input_ids": torch.tensor(one)} if translates else {}
        with torch.no_grad():
            wanted = theirs(torch.tensor(one), **named)
        parts = ("logits", "start_logits", "end_logits", "last_hidden_state")
        wanted = [wanted[part].numpy() for part in parts if part in wanted]
        outputs = call(framework, model, *([one, one] if translates else [one]))
        if len(outputs) > 1 and len(wanted) == 1:
            outputs = outputs[:1]  # without the encoder's weights
        for ours, other in zip(outputs, wanted, strict=True):
            if ours.shape != other.shape or np.abs(ours - other).max() > CLOSE:
                return False
    return True


def same_tokens(model, theirs, framework, ids, tokenizer):
    """Whether greedy search writes the same tokens; None if a model doesn't write."""
    if not hasattr(model, "generate"):
        return None
    translates = theirs.config.is_encoder_decoder
    options = {"do_sample": False, "num_beams": 1, "max_new_tokens": NEW}
    if translates:
        pad_id = theirs.config.pad_token_id
        options |= {"bad_words_ids": [[pad_id]], "forced_eos_token_id": None}
    for one in ids:
        mask = torch.ones(one.shape, dtype=torch.long)
        wanted = theirs.generate(torch.tensor(one), attention_mask=mask, **options)
        wanted = wanted[0, 1 if translates else 0 :].tolist()
        given = torch.tensor(one) if framework == "torch" else one
        first = [pad_id] if translates else []
        tokens = model.generate(given, *first, tokenizer.eos_ids, NEW)
        if np.asarray(tokens)[0].tolist() != wanted:
            return False
    return True


def measured(entry):
    """Return the row of one model."""
    row = dict.fromkeys(COLUMNS, "–") | {"name": entry["name"], "note": ""}
    settings = entry["settings"]
    pad, eos = (settings.get(f"{role}_token_id") for role in ("pad", "eos"))
    results = []
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        same_pad = pad is not None and pad == eos
        their_tokenizer = save_tokenizer(entry["tokenizer"], folder, same_pad)
        theirs = save_model(entry, their_tokenizer, folder)
        ids = ids_of(their_tokenizer, TEXTS)
        for framework in ("torch", "tensorflow"):
            try:
                model, tokenizer = load_checkpoint(folder, framework)
            except ValueError as error:
                note = str(error).replace(f"{folder}/", "").replace("\n", " ")
                return row | {"loads": "no", "note": note}
            works = {"loads": True, "tokenizer": tokenizer is not None}
            if tokenizer is not None:
                pairs = zip(TEXTS, ids, strict=True)
                works["tokenizer"] = all(
                    tokenizer.encode(text) == one[0].tolist() for text, one in pairs
                )
            works["outputs"] = same_outputs(model, theirs, framework, ids)
            works["greedy"] = same_tokens(model, theirs, framework, ids, tokenizer)
            results.append(works)
    for column in results[0]:
        values = [works[column] for works in results]
        if None not in values:
            row[column] = "yes" if all(values) else "no"
    return row


def whole(row):
    """Whether everything works that the model can do."""
    return "no" not in row.values()


def main(names):
    chosen = [entry for entry in PUBLISHED if not names or entry["name"] in names]
    rows = []
    for entry in chosen:
        rows.append(measured(entry))
        print(*rows[-1].values(), sep=" | ", flush=True)
    print(f"{sum(map(whole, rows))} of {len(rows)} are whole")
    if not names:
        with CSV.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
