"""Why GitHub did not do what it was asked to; each carries what to do about it."""


class GitHubError(Exception):
    """GitHub's API gave no usable answer; `message` says what happened, `hint` what to do."""

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status


class MissingPermission(GitHubError):
    """The token may not do this; `permission` is what the job has to be given (`pull-requests: write`)."""

    def __init__(self, message: str, *, permission: str, hint: str, status: int = 403) -> None:
        super().__init__(message, hint=hint, status=status)
        self.permission = permission


class BadToken(GitHubError):
    """401: the token is unknown, expired or revoked."""


class NotThere(GitHubError):
    """404 or 410: it does not exist, was deleted, or the token may not see it."""


class Locked(GitHubError):
    """The conversation is locked."""


class TooLong(GitHubError):
    """422: a body exceeds GitHub's limit."""


class RateLimited(GitHubError):
    """A rate limit ends later than we wait."""


class Unclear(GitHubError):
    """The connection or the server failed after something was sent: it may have been done."""


class DoesNotCount(GitHubError):
    """GitHub answered: somebody did something to accept a changed bar, and it does not count."""
