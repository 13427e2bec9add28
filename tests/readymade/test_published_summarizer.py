"""The lines that summarize with a published model run on one of its kind."""

import re

from readymade.data import football_reports

from helpers.book import ROOT, markdown_cells, read
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedTokenizerFast,
)

CHAPTER = ROOT / "book" / "12_in_the_world.ipynb"
SPECIAL = {
    "bos_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
}


def test_the_lines_of_the_chapter_summarize_with_a_small_bart(tmp_path, capsys):
    report = football_reports(1)[0]
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator([report.text], 300, special_tokens=[*SPECIAL.values()])
    PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, model_max_length=64, **SPECIAL
    ).save_pretrained(tmp_path)
    config = BartConfig(
        vocab_size=pieces.get_vocab_size(),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
    )
    BartForConditionalGeneration(config).save_pretrained(tmp_path)
    (lines,) = (
        block
        for cell in markdown_cells(read(CHAPTER))
        for block in re.findall(r"```python\n(.*?)```", cell.source, re.S)
        if "AutoModelForSeq2SeqLM" in block
    )
    lines, named = re.subn(r'name = "[^"]*"', f'name = "{tmp_path}"', lines)
    assert named == 1
    capsys.readouterr()
    names = {"report": report}
    exec(lines, names)
    assert 1 < len(names["ids"][0]) <= 62
    written = names["tokenizer"].decode(names["ids"][0], skip_special_tokens=True)
    assert capsys.readouterr().out.rstrip("\n") == written.rstrip("\n")
