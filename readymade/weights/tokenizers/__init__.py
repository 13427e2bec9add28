"""The tokenizer in a published model's folder, to read and to write.

    reading.py            which it is: our own of `scratch`, or the library's
    vocabularies.py       our own, by its vocabulary
    marian.py             Marian's, with the library `sentencepiece`
    library.py            what the library `tokenizers` reads from `tokenizer.json`
    config.py             what `tokenizer_config.json` says
    writing.py            the files that hold a tokenizer

The libraries are imported by the calls that need them.
"""
