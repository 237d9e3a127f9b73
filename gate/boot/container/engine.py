"""The Docker engine: the SDK's blocking calls, made to fit asyncio and its cancellation."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from gate.errors import AgentDown
from gate.redact import excerpt

if TYPE_CHECKING:
    from docker import APIClient

T = TypeVar("T")
Work: TypeAlias = Callable[[Any], T]
"""What is done with the SDK's APIClient, of whose calls half have no types."""

NOT_FOUND, CONFLICT = 404, 409
_HOW = (
    "Start Docker, or mount its socket (-v /var/run/docker.sock:/var/run/docker.sock), or name it in"
    " DOCKER_HOST. Where there is none (Kubernetes runners), start the agent in another way and use"
    " `boot: {url}`."
)
_CALL_WITHIN_S = 60
_USUAL: Final = "unix:///var/run/docker.sock"


class EngineError(Exception):
    """The engine said no; `status` is that of its HTTP answer, 0 where there was none."""

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Engine:
    """A connection to the engine that DOCKER_HOST, the Docker context or the usual socket names."""

    def __init__(self) -> None:
        self._options = _options()
        _answers(str(self._options.get("base_url") or _USUAL))
        self._api = self._connected("auto")

    @property
    def host(self) -> str:
        """Where ports that the engine publishes answer: 127.0.0.1, or the host of a remote engine."""
        scheme, _, rest = str(self._options.get("base_url", "")).partition("://")
        return (
            rest.partition("/")[0].rpartition(":")[0] if scheme in {"tcp", "http", "https"} else "127.0.0.1"
        )

    @property
    def is_local(self) -> bool:
        return self.host in {"127.0.0.1", "localhost"}

    def close(self) -> None:
        self._api.close()

    async def ask(self, work: Work[T]) -> T:
        """Make a short call; raises EngineError. A cancellation waits until the call has ended."""
        asked = self.begin(work)
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            await asyncio.wait([asked])
            if not asked.cancelled():
                asked.exception()
            raise

    def begin(self, work: Work[T]) -> asyncio.Future[T]:
        """Start a call that may take as long as a container lives; it ends with the container."""
        return _threaded(lambda: work(self._api))

    async def listen(self, container: str, each: Callable[[bytes], None]) -> asyncio.Future[None]:
        """Give what a container prints from now on to `each`; a slow listener makes it wait."""
        call = _Call(self._connected(self._api.api_version))
        loop = asyncio.get_running_loop()
        output = await self.ask(lambda _: call.api.attach(container, stream=True))

        def listen(_: object) -> None:
            try:
                for said in output:
                    _hand_over(loop, each, said)
            finally:
                call.end()

        return self.begin(listen)

    async def follow(self, start: Work[Iterable[T]], each: Callable[[T], None]) -> None:
        """Give all that a long call says to `each`, in the loop; a cancellation hangs up on the engine."""
        call = _Call(self._connected(self._api.api_version))
        loop = asyncio.get_running_loop()

        def listen() -> None:
            try:
                for said in start(call.api):
                    _hand_over(loop, each, said)
            finally:
                call.end()

        ended = _threaded(listen)
        try:
            await asyncio.shield(ended)
        finally:
            call.hang_up()
            if not ended.done():
                ended.add_done_callback(lambda future: future.cancelled() or future.exception())

    def _connected(self, version: str) -> "APIClient":
        from docker import APIClient

        with _translated():
            return APIClient(**self._options, version=version, timeout=_CALL_WITHIN_S)


def connect() -> Engine:
    """The engine; raises AgentDown, with what to do, where none answers."""
    try:
        return Engine()
    except EngineError as error:
        raise AgentDown(f"no Docker engine can be reached: {error.reason}", hint=_HOW) from error


def problem() -> tuple[str, str]:
    """Why no engine can be reached and what to do about it; empty where one answers."""
    try:
        Engine().close()
    except EngineError as error:
        return error.reason, _HOW
    return "", ""


def _hand_over(loop: asyncio.AbstractEventLoop, each: Callable[[T], None], said: T) -> None:
    """Call `each` in the loop and wait for it: what talks faster than we listen has to wait."""
    taken: Future[None] = Future()

    def take() -> None:
        try:
            each(said)
        except Exception as error:  # noqa: BLE001 - it is raised in the thread
            taken.set_exception(error)
        else:
            taken.set_result(None)

    loop.call_soon_threadsafe(take)
    while not loop.is_closed():
        with suppress(TimeoutError):
            return taken.result(timeout=1)
    return None


class _Call:
    """One long call on a connection of its own, so that it can be cut."""

    def __init__(self, api: "APIClient") -> None:
        self.api = api
        self._answer: Any = None
        self._is_over = False
        api.hooks["response"].append(self._answered)

    def _answered(self, answer: Any, *_: object, **__: object) -> None:  # noqa: ANN401 - of the SDK's own
        if self._answer is None:
            self._answer = answer
        if self._is_over:
            self.hang_up()

    def hang_up(self) -> None:
        """Make the thread that reads see an end; closing alone would not wake it."""
        self._is_over = True
        if (line := _socket_of(self._answer)) is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Give back what the call holds; from the thread that made it."""
        line = _socket_of(self._answer)
        if self._answer is not None:
            self._answer.close()
        if line is not None:
            line.close()
        self.api.close()


def _socket_of(answer: Any) -> socket.socket | None:  # noqa: ANN401 - of requests
    """The connection below a streamed answer, where docker.types.CancellableStream finds it too."""
    reader = getattr(getattr(getattr(answer, "raw", None), "_fp", None), "fp", None)
    line = getattr(getattr(reader, "raw", None), "_sock", None)
    return line if isinstance(line, socket.socket) else None


def _threaded(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run in a daemon thread: what hangs in the engine must not keep the process from its end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            with _translated():
                result = work()
        except BaseException as raised:  # noqa: BLE001 - it is raised where the future is awaited
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="agent-gate-docker", daemon=True).start()
    return future


@contextmanager
def _translated() -> Iterator[None]:
    """The SDK's errors, and those of what it is built on, as EngineError."""
    from docker.errors import APIError, DockerException
    from requests import RequestException

    try:
        yield
    except APIError as error:
        raise EngineError(_brief(error.explanation or str(error)), error.status_code or 0) from error
    except (DockerException, RequestException) as error:
        raise EngineError(_brief(str(error))) from error


def _brief(text: Any) -> str:  # noqa: ANN401 - the SDK gives bytes or text
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return excerpt(" ".join(words.split()), 500)


def _answers(address: str) -> None:
    """Raise EngineError where a socket does not answer: the SDK would leave its own open."""
    path = address.removeprefix("unix://").removeprefix("http+unix://")
    if not path.startswith("/"):
        return
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(path)
        except OSError as error:
            raise EngineError(f"{path}: {error.strerror or error}") from error


def _options() -> dict[str, Any]:
    from docker.context import ContextAPI
    from docker.utils import kwargs_from_env

    with _translated():
        options: dict[str, Any] = {**kwargs_from_env(environment=dict(os.environ))}
        context: Any = None if "base_url" in options else ContextAPI.get_current_context()
        if context is not None and context.Host:
            options = {"base_url": context.Host, "tls": context.TLSConfig or False}
        return options
