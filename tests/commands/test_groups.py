"""Cases that share a database: run in order, with a fresh one for each trial."""

from pathlib import Path

import pytest

from gate.results import read_run, read_traces
from tests.support.commands import gate

AGENT = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

SHELF = os.path.join(os.environ["SHELF"], "shelf.txt")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["message"]
        words = asked.split()
        if words[0] == "add":
            if os.environ.get("BREAK") == "crashes":
                self.send_error(500)
                return
            with open(SHELF, "a") as file:
                file.write(words[1] + " ")
        have = open(SHELF).read() if os.path.exists(SHELF) else ""
        self.answer({"reply": "You have: " + have.strip()})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

CONFIG = """
version: 1
agent:
  protocol: http
  boot:
    command: [python3, agent.py, "{port}"]
    ready: {path: /, within: 20s}
    env: {SHELF: "{tmp}"}
  http: {path: /, request: {message: "{text}"}, response: {text: $.reply}}
dataset: golden.yaml
run: {trials: 3, concurrency: 4}
"""

GOLDEN = """
cases:
  - {id: takes, user: list, depends_on: adds, expect: {contains: "have: aspirin", excludes: aspirin aspirin}}
  - {id: adds, user: add aspirin, expect: {contains: "have: aspirin", excludes: aspirin aspirin}}
  - {id: alone, user: list, expect: {contains: "You have:"}}
"""


@pytest.fixture
def pharmacy(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "agent-gate.yml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    return tmp_path


def test_a_group_runs_in_the_order_of_its_dependencies_on_a_fresh_database_in_each_trial(
    pharmacy: Path,
) -> None:
    done = gate("run", cwd=pharmacy)
    assert done.code == 0, done.out + done.err
    grouped = [trace for trace in read_traces(pharmacy / "out") if trace.case != "alone"]
    assert [(trace.case, trace.trial) for trace in grouped] == [
        (case, trial) for trial in (1, 2, 3) for case in ("adds", "takes")
    ]


def test_a_case_whose_dependency_crashed_is_not_run_and_not_blamed(pharmacy: Path) -> None:
    done = gate("run", "--env", "BREAK=crashes", cwd=pharmacy)
    assert done.code == 1
    verdicts = {case.id: case for case in read_run(pharmacy / "out").report.comparison.cases}
    assert dict(verdicts["adds"].outcomes) == {"crashed": 3}
    assert dict(verdicts["takes"].outcomes) == {"refused": 3}
    assert verdicts["adds"].failing
    assert not verdicts["takes"].failing


def test_selecting_a_dependent_brings_what_it_depends_on(pharmacy: Path) -> None:
    assert gate("run", "--case", "takes", cwd=pharmacy).code == 0
    assert {facts.id for facts in read_run(pharmacy / "out").cases} == {"adds", "takes"}
