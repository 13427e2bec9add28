"""A model behind the interface that OpenAI's clients speak, on this machine only.

    python -m readymade.server [FOLDER] --port 8001

    served.py       the model that is served, and the HTTP server around it
    handler.py      what each path answers, whole or as a stream of events
    asked.py        what the body of a request asks for
    answer.py       an answer's text, as its tokens come
    worker.py       the one thread that runs the model

It has the paths /v1/models, /v1/chat/completions and /v1/completions. A field that it
does not heed, and that would change the text, is refused in words. Beside the model, it
needs Python's standard library only, and loads a framework when it starts.
"""

from readymade.server.served import serve

__all__ = ["serve"]
