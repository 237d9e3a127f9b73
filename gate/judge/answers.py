"""What came back from a chat completions endpoint (OpenAI's API reference, "Create chat completion")."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from gate.formats.limits import retry_delay_s
from gate.frozen import frozen
from gate.http import BadBody, Response
from gate.http.pace import asked_wait_s
from gate.model import Json
from gate.redact import quoted

_EXCERPT: Final = 200
_AGAIN: Final = frozenset((408, 409, 425, 429))
_HINTS: Final[Mapping[int, str]] = {
    401: "look at its key",
    403: "its key may not do this",
    404: "look at 'base_url' and 'model'",
}


class Failed(Exception):
    """A request without a usable answer.

    `again`: another attempt may succeed; `after_s` is how long the endpoint asks to wait; `denied`: it does
    not know the credential.
    """

    def __init__(
        self, reason: str, *, again: bool = True, after_s: float | None = None, denied: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.after_s = after_s
        self.denied = denied


@frozen
class Reply:
    """What the model said; `model` is the name that the endpoint reports ("" where it gives none).

    Tokens are None where the endpoint reports none.
    """

    text: str
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None


def read_reply(response: Response) -> Reply:
    """The answer of the first choice; raises Failed for whatever is none."""
    if response.status != HTTPStatus.OK:
        raise _refused(response)
    try:
        body = response.json()
    except BadBody as error:
        raise Failed(f"its answer is {error.reason}") from None
    model = _text(_map(body), "model")
    return _used(_said(_first(body)), " ".join(model.split())[:_EXCERPT], body)


def used_by(response: Response) -> Reply | None:
    """What an answer without a verdict took all the same, as a reply without words; None but of a 200."""
    if response.status != HTTPStatus.OK:
        return None
    try:
        return _used("", "", response.json())
    except BadBody:
        return _used("", "", None)


def _used(text: str, model: str, body: Json) -> Reply:
    usage = _map(_map(body).get("usage"))
    given, got = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Reply(text=text, model=model, input_tokens=_count(given), output_tokens=_count(got))


def _refused(response: Response) -> Failed:
    words = quoted(response.body, _EXCERPT)
    said = f"it answered {response.status}{': ' + words if words else ''}"
    if response.status in _AGAIN or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        after = asked_wait_s(response.headers)
        return Failed(said, after_s=retry_delay_s(words) if after is None else after)
    if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
        return Failed(f"{said}; redirects are not followed", again=False)
    hint = _HINTS.get(response.status, "")
    denied = response.status == HTTPStatus.UNAUTHORIZED
    return Failed(f"{said}; {hint}" if hint else said, again=False, denied=denied)


def _first(body: Json) -> Mapping[str, Json]:
    choices = _map(body).get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    error = _map(body).get("error")
    if error:
        raise Failed(
            f"it answered 200 with an error: {quoted(str(error).encode('utf-8', 'replace'), _EXCERPT)}"
        )
    raise Failed("its answer has no choices: it is no chat completion")


def _said(choice: Mapping[str, Json]) -> str:
    """The message's text; a refusal and a filtered answer are none."""
    message = _map(choice.get("message"))
    if refusal := _text(message, "refusal"):
        raise Failed(f"it refused: {quoted(refusal.encode('utf-8', 'replace'), _EXCERPT)}")
    if choice.get("finish_reason") == "content_filter":
        raise Failed("its answer was blocked by a content filter")
    content = message.get("content")
    if isinstance(content, list):
        parts = [_text(_map(part), "text") for part in content]
        content = "".join(parts)
    if not isinstance(content, str) or not content.strip():
        cut = (
            " (it was cut off: raise max_tokens in `body`)" if choice.get("finish_reason") == "length" else ""
        )
        raise Failed(f"its answer was empty{cut}")
    return content


def _map(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(value: Mapping[str, Json], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2**53 else None
