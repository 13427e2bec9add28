"""Small tokenizers, each built like the published ones of its family."""

import json
from pydoc_data.topics import topics

from scratch.tokenization import GPT2, BytePairEncoding

import sentencepiece
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

LEARNED = [
    "\n".join(topics.values())[:30_000],  # about Python
    "fünf Boxkämpfer naïve façade ½ 日本 🦊 Zażółć gęślą jaźń, 1234 56 7",
]
ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
END, START = "<|endoftext|>", "<|im_start|>"


def sentence_pieces(folder, side, text, vocab_size):
    """Learn a SentencePiece of a text; return it, stored as `side`.spm."""
    corpus = folder / "corpus.txt"
    corpus.write_text(text)
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(folder / side),
        vocab_size=vocab_size,
        minloglevel=2,
    )
    path = (folder / f"{side}.model").rename(folder / f"{side}.spm")
    return sentencepiece.SentencePieceProcessor(str(path))


def learned_bytes(model, first, normalizer=None, use_regex=False):
    """Return byte pairs, learned from bytes after `first` has cut the text."""
    tokenizer = Tokenizer(model)
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([first, level])
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(LEARNED, trainer)
    return tokenizer


def gpt2():
    """GPT-2's, with the vocabulary and merges that our own tokenizer learned."""
    ours = BytePairEncoding.train(LEARNED[0], 500)
    tokenizer = Tokenizer(models.BPE(ours.vocab, ours.merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([*GPT2.all])
    return tokenizer, {"eos_token": END, "bos_token": END, "pad_token": END}


def smollm():
    """SmolLM's: cuts as GPT-2's does, but separates all digits."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer = learned_bytes(models.BPE(), digits, use_regex=True)
    tokenizer.add_special_tokens([END, START])
    return tokenizer, {"eos_token": END, "bos_token": END, "pad_token": START}


def llama3():
    """Llama 3's: up to three digits, whole words first, a token before each text."""
    pattern = Regex(rf"{ENDINGS}|\p{{N}}{{1,3}}|{SIGNS}")
    tokenizer = learned_bytes(
        models.BPE(ignore_merges=True), pre_tokenizers.Split(pattern, "isolated")
    )
    first = "<|begin_of_text|>"
    tokenizer.add_special_tokens([first, "<|end_of_text|>", "<|eot_id|>"])
    template = processors.TemplateProcessing(
        f"{first} $A", f"{first} $A {first}:1 $B:1", [(first, 500)]
    )
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(), template])
    return tokenizer, {"bos_token": first, "eos_token": "<|eot_id|>"}


def qwen2():
    """Qwen2.5's: composed characters, and added tokens that are not special."""
    pattern = Regex(rf"{ENDINGS}|\p{{N}}|{SIGNS}")
    tokenizer = learned_bytes(
        models.BPE(), pre_tokenizers.Split(pattern, "isolated"), normalizers.NFC()
    )
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([END, START, "<|im_end|>"])
    tokenizer.add_tokens([AddedToken("<tool_call>", normalized=False)])
    roles = {"eos_token": "<|im_end|>", "pad_token": END}
    return tokenizer, roles | {"additional_special_tokens": [START, "<|im_end|>"]}


def llama2():
    """Llama 2's: pieces of SentencePiece, and bytes for all other characters."""
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=400, show_progress=False)
    learned.train_from_iterator(LEARNED, trainer)
    roles = ["<unk>", "<s>", "</s>"]
    pieces = sorted(learned.get_vocab(), key=learned.token_to_id)
    tokens = [*roles, *[f"<0x{byte:02X}>" for byte in range(256)], *pieces]
    merges = json.loads(learned.to_str())["model"]["merges"]
    tokenizer = Tokenizer(
        models.BPE(
            {token: place for place, token in enumerate(tokens)},
            [*map(tuple, merges)],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A", "<s> $A <s>:1 $B:1", [("<s>", 1)]
    )
    tokenizer.add_special_tokens(roles)
    names = dict(zip(("unk_token", "bos_token", "eos_token"), roles, strict=True))
    return tokenizer, names | {"add_bos_token": True, "add_eos_token": False}


def xlm_roberta():
    """XLM-R's: a unigram model, which chooses between several ways to cut a text."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(LEARNED, trainer)
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", "<s> $A </s> </s> $B </s>", [("<s>", 0), ("</s>", 2)]
    )
    names = "bos_token pad_token eos_token unk_token mask_token cls_token sep_token"
    tokens = "<s> <pad> </s> <unk> <mask> <s> </s>"
    return tokenizer, dict(zip(names.split(), tokens.split(), strict=True))


FAMILIES = {
    one.__name__: one for one in (gpt2, smollm, llama3, qwen2, llama2, xlm_roberta)
}
