"""What happened on the way of a run: when it began, what was measured, what ended it."""

import asyncio
import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from gate import __version__
from gate.errors import AgentDown
from gate.git import commit_of
from gate.model.agent import AgentFacts
from gate.model.derived import tokens_of
from gate.model.run import Meta
from gate.model.trace import Refused, Throttled, Trace
from gate.suite import Suite

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Course:
    """Begins when it is made, and is filled in as the run goes; `writes` are the files that the run makes."""

    def __init__(self, suite: Suite, writes: Iterable[Path] = ()) -> None:
        self._suite = suite
        self._writes = tuple(writes)
        self._run = os.urandom(6).hex()
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()
        self._measured = 0
        self._retries = 0
        self._tokens: int | None = None
        self.down: AgentDown | None = None
        self.agent: AgentFacts | None = None
        self.signal = 0

    def count(self, trace: Trace) -> None:
        """One more trial."""
        self._measured += not isinstance(trace.outcome, Throttled | Refused)
        self._retries += trace.retries
        tokens = tokens_of(trace.events)
        if tokens is not None:
            self._tokens = (self._tokens or 0) + tokens

    def meta(self) -> Meta:
        """All of it, as the report tells it."""
        suite, config = self._suite, self._suite.config
        root = Path(config.root)
        inputs = {Path(config.file), *(Path(facts.place.file) for facts in suite.head.case_facts)}
        ours = [*self._writes, *(root / name for name in (config.baseline, config.judge_cache) if name)]
        return Meta(
            run=self._run,
            gate=__version__,
            started_at=self._started.isoformat(timespec="seconds"),
            duration_s=round(time.monotonic() - self._clock, 3),
            config=config.file,
            protocol=config.agent.protocol,
            commit=commit_of(root, inputs, ignore=ours),
            head=suite.commit,
            selection=suite.selection,
            env=suite.env,
            interrupted=bool(self.signal),
            agent_down=self.down.message if self.down else "",
            hint=self.down.hint if self.down else "",
            log_tail=self.down.log_tail if self.down else "",
            planned_trials=(len(suite.cases) + len(suite.apart)) * config.run.trials,
            measured_trials=self._measured,
            retries=self._retries,
            tokens=self._tokens,
            agent=self.agent,
            tracks=tuple(track.facts for track in suite.tracks),
        )

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Turn a signal into the cancellation of the running task; another one cuts the agent's grace short.

        A SIGHUP that is ignored (nohup) stays ignored.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

        def interrupt(number: int) -> None:
            self.signal = self.signal or number
            if task:
                task.cancel()

        for number in heeded:
            loop.add_signal_handler(number, interrupt, number)
        try:
            yield
        finally:
            for number in heeded:
                loop.remove_signal_handler(number)
