"""Programs in any language as metrics, by lines of JSON."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gate.documents import schema_text
from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Item, Scored
from gate.redact import Redactor
from gate.score import METRICS
from tests.score.customs import CASE, TRIAL, reachable_python, running, scores, why
from tests.score.made import case, config, said, trace, turn

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

NODE = """
import readline from "node:readline";
import { words } from "./words.mjs";
for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  console.log("thinking about", line);
  const score = words(question.answer) / 4;
  const explanation = `${question.answer} of ${question.case.id}`;
  console.log(JSON.stringify({ id: question.id, score, explanation }));
}
"""
SHELL = r"""while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":"\([0-9a-f]*\)".*/\1/')
  echo "{\"id\": \"$id\", \"score\": true}"
done
"""


@pytest.mark.requires("node")
async def test_a_program_in_node_answers_and_its_noise_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "score.mjs").write_text(NODE)
    (tmp_path / "words.mjs").write_text("export const words = (text) => text.split(' ').length;")
    trials = [trace(turn(said(text))) for text in ("one", "one two", "a b c d e")]
    found = await scores(tmp_path, "command", trials, command=["node", "score.mjs"], files=["words.mjs"])
    assert [each.value for each in found[:2] if isinstance(each, Scored)] == [0.25, 0.5]
    assert found[0].reason == "one of a_case"
    assert why(found[2]).startswith("the score 1.25 lies outside of 0 to 1")


async def test_a_few_lines_of_shell_are_a_metric(tmp_path: Path) -> None:
    (tmp_path / "score.sh").write_text(SHELL)
    found = await scores(tmp_path, "command", [TRIAL] * 3, command=["sh", "score.sh"])
    assert [each.value for each in found if isinstance(each, Scored)] == [1, 1, 1]


def python(body: str) -> list[str]:
    script = "import json, sys, os, time\nfor line in sys.stdin:\n    q = json.loads(line)\n"
    script += "".join(f"    {line}\n" for line in body.splitlines())
    return [sys.executable, "-uc", script]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "print(json.dumps({'id': q['id'], 'score': float('nan')}))",
            "its answer cannot be read: NaN is no number",
        ),
        ("print(json.dumps({'id': q['id'], 'score': 1e999}))", "its answer cannot be read: Infinity"),
        (
            'print(\'{"id": "\' + q[\'id\'] + \'", "score": 1, "score": 1}\')',
            "the key 'score' is there twice",
        ),
        ("print('{\"id\": \"' + q['id'] + '\", \"score\": ' + '9' * 5000 + '}')", "digits is too long"),
        ("print('{\"id\": \"' + q['id'] + '\", \"score\": ' + '[' * 99999)", "its answer cannot be read"),
        ("print(json.dumps({'id': q['id'], 'score': '1'}))", "a score is a number or a bool, not text"),
        ("print(json.dumps({'id': q['id'], 'score': None}))", "a score is a number or a bool"),
        ("print(json.dumps({'id': q['id']}))", "neither 'score' nor 'items' nor 'error'"),
        ("print(json.dumps({'id': q['id'], 'scores': 1}))", "the unknown key 'scores'"),
        ("print(json.dumps({'id': q['id'], 'items': []}))", "its list of scores is empty"),
        ("print(json.dumps({'id': q['id'], 'items': [{}]}))", "turn 1 has no 'score'"),
        ("print(json.dumps({'id': q['id'], 'error': 'no such drug'}))", "no such drug"),
        ("print('garbage \\x00\\xff' * 9)", "it did not answer within"),
        ("print(line)", "it did not answer within"),
        ("print(json.dumps({'id': 'other', 'score': 1}))", "it did not answer within"),
        ("time.sleep(60)", "it did not answer within"),
        (
            "print('cannot find words.txt', file=sys.stderr); sys.exit(3)",
            "it ended with exit code 3; it printed `cannot find words.txt`",
        ),
    ],
)
async def test_what_is_no_answer_is_unscored_and_says_why(
    body: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gate.score.custom_command.Command.start_s", 0.5)
    (found,) = await scores(tmp_path, "command", command=python(body), timeout=0.5)
    assert says in why(found)


async def test_items_have_places_and_reasons(tmp_path: Path) -> None:
    second = "{'score': 0, 'where': 'turn 9', 'explanation': 'no'}"
    body = f"print(json.dumps({{'id': q['id'], 'items': [1, {second}]}}))"
    (found,) = await scores(tmp_path, "command", command=python(body))
    assert isinstance(found, Scored)
    assert found.items == (Item(where="item 1", value=1.0), Item(where="turn 9", value=0.0, reason="no"))
    assert (found.value, found.reason) == (0.5, "turn 9: no")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["no-such-program"], "`no-such-program` is not on PATH"),
        (["./not/here"], "there is no program `./not/here`"),
        (["./metrics.txt"], "Permission denied|Exec format"),
        (["sh", "a\0b"], "it cannot be started: embedded null byte"),
    ],
)
async def test_a_program_that_cannot_be_started_is_told_for_every_trial(
    command: list[str], says: str, tmp_path: Path
) -> None:
    import re

    (tmp_path / "metrics.txt").write_text("no program")
    found = await scores(tmp_path, "command", [TRIAL] * 2, command=command)
    assert [bool(re.search(says, why(each))) for each in found] == [True, True], found


async def test_every_question_and_answer_follows_the_schemas(tmp_path: Path) -> None:
    body = (
        "open(os.environ['TMPDIR'] + '/q', 'w').write(line)\nprint(json.dumps({'id': q['id'], 'score': 1}))"
    )
    async with running(tmp_path, "command", command=python(body)) as metric:
        await metric.score(CASE, TRIAL)
        assert metric._place
        question = json.loads((metric._place.own / "tmp/q").read_text())
    validator = Draft202012Validator(json.loads(schema_text("metric-request")))
    assert not list(validator.iter_errors(question))
    assert question["case"]["turns"] == [
        {"user": "hello", "expect": {"contains": ["x"], "reference": "a reference"}}
    ]
    assert (question["answer"], question["metric"]) == ("an answer", "mine")


async def test_the_workers_folder_is_gone_after_the_run(tmp_path: Path) -> None:
    async with running(tmp_path, "command", command=["sh", "-c", "cat"]) as metric:
        assert metric._place
        own, code = metric._place.own, metric._place.code
        assert own.exists()
        assert code.exists()
    assert not own.exists()
    assert not code.exists()


@as_root
async def test_where_the_gate_is_root_it_is_somebody_else_who_can_write_nowhere_of_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not reachable_python():
        pytest.skip("no Python that others can reach")
    monkeypatch.setenv("AGENT_GATE_NEVER_ROOT", "1")
    monkeypatch.setenv("GITHUB_TOKEN", "canary-of-the-gate-4711")
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0o600)
    body = f"""
import os
def tried(what):
    try:
        what()
    except OSError:
        return 0
    return 1
def evaluate(instance):
    done = [
        tried(lambda: open({str(out)!r} + "/run.json", "w")),
        tried(lambda: open({str(tmp_path / "secret")!r})),
        tried(lambda: open(__file__, "a")),
        tried(lambda: open(f"/proc/{{os.getppid()}}/environ", "rb").read()),
        tried(lambda: os.kill(os.getppid(), 0)),
    ]
    fine = [tried(lambda: open(os.environ[name] + "/x", "w")) for name in ("TMPDIR", "HOME")]
    who = f"{{os.getuid()}} {{os.getgid()}} {{os.getgroups()}}"
    return {{"score": 0, "explanation": f"{{who}} {{done}} {{fine}}"}}
"""
    (tmp_path / "metrics.py").write_text(body)
    users = set()
    for _ in range(2):
        (found,) = await scores(tmp_path, "python", file="metrics.py", python=reachable_python())
        assert isinstance(found, Scored), found
        user, rest = found.reason.split(" ", 1)
        assert rest == "65533 [] [0, 0, 0, 0, 0] [1, 1]"
        users.add(user)
    assert len(users) == 2
    assert not users & {"0", "65534", "65533"}


@as_root
async def test_an_agent_cannot_read_what_a_worker_works_on(tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text("def evaluate(instance): return 1")
    async with running(tmp_path, "command", command=["sh", "-c", "cat"]) as metric:
        assert metric._place
        for path in (metric._place.code / "metrics.py", metric._place.own / "home"):
            done = subprocess.run(  # noqa: ASYNC221 - it takes a moment
                ["/bin/ls", str(path)],
                user=65534,
                group=65534,
                extra_groups=[],
                capture_output=True,
                check=False,
            )
            assert done.returncode != 0


@as_root
async def test_where_nothing_may_run_as_root_a_program_that_others_cannot_reach_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_GATE_NEVER_ROOT", "1")
    closed = tmp_path / "bin" / "sh"
    closed.parent.mkdir(mode=0o700)
    shutil.copy("/bin/sh", closed)
    monkeypatch.setenv("PATH", str(closed.parent))
    (found,) = await scores(tmp_path, "command", command=["sh", "-c", "cat"])
    assert "runs as a user of its own, who cannot reach" in why(found)


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("command", {}, "needs 'command'"),
        ("command", {"command": "node score.mjs"}, "cannot use this 'command'"),
        ("command", {"command": []}, "cannot use this 'command'"),
        ("command", {"command": ["x"], "module": "m"}, "has no option 'module'"),
        ("command", {"command": ["x"], "scale": [5, 0]}, "cannot use this 'scale'"),
        ("command", {"command": ["x"], "scale": [0, 1, 2]}, "cannot use this 'scale'"),
        ("command", {"command": ["x"], "scale": [0, True]}, "cannot use this 'scale'"),
        ("command", {"command": ["x"], "scale": [-1e308, 1e308]}, "cannot use this 'scale'"),
        ("python", {}, "needs 'module'"),
        ("python", {"module": "m", "file": "m.py"}, "says in module and in file where its function is"),
        ("python", {"module": ""}, "cannot use this 'module'"),
    ],
)
def test_options_that_cannot_be_used_are_findings(kind: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput) as bad:
        METRICS[kind](config(kind, **options))
    assert any(says in finding.what for finding in bad.value.findings)


def test_code_and_what_a_case_knows_are_a_part_of_what_is_compared(tmp_path: Path) -> None:
    from dataclasses import replace

    def expectation(extra: str = "", **options: Any) -> object:
        made = METRICS["python"](replace(config("python", file="m.py", **options), root=str(tmp_path)))
        return made.expectation(replace(case(Expect(contains=("x",))), extra={"k": extra}))

    (tmp_path / "m.py").write_text("import helper\ndef evaluate(instance): return 1")
    (tmp_path / "helper.py").write_text("A = 1")
    first = expectation()
    assert first == expectation(timeout="20s", memory="2g", python="python3")
    assert first != expectation(scale=[0, 2])
    assert first != expectation(extra="other")
    (tmp_path / "helper.py").write_text("A = 2")
    assert first != expectation()


async def test_noise_on_the_line_of_an_answer_is_noise(tmp_path: Path) -> None:
    body = "print('thinking', q['id'], end=' ... ')\nprint(json.dumps({'id': q['id'], 'score': 0.5}))"
    (found,) = await scores(tmp_path, "command", command=python(body))
    assert isinstance(found, Scored)
    assert found.value == 0.5


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        (["node", "evals/score.mjs"], {"evals/score.mjs", "evals/words.mjs", "evals/deep/more.mjs"}),
        (["node", "top.mjs"], {"top.mjs", "other.mjs"}),
        (["python3", "evals/score.py"], {"evals/score.py", "evals/helper.py"}),
        (["evals/run"], {"evals/run"}),
        (["node", "--import=x", "nowhere.mjs"], set()),
    ],
)
def test_a_command_is_made_of_the_files_that_it_names_and_their_like(
    command: list[str], parts: set[str], tmp_path: Path
) -> None:
    from dataclasses import replace

    texts = {"evals/score.py": "import helper"}
    names = ("evals/score.mjs", "evals/words.mjs", "evals/deep/more.mjs", "evals/golden.yaml", "top.mjs")
    for name in (*names, "other.mjs", "evals/score.py", "evals/helper.py", "evals/no.py", "evals/run"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(texts.get(name, ""))
    made = METRICS["command"](replace(config("command", command=command), root=str(tmp_path)))
    assert made.parts == parts  # type: ignore[attr-defined]


def test_a_command_is_held_against_category_and_tags_too_because_it_is_told_them(tmp_path: Path) -> None:
    from dataclasses import replace

    made = METRICS["command"](replace(config("command", command=["sh"]), root=str(tmp_path)))
    plain = case(Expect(contains=("x",)))
    first = made.expectation(plain)
    assert first != made.expectation(replace(plain, tags=("a",)))
    assert first != made.expectation(replace(plain, category="a"))
    assert first == made.expectation(replace(plain, quarantine=None))


async def test_the_names_of_items_are_without_secrets_and_inert(tmp_path: Path) -> None:
    body = (
        "print(json.dumps({'id': q['id'], 'items': [{'score': 1, 'where': '\\x1b[31mof sk-hidden-value'}]}))"
    )
    async with running(tmp_path, "command", command=python(body)) as metric:
        metric.redact = Redactor(["sk-hidden-value"])
        found = await metric.score(CASE, TRIAL)
    assert isinstance(found, Scored)
    assert [item.where for item in found.items] == ["of ***"]
