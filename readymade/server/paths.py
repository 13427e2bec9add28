"""What each path answers, whole or as a stream of events."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from http import HTTPStatus

from readymade.server.answer import Answer
from readymade.server.asked import Asked, asked
from readymade.server.served import Model
from readymade.server.worker import Job, Worker

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODELS, CHAT, COMPLETIONS = "/v1/models", "/v1/chat/completions", "/v1/completions"
LONGEST_BODY = 2**18  # bytes
LONGEST_MESSAGE = 500  # characters
KINDS = {429: "rate_limit_error"}


def application(model: Model, worker: Worker) -> Starlette:
    """Return what answers the requests of all clients."""
    routes = [
        Route(MODELS, models),
        Route(CHAT, texts, methods=["POST"]),
        Route(COMPLETIONS, texts, methods=["POST"]),
    ]
    handlers = {HTTPException: refused, Exception: failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    app.state.model, app.state.worker = model, worker
    return app


async def models(request: Request) -> Response:
    """The list of models, which has one."""
    about = {"id": request.app.state.model.name, "object": "model", "created": 0}
    about["owned_by"] = "readymade"
    return JSONResponse({"object": "list", "data": [about]})


async def texts(request: Request) -> Response:
    """A text that goes on after a prompt or a chat."""
    model, chat = request.app.state.model, request.scope["path"] == CHAT
    # a long prompt takes its time, in which others are answered
    wanted = await run_in_threadpool(asked, await body_of(request), model, chat)
    job = request.app.state.worker.submit(wanted.request)
    leave_with(request, job)

    def decode(ids):
        try:
            return model.tokenizer.decode(ids)
        except ValueError as error:  # an id that only the model has
            raise HTTPException(500, str(error)) from error

    answer = Answer(decode, model.ends, wanted.stops)
    about = {"id": uuid.uuid4().hex, "created": int(time.time()), "model": model.name}
    pieces = pieces_of(answer, job)
    if wanted.stream:
        first = await anext(pieces)  # a refusal is sent instead of a stream
        about["object"] = "chat.completion.chunk" if chat else "text_completion"
        events = stream(first, pieces, answer, wanted, about)
        return StreamingResponse(events, media_type="text/event-stream")
    text = "".join([piece async for piece in pieces])
    said, about["object"] = {"text": text}, "text_completion"
    if chat:
        said = {"message": {"role": "assistant", "content": text}}
        about["object"] = "chat.completion"
    return JSONResponse(
        {**about, **choice(said, answer.reason), **usage(answer, wanted)}
    )


async def body_of(request: Request) -> bytes:
    """Return the body of a request, or raise HTTPException for one that is too long."""
    coding = request.headers.get("Content-Encoding", "identity")
    if coding != "identity":
        raise HTTPException(415, f"Content-Encoding is {coding!r}: wanted none")
    body, length = bytearray(), int(request.headers.get("Content-Length", 0))
    if length <= LONGEST_BODY:
        try:
            async for part in request.stream():
                body += part
                if (length := len(body)) > LONGEST_BODY:
                    break
        except ClientDisconnect:
            raise HTTPException(400, "the body has ended early") from None
    if length > LONGEST_BODY:
        given = f"the body has {length} bytes or more"
        raise HTTPException(413, f"{given}: wanted at most {LONGEST_BODY}")
    return bytes(body)


def leave_with(request: Request, job: Job) -> None:
    """Give a job up when its client leaves, or has been answered."""

    def left(_):
        job.left = True
        job.said.put_nowait(None)

    # the body has been read, so what comes next is the end
    job.end = asyncio.create_task(request.receive())
    job.end.add_done_callback(left)


async def pieces_of(answer: Answer, job: Job) -> AsyncIterator[str]:
    """Yield the pieces of an answer, as a job's tokens come."""
    while answer.reason is None:
        yield answer.add(await job.next())


async def stream(
    first: str, pieces: AsyncIterator[str], answer: Answer, wanted: Asked, about: dict
) -> AsyncIterator[str]:
    """Yield the pieces of a text as server-sent events."""
    chat = about["object"] != "text_completion"

    def event(value):
        return f"data: {json.dumps(value)}\n\n"

    def say(text, reason=None, **more):
        said = {"delta": {"content": text, **more}} if chat else {"text": text}
        return event({**about, **choice(said, reason)})

    try:
        yield say(first, **({"role": "assistant"} if chat else {}))
        async for piece in pieces:
            if piece:
                yield say(piece)
        yield say("", answer.reason)
        if wanted.usage:
            yield event({**about, "choices": [], **usage(answer, wanted)})
        yield "data: [DONE]\n\n"
    except HTTPException as error:
        yield event(error_body(error.status_code, error.detail))


def choice(said: dict, reason: str | None) -> dict:
    """Return the only choice, as n is 1, in OpenAI's form."""
    one = {"index": 0, **said, "logprobs": None, "finish_reason": reason}
    return {"choices": [one]}


def usage(answer: Answer, wanted: Asked) -> dict:
    """Return how many tokens a request took, in OpenAI's form."""
    read, written = len(wanted.request.ids), answer.count
    counts = {"prompt_tokens": read, "completion_tokens": written}
    return {"usage": {**counts, "total_tokens": read + written}}


async def refused(request: Request, error: HTTPException) -> Response:
    """Return what a client gets instead of an answer."""
    status, words = error.status_code, error.detail
    if words == HTTPStatus(status).phrase:  # the framework's, for a path or a method
        given = f"{request.method} {request.scope['path']}"
        words = f"the request is {given}: wanted GET {MODELS}, or POST {CHAT} or "
        words += COMPLETIONS
    return JSONResponse(error_body(status, words), status, error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """Return what a client gets if this code fails; uvicorn prints the traceback."""
    return JSONResponse(error_body(500, f"the server failed: {error!r}"), 500)


def error_body(status: int, message: str) -> dict:
    """Return an error in OpenAI's form; a client's long words aren't said whole."""
    if len(message) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2
        message = f"{message[:half]} … {message[-half:]}"
    kind = "invalid_request_error" if status < 500 else "server_error"
    kind = KINDS.get(status, kind)
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}
