"""The one thread that runs the model; the clients' threads hand it requests."""

from queue import SimpleQueue
from threading import Thread
from typing import Any

from scratch.serving import Request


class Refused(Exception):
    """What a client is told instead of an answer, with a status of HTTP."""

    def __init__(self, message: str, status: int = 400):
        super().__init__(message)
        self.status = status


class Job:
    """A request, and a queue of what the worker says about it.

    That is each token, then None; or a Refused instead. Whoever stops listening sets
    `left`.
    """

    def __init__(self, request: Request):
        self.request, self.said = request, SimpleQueue()
        self.task, self.told, self.left = None, 0, False


class Worker(Thread):
    """Submit to an engine, and step it, until it is stopped.

    Args:
        engine: an Engine or a TFEngine, which nobody else uses.
    """

    def __init__(self, engine: Any):
        super().__init__(daemon=True)
        self.engine, self.inbox, self.jobs = engine, SimpleQueue(), []

    def submit(self, request: Request) -> Job:
        """Hand over a request from another thread."""
        job = Job(request)
        self.inbox.put(job)
        return job

    def stop(self) -> None:
        """End the thread after the step that it is in."""
        self.inbox.put(None)
        self.join()

    def run(self) -> None:
        """Take what has come, waiting if there is nothing to do; then step."""
        while True:
            while not self.jobs or not self.inbox.empty():
                job = self.inbox.get()
                if job is None:
                    return
                try:
                    job.task = self.engine.submit(job.request)
                    self.jobs.append(job)
                except (TypeError, ValueError) as error:
                    job.said.put(Refused(str(error)))
            self.drop([job for job in self.jobs if job.left])
            try:
                self.engine.step()
            except Exception as error:
                # a prompt that cannot be read is the newest; the others go on
                newest = self.engine.schedule.running[-1:]
                failed = [job for job in self.jobs if job.task in newest] or self.jobs
                for job in failed:
                    job.said.put(Refused(f"the model failed: {error}", 500))
                self.drop(failed)
            for job in self.jobs:
                new = job.task.new[job.told :]
                job.told += len(new)
                for one in [*new, None] if job.task.done else new:
                    job.said.put(one)
            self.jobs = [job for job in self.jobs if not job.task.done]

    def drop(self, jobs: list[Job]) -> None:
        """Give back the slots and blocks of some jobs."""
        for job in jobs:
            self.engine.schedule.cancel(job.task)
        self.jobs = [job for job in self.jobs if job not in jobs]
