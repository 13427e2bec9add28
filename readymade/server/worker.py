"""The one thread that runs the model; the thread of the server hands it requests."""

import asyncio
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any

from scratch.serving import Request

from starlette.exceptions import HTTPException


class Job:
    """A request, and a queue of what the worker says about it.

    That is each token, then None; or an HTTPException instead. Whoever stops listening
    sets `left`.
    """

    def __init__(self, request: Request):
        self.request, self.said = request, asyncio.Queue()
        self.loop = asyncio.get_running_loop()
        self.task, self.told, self.left = None, 0, False

    def say(self, one: int | HTTPException | None) -> None:
        """Put something into the queue, from the worker's thread."""
        self.loop.call_soon_threadsafe(self.said.put_nowait, one)

    async def next(self) -> int | None:
        """Return the next token, or None after the last; or raise what went wrong."""
        one = await self.said.get()
        if isinstance(one, HTTPException):
            raise one
        return one


class Worker(Thread):
    """Submit to an engine, and step it, until it is stopped.

    Args:
        engine: an Engine or a TFEngine, which nobody else uses.
        queue: the most requests that may wait for a slot.
    """

    def __init__(self, engine: Any, queue: int):
        super().__init__(daemon=True)
        self.engine, self.inbox, self.jobs = engine, SimpleQueue(), []
        self.room = Semaphore(engine.schedule.slots + queue)
        self.stopped = False

    def submit(self, request: Request) -> Job:
        """Hand over a request, from the server's thread.

        Raises:
            HTTPException: too many wait, or the worker has been stopped.
        """
        if self.stopped:
            raise HTTPException(503, "the server is being stopped")
        if not self.room.acquire(blocking=False):
            words = "the queue is full: wanted a request that comes later"
            raise HTTPException(429, words, {"Retry-After": "1"})
        job = Job(request)
        self.inbox.put(job)
        return job

    def stop(self) -> None:
        """End the thread after the step that it is in, and all texts with it."""
        self.stopped = True
        self.inbox.put(None)
        self.join()
        self.end(self.jobs, HTTPException(503, "the server has been stopped"))

    def run(self) -> None:
        """Take what has come, waiting if there is nothing to do; then step."""
        while True:
            while not self.jobs or not self.inbox.empty():
                job = self.inbox.get()
                if job is None:
                    return
                self.jobs.append(job)
                try:
                    job.task = self.engine.submit(job.request)
                except (TypeError, ValueError) as error:
                    self.end([job], HTTPException(400, str(error)))
            self.end([job for job in self.jobs if job.left])
            try:
                self.engine.step()
            except Exception as error:
                # a prompt that cannot be read is the newest; the others go on
                newest = self.engine.schedule.running[-1:]
                failed = [job for job in self.jobs if job.task in newest] or self.jobs
                self.end(failed, HTTPException(500, f"the model failed: {error}"))
            for job in self.jobs:
                for token in job.task.new[job.told :]:
                    job.say(token)
                job.told = len(job.task.new)
            self.end([job for job in self.jobs if job.task.done])

    def end(self, jobs: list[Job], last: HTTPException | None = None) -> None:
        """Say a last thing of some jobs, and give back what they hold."""
        for job in jobs:
            if job.task is not None:
                self.engine.schedule.cancel(job.task)
            job.say(last)
            self.room.release()
        self.jobs = [job for job in self.jobs if job not in jobs]
