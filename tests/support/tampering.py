"""A project on two sides, an agent that can be broken in this process, and the gate between them."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gate.compare.baseline import pool, to_lines
from gate.documents import canonical
from gate.git import head_of
from gate.model.bar import Acceptance, BarChange, NotAccepted, Revision
from gate.model.case import Side
from gate.model.config import AcceptPolicy
from gate.model.run import TrialRecord
from gate.model.verdict import Report
from gate.pipeline import run
from gate.results import read_run
from gate.suite import Selection, Sides, Suite, prepare
from tests.support.commands import git

Reply = Mapping[str, Any]
Ask = Callable[[AcceptPolicy], Acceptance | NotAccepted]


def weather(city: str, degrees: int, **args: str) -> Reply:
    call = {"id": "1", "name": "get_weather", "arguments": {"city": city, **args}}
    return {"reply": f"It is {degrees} degrees in {city}.", "tool_calls": [call]}


GOOD: Mapping[str, Reply] = {
    "weather in Paris": weather("Paris", 18, units="C"),
    "weather in Lima": weather("Lima", 22, units="C"),
    "hello": {"reply": "Hello! How can I help?"},
    "what can you do": {"reply": "I tell the weather and take orders."},
    "remember tea": {"reply": "Noted.", "state": {"drink": "tea", "size": "large"}},
    "what do I drink": {"reply": "You drink tea."},
    "order tea": {"reply": "Ordered.", "orders": "tea"},
    "order again": {"reply": "Ordered again.", "orders": "tea"},
    "my order": {"reply": "Your order: {orders}."},
    "forecast": {"reply": "Rain.", "tool_calls": [{"id": "1", "name": "get_forecast", "arguments": {}}]},
}
BROKEN: Mapping[str, Mapping[str, Reply]] = {
    "": {},
    "wrong_number": {"weather in Paris": weather("Paris", 81, units="C")},
    "no_units": {"weather in Paris": weather("Paris", 18)},
    "wrong_city": {
        "weather in Paris": {**weather("Rome", 18, units="C"), "reply": "It is 18 degrees in Paris."}
    },
    "no_tool": {"weather in Paris": {"reply": "It is 18 degrees in Paris."}},
    "two_calls": {
        "weather in Paris": {
            "reply": "It is 18 degrees in Paris.",
            "tool_calls": [*weather("Paris", 18, units="C")["tool_calls"]] * 2,
        }
    },
    "sorry": {
        "weather in Paris": {**weather("Paris", 18, units="C"), "reply": "It is 18 degrees in Paris, sorry."}
    },
    "wordy": {
        "weather in Paris": {
            **weather("Paris", 18, units="C"),
            "reply": "Paris has 18 degrees " + "and so on and on " * 9,
        }
    },
    "chatty": {"hello": {"reply": "Hello! How can I help?", "tool_calls": weather("Rome", 1)["tool_calls"]}},
    "rude": {"hello": {"reply": "What?"}},
    "curt": {"hello": {"reply": "Hello."}},
    "crashes": {"weather in Paris": {"status": 500}},
    "throttled": {"weather in Paris": {"status": 429}},
    "forgets": {"what do I drink": {"reply": "No idea."}},
    "loses_size": {"remember tea": {"reply": "Noted.", "state": {"drink": "tea"}}},
    "loses_state": {"remember tea": {"reply": "Noted."}},
    "loses_order": {"order tea": {"reply": "Ordered."}},
    "does_nothing": {text: {"reply": ""} for text in GOOD},
}
CONFIG = """\
version: 1
agent:
  protocol: http
  boot: {url: "URL"}
  http:
    path: /chat
    request: {message: "{text}", session: "{session}"}
    response: {text: $.reply, calls: "$.tool_calls[*]", state: $.state}
dataset: golden/*.yaml
run: {trials: 2, trial_timeout: 10s, retries: 1, concurrency: 8}
metrics:
  calls: {mode: exactly, args: exact}
  words: {type: rouge_1, pass_at: 0.5}
rules:
  cases: {regressed: 0, new_failing: 0, removed: 0}
  calls: {min: 0.9, max_drop: 0.05}
  says: {min: 0.9, by: category}
  words: {min: 0.5}
  tool_calls: {max_rise: 20%}
undecided: {throttled: warn}
"""
GOLDEN = {
    "weather.yaml": """\
category: weather
cases:
  - id: paris
    user: weather in Paris
    expect:
      calls: [{name: get_weather, args: {city: Paris, units: C}}]
      contains: [18 degrees, Paris]
      excludes: [sorry]
      reference: It is 18 degrees in Paris.
  - id: lima
    user: weather in Lima
    expect:
      calls: [{name: get_weather, args: {city: Lima, units: C}}]
      contains: [22 degrees]
""",
    "talk.yaml": """\
category: talk
cases:
  - {id: hello, user: hello, expect: {calls: none, contains: [Hello]}}
  - id: memory
    category: memory
    turns:
      - {user: remember tea, expect: {state: {drink: tea, size: large}, state_keys: [drink]}}
      - {user: what do I drink, expect: {contains: [tea]}}
""",
    "orders.yaml": """\
category: orders
isolation: shared
cases:
  - {id: order, user: order tea, expect: {contains: [Ordered]}}
  - {id: my_order, user: my order, expect: {contains: [tea]}}
""",
}


class Agent:
    """A server that answers as its script says; `broken` names the part of the script that is replaced."""

    def __init__(self) -> None:
        agent = self
        self.broken = ""
        self.orders = ""

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = agent.answer(str(body["message"]))
                payload = json.dumps(
                    {k: v for k, v in answer.items() if k not in {"status", "orders"}}
                ).encode()
                self.send_response(answer.get("status", 200))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, text: str) -> dict[str, Any]:
        script = {**GOOD, **BROKEN[self.broken]}
        reply = dict(script.get(text, {"reply": "I do not understand."}))
        self.orders = reply.get("orders", self.orders)
        return {**reply, "reply": str(reply.get("reply", "")).replace("{orders}", self.orders or "nothing")}

    @contextmanager
    def running(self) -> Iterator["Agent"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


@dataclass(frozen=True, slots=True)
class Project:
    """A work tree whose commit HEAD is the base, and whose files are the head."""

    folder: Path
    agent: Agent
    other: Agent

    @property
    def config(self) -> Path:
        return self.folder / "agent-gate.yml"

    def text(self, name: str = "agent-gate.yml") -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.text(name)
        assert old in text, f"{old!r} is not in {name}"
        self.write(name, text.replace(old, new))

    def commit(self, message: str = "more") -> None:
        git(self.folder, "add", "-A", "-f", ".")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", message)


def a_project(folder: Path, agent: Agent, other: Agent) -> Project:
    """The base, with the evidence of one good run."""
    project = Project(folder, agent, other)
    project.write("agent-gate.yml", CONFIG.replace("URL", agent.url))
    for name, text in GOLDEN.items():
        project.write(f"golden/{name}", text)
    git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "config", "gc.auto", "0")
    project.commit("base")
    return project


async def with_baseline(project: Project, *, broken: str = "") -> None:
    """Accept one run of the work tree as it is, not committed."""
    suite = prepare(project.config, Selection())
    project.agent.broken, project.agent.orders = broken, ""
    out = project.folder.parent / f"{project.folder.name}.first"
    await run(suite, out, Silent())
    text = map(canonical, to_lines(pool(None, read_run(out).evidence, "")))
    project.write("golden/baseline.jsonl", "".join(text))


class Silent:
    """Watches a run without a word."""

    def planned(self, suite: Suite) -> None:
        pass

    def measured(self, record: TrialRecord, side: Side) -> None:
        pass


def accepted(policy: AcceptPolicy) -> Acceptance:
    return Acceptance(by="ann", how=policy.by, at="2026-11-30T10:00:00Z", head="f" * 40)


def nobody(_: AcceptPolicy) -> NotAccepted:
    return NotAccepted()


@dataclass(slots=True)
class Judge:
    """Runs the gate in this process, as a pull request's head against HEAD."""

    project: Project
    config: str = "agent-gate.yml"
    suites: list[Suite] = field(default_factory=list)

    def prepared(self, ask: Ask = nobody) -> Suite:
        root = self.project.folder
        sides = Sides(base=Revision(commit=head_of(root), branch="main"), ask=ask)
        suite = prepare(root / self.config, Selection(), sides=sides)
        self.suites.append(suite)
        return suite

    async def run(self, broken: str = "", ask: Ask = nobody) -> Report:
        suite = self.prepared(ask)
        for agent in (self.project.agent, self.project.other):
            agent.orders = ""
        self.project.agent.broken = broken
        out = self.project.folder.parent / f"{self.project.folder.name}.out"
        shutil.rmtree(out, ignore_errors=True)
        report, _ = await run(suite, out, Silent())
        assert read_run(out).report == report, "what is stored is not what was judged"
        return report


def changes_of(report: Report) -> list[BarChange]:
    assert report.comparison.bar
    return list(report.comparison.bar.changes)


def told(change: BarChange) -> str:
    return f"{change.subject} {change.kind} {change.name}{' !' if change.needs_acceptance else ''}"


def verdict(report: Report) -> str:
    comparison = report.comparison
    return f"{comparison.verdict}{f' {comparison.cause}' if comparison.cause else ''} {comparison.exit_code}"
