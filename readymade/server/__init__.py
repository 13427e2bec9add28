"""A model behind the interface that OpenAI's clients speak, on this machine only.

    python -m readymade.server [FOLDER] --port 8001

    served.py       the model that is served
    listening.py    the server, and its connections to clients
    paths.py        what each path answers, whole or as a stream of events
    asked.py        what the body of a request asks for
    answer.py       an answer's text, as its tokens come
    worker.py       the one thread that runs the model

It has the paths /v1/models, /v1/chat/completions and /v1/completions. A field that it
does not heed, and that would change the text, is refused in words. It needs the extra
`server` of this package: Starlette, a web framework, and uvicorn, which runs it. Both
are loaded, like the model's framework, when `serve` is called.
"""

from readymade.server.served import serve

__all__ = ["serve"]
