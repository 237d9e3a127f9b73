"""The installed google-agents-cli beside us: what it accepts, records, scores and compares.

`eval generate` runs against a real ADK server. `eval grade` asks for credentials although it scores here: a
key made on the spot is enough, and nothing is sent anywhere.
"""

import copy
import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.dataset import READERS
from gate.documents import parse
from tests.drive.conftest import AdkServer
from tests.support.commands import ROOT, gate
from tests.support.own_environment import own_environment

pytestmark = pytest.mark.timeout(900)  # the first of them makes the environment

HI: dict[str, Any] = {"role": "user", "parts": [{"text": "hi"}]}
SAID: dict[str, Any] = {"role": "model", "parts": [{"text": "hello"}]}
METRICS = """
metrics_to_run: [answered, checks_weather]
custom_metrics:
  - name: answered
    custom_function: |
      def evaluate(instance):
          return {"score": 1.0 if instance.get("response") else 0.0, "explanation": "there is one"}
  - name: checks_weather
    custom_function: |
      def evaluate(instance):
          return 1.0 if "get_weather" in str(instance["agent_data"]["turns"]) else 0.25
"""
CONFIG = """
version: 1
agent: {protocol: replay, replay: {traces: none.jsonl}}
dataset: dataset.json
"""


@pytest.fixture(scope="session")
def programs() -> Path:
    return own_environment("peers")


# Datasets


def event(author: str, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"author": author, **({"content": content} if content else {}), **more}


def turns(*events: Any) -> dict[str, Any]:
    return {"agent_data": {"turns": [{"turn_index": 0, "events": list(events)}]}}


def case(**keys: Any) -> dict[str, Any]:
    return {"eval_case_id": "a", **keys}


CASES: dict[str, dict[str, Any]] = {
    "a prompt": case(prompt=HI),
    "a prompt of several parts": case(prompt={"role": "user", "parts": [{"text": "a"}, {"text": "b"}]}),
    "a prompt with a blob": case(
        prompt={"parts": [{"text": "see"}, {"inline_data": {"mime_type": "image/png", "data": "aGk="}}]}
    ),
    "a reference": case(prompt=HI, reference={"response": SAID}),
    "extra keys": case(prompt=HI, custom_properties={"expected_tools": ["f"]}, difficulty=3),
    "an empty agent_data beside the prompt": case(prompt=HI, agent_data={"turns": []}),
    "turns": case(**turns(event("user", HI), event("model", SAID), event("user", HI))),
    "one turn": case(**turns(event("user", HI))),
    "a state before": case(**turns(event("app", state_delta={"x": 1}), event("user", HI))),
    "a state on the message": case(**turns(event("user", HI, state_delta={"x": 1}))),
    "camelCase": {
        "evalCaseId": "a",
        "agentData": {"turns": [{"events": [event("user", HI)]}]},
        "prompt": None,
    },
    "camelCase prompt": {"evalCaseId": "a", "prompt": HI},
    "both": case(prompt=HI, **turns(event("user", HI))),
    "neither": case(),
    "an empty prompt": case(prompt={}),
    "the agent's word last": case(**turns(event("user", HI), event("model", SAID))),
    "no content last": case(**turns(event("user", HI), event("user"))),
    "no events": case(agent_data={"turns": [{"turn_index": 0, "events": []}]}),
    "a prompt that is a number": case(prompt=3),
    "parts that are text": case(prompt={"role": "user", "parts": "hi"}),
    "an unknown key in a part": case(prompt={"role": "user", "parts": [{"txt": "hi"}]}),
    "an unknown key in an event": case(**turns(event("user", HI, when="now"))),
    "turns that are no list": case(agent_data={"turns": {}}),
    "an author that is a number": case(**turns({"author": 1, "content": HI})),
    "an id that is a number": case(prompt=HI) | {"eval_case_id": 7},
    "no id": {"prompt": HI},
    "a reference that is a list": case(prompt=HI, reference=[]),
}
STRICTER = {
    "missing-key": "a case without an id cannot be joined to an earlier run",
    "no-message": "a message without parts would be sent as nothing",
    "unsupported-part": "a part that holds nothing would be sent as nothing",
    "wrong-type": "`custom_properties` become expectations: for agents-cli they are any extra key",
}
"""Rules by which we refuse more than agents-cli does, and why."""
LAXER = (
    r"neither a prompt nor agent_data",  # its first look knows snake_case only, its types both
    r"EvalCase\n(prompt|reference)\n",  # plain text is read as one part
    r"\nreference\.response",  # what a reference holds besides text is left out
    r"turn_index",  # nothing depends on it
    r"\nagent_data\.turns\.\d+\.events\.\d+\.content\.",  # what the agent said is not sent
)
"""Faults by which it refuses more than we do, and why."""


def judged(programs: Path, datasets: list[Any]) -> list[str]:
    """What agents-cli says of each dataset."""
    done = subprocess.run(
        [programs / "python", ROOT / "tests/support/agents_cli_judge.py"],
        input="".join(json.dumps(each) + "\n" for each in datasets),
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def ours(dataset: Any) -> set[str]:
    """The rules of our errors, none where we accept it."""
    document = parse(json.dumps(dataset), "dataset.json")
    reader = READERS["agents-cli"]
    if not reader.accepts(document.value):
        return {"other-format"}
    cases, findings = reader.read(document)
    wrong = {finding.rule for finding in findings if finding.level == "error"}
    assert bool(cases) or wrong
    return wrong


def differ(dataset: Any, theirs: str) -> str:
    """How our answer is not theirs, "" where it is, or where we are stricter on purpose."""
    rules = ours(dataset)
    if theirs and not rules and not any(re.search(pattern, theirs) for pattern in LAXER):
        return f"accepted, although agents-cli says {theirs}"
    if not theirs and not rules <= STRICTER.keys():
        return f"refused by {sorted(rules - STRICTER.keys())}"
    return ""


def test_we_accept_the_datasets_that_agents_cli_accepts_and_refuse_what_it_refuses(programs: Path) -> None:
    datasets = [{"eval_cases": [each]} for each in CASES.values()]
    verdicts = judged(programs, datasets)
    assert sum(not each for each in verdicts) >= 10
    assert sum(bool(each) for each in verdicts) >= 10
    found = [
        (name, why)
        for name, dataset, theirs in zip(CASES, datasets, verdicts, strict=True)
        if (why := differ(dataset, theirs))
    ]
    assert found == []


def test_datasets_with_a_random_fault_get_the_same_answer(programs: Path) -> None:
    chance = random.Random(4)
    good = [each for each in CASES.values() if not ours({"eval_cases": [each]})]
    datasets = [{"eval_cases": [mutated(chance.choice(good), chance)]} for _ in range(400)]
    found = [
        (dataset, why)
        for dataset, theirs in zip(datasets, judged(programs, datasets), strict=True)
        if (why := differ(dataset, theirs))
    ]
    assert found == []


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy in which one value somewhere is another kind, or gone."""
    made = copy.deepcopy(value)
    holders = list(containers(made))
    holder = chance.choice(holders)
    key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if chance.random() < 0.3:
        del holder[key]
    else:
        holder[key] = chance.choice([None, 3, True, [], {}, "text", [1], {"a": 1}])
    return made


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list) and value:
        yield value
        for held in value.values() if isinstance(value, dict) else value:
            yield from containers(held)


# What it records, scores and compares


@pytest.fixture(scope="module")
def project(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of agents-cli in which its steps have run, and scored once more by a harder judge."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "app").mkdir()
    (folder / "agents-cli-manifest.yaml").write_text("name: x\nagent_directory: app\n", encoding="utf-8")
    for name, metrics in (("before", METRICS), ("after", METRICS.replace("get_weather", "no such tool"))):
        (folder / f"{name}.yaml").write_text(metrics, encoding="utf-8")
    (folder / "agent-gate.yml").write_text(CONFIG, encoding="utf-8")
    server = AdkServer()
    try:
        for word in ("hello", "weather"):
            (folder / "dataset.json").write_text(json.dumps(dataset(word)), encoding="utf-8")
            to = ("--dataset", "dataset.json", "--output", f"{word}.json")
            run(programs, folder, "generate", *to, "--url", server.url, "--app-name", "toy")
    finally:
        server.stop()
    for name in ("before", "after"):
        by = ("--config", f"{name}.yaml", "--project", "p", "--output", name)
        run(programs, folder, "grade", "--traces", "weather.json", *by)
    return folder


def dataset(word: str) -> dict[str, Any]:
    def asked(name: str, text: str, **more: Any) -> dict[str, Any]:
        return {"eval_case_id": name, "prompt": {"role": "user", "parts": [{"text": text}]}, **more}

    history = (event("user", {"parts": [{"text": "hello"}]}), event("model", SAID))
    return {
        "eval_cases": [
            asked("weather", f"{word} in London", custom_properties={"expected_tools": ["get_weather"]}),
            asked("boom", "boom"),
            asked("delete", "delete it"),
            case(**turns(*history, event("user", {"parts": [{"text": "ping"}]}))) | {"eval_case_id": "talk"},
        ]
    }


def run(programs: Path, folder: Path, *arguments: str) -> str:
    key = folder / "key.json"
    if not key.exists():
        key.write_text(json.dumps(credentials(programs)), encoding="utf-8")
    done = subprocess.run(
        [programs / "agents-cli", "eval", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GOOGLE_APPLICATION_CREDENTIALS": str(key),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def credentials(programs: Path) -> dict[str, str]:
    """A service account that nobody knows."""
    script = (
        "from cryptography.hazmat.primitives import serialization as s;"
        "from cryptography.hazmat.primitives.asymmetric import rsa;"
        "k = rsa.generate_private_key(public_exponent=65537, key_size=2048);"
        "print(k.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()).decode())"
    )
    key = subprocess.run([programs / "python", "-c", script], capture_output=True, text=True, check=True)
    return {
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "1",
        "private_key": key.stdout,
        "client_email": "nobody@p.iam.gserviceaccount.com",
        "client_id": "1",
        "token_uri": "http://127.0.0.1:9/token",
    }


def results(project: Path, name: str) -> Path:
    (found,) = (project / name).glob("results_*.json")
    return found


def test_grade_reads_what_eval_generate_writes_and_is_red_where_it_left_a_case_out(project: Path) -> None:
    done = gate("grade", "weather.json", "--out", "graded", "--json", cwd=project)
    assert done.code == 1, done.err
    report = json.loads(done.out)
    trials = {
        trial["case"]: trial for trial in json.loads((project / "graded/run.json").read_text())["trials"]
    }
    assert trials["boom"]["outcome"]["kind"] == "crashed"
    assert "agents-cli leaves out a case whose run failed" in trials["boom"]["outcome"]["reason"]
    assert trials["delete"]["outcome"]["kind"] == "paused"
    assert {trials[name]["outcome"]["kind"] for name in ("weather", "talk")} == {"completed"}
    assert trials["weather"]["scores"]["calls"]["value"] == 1
    assert report["comparison"]["verdict"] == "regression"


def test_grade_sees_that_the_tool_was_not_called(project: Path) -> None:
    done = gate("grade", "hello.json", "--out", "graded-after", cwd=project)
    assert done.code == 1
    assert "expected a call of `get_weather`; the agent called no tool" in done.out


def test_compare_finds_the_means_that_eval_grade_computed(project: Path) -> None:
    before, after = results(project, "before"), results(project, "after")
    done = gate("compare", str(before), str(after), "--json", cwd=project)
    assert done.code == 1, done.err
    rows = {row["metric"]: row for row in json.loads(done.out)["comparison"]["metrics"]}
    for file, side in ((before, "baseline"), (after, "value")):
        for summary in json.loads(file.read_text(encoding="utf-8"))["summary_metrics"]:
            assert rows[summary["metric_name"]][side] == pytest.approx(summary["mean_score"])
            assert summary["num_cases_error"] == rows[summary["metric_name"]]["unscored"]["judge"]
    assert rows["checks_weather"]["baseline"] > rows["checks_weather"]["value"]


def test_eval_compare_shows_the_same_means_without_a_difference_and_is_green(
    project: Path, programs: Path
) -> None:
    before, after = results(project, "before"), results(project, "after")
    told = json.loads(run(programs, project, "compare", str(before), str(after)))
    changed = told["differences"]["summary_metrics"]
    assert "delta" not in changed
    rows = json.loads(gate("compare", str(before), str(after), "--json", cwd=project).out)["comparison"][
        "metrics"
    ]
    ours = {row["metric"]: (row["baseline"], row["value"]) for row in rows if row["metric"] != "completed"}
    theirs = {
        old["metric_name"]: (old["mean_score"], new["mean_score"])
        for old, new in zip(changed["baseline"], changed["candidate"], strict=True)
    }
    assert ours == theirs == {"answered": (1.0, 1.0), "checks_weather": (0.625, 0.25)}
