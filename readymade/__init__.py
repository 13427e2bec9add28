"""What the chapters take ready-made: published models, pictures, texts, broken models.

    views/      pictures: attention maps, heat maps, architectures, interactive figures
    weights/    published models and their tokenizers, read into `scratch` and written
    data/       the texts that chapters read and train on
    museum/     models with one mistake each
    packed/     a model at full speed on a processor, in PyTorch
    server/     a model that clients ask over HTTP

    mistake_language.py     in which the museum and the exercises write mistakes

All of it builds on `scratch`, which knows nothing of it.
"""
