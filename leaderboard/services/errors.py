"""What every service may have to say no with; `message` is for the person who asked."""

from __future__ import annotations

from leaderboard.contract import Message, say


class ServiceError(Exception):
    """A request that cannot be met. Subclasses say why; `message` says it to a person."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


class UnknownTask(ServiceError):
    """The task is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            say("The task {task} is not installed here; run `python -m leaderboard init` first.", task=name)
        )
