"""What `check` says of judges before a cent is spent."""

from pathlib import Path

import pytest

from gate.check import check

ANCHORS = "".join(
    f"  - {{id: a{n}, response: r{n}, rubric: polite, label: {'true' if n % 2 else 'false'}}}\n"
    for n in range(10)
)
CONFIG = """\
version: 1
agent:
  protocol: http
  boot: {url: "http://127.0.0.1:9"}
  http: {path: /, request: {m: "{text}"}, response: {text: $.t}}
dataset: golden.yaml
judges:
  main: {base_url: "https://gateway.example/v1", model: judge-1, key: JUDGE_KEY}
metrics:
  tone: {type: judge, anchors: anchors.yaml}
rules:
  tone: {min: 0.9, coverage: 0.95}
"""
GOLDEN = "cases:\n  - {id: a, user: hi, expect: {rubric: polite}}\n"
ENVIRON = {"JUDGE_KEY": "canary-12345", "OTHER": "x"}


def found(
    folder: Path,
    config: str = CONFIG,
    *,
    anchors: str | bytes | None = f"anchors:\n{ANCHORS}",
    golden: str = GOLDEN,
) -> list[str]:
    (folder / "agent-gate.yml").write_text(config, encoding="utf-8")
    (folder / "golden.yaml").write_text(golden, encoding="utf-8")
    if anchors is not None:
        content = anchors if isinstance(anchors, bytes) else anchors.encode()
        (folder / "anchors.yaml").write_bytes(content)
    findings = check(folder / "agent-gate.yml", environ=ENVIRON).findings
    shown = []
    for finding in findings:
        place = str(finding.place).replace(f"{folder.as_posix()}/", "")
        shown.append(f"{place} {finding.level} {finding.rule}: {finding.what}")
    return shown


def test_a_suite_with_a_healthy_judge_has_no_findings(tmp_path: Path) -> None:
    assert found(tmp_path) == []


CHANGED = [
    ("key: JUDGE_KEY", "key: NO_KEY", "unset-variable: the variable NO_KEY of judge 'main' is not set"),
    ("key: JUDGE_KEY", "headers_from: {api-key: NONE}", "unset-variable: the variable NONE of judge 'main'"),
    (
        "key: JUDGE_KEY",
        "headers: {authorization: Bearer x}",
        "judge-secret-literal: a header of judge 'main'",
    ),
    ("key: JUDGE_KEY", "key: OTHER, token_command: [t]", "two-credentials: judge 'main' has both"),
    ("https://gateway", "http://gateway", "judge-in-clear: the credential of judge 'main' would go over"),
    ("key: JUDGE_KEY", "budget: {money: 3}", "budget-without-price: judge 'main' has a budget of money"),
    (
        "key: JUDGE_KEY",
        "budget: {calls: 3}",
        "judge-budget: the budget of judge 'main' is 3 calls, and a run may need 11",
    ),
    ("key: JUDGE_KEY", "ca: none.pem", "bad-authorities: 'ca' of judge 'main' cannot be used: No such file"),
    (
        "key: JUDGE_KEY",
        "ca: golden.yaml",
        "bad-authorities: 'ca' of judge 'main' cannot be used: it holds no cert",
    ),
    ("type: judge,", "type: judge, judge: mian,", "unknown-judge: metric 'tone': there is no judge 'mian'"),
    (
        "  main:",
        "  b: {base_url: 'https://x', model: m}\n  main:",
        "unknown-judge: metric 'tone': which judge it",
    ),
    (
        "type: judge,",
        "type: judge, prompt: 'Is it good?',",
        "prompt-without-answer: the prompt of metric 'tone'",
    ),
    ("type: judge,", "kind: trajectory, type: judge, prompt: '{response}',", "has no {trajectory}"),
    (
        "type: judge,",
        "type: judge, prompt: '{response} {rubrik}',",
        "unknown-placeholder: {rubrik} in the prompt",
    ),
    (", anchors: anchors.yaml", "", "unanchored: metric 'tone' has no anchors"),
    ("anchors: anchors.yaml", "anchors: /proc/self/environ", "it must be a file of this repository"),
    ("anchors: anchors.yaml", "anchors: ../../../../proc/self/environ", "it is outside of this repository"),
    (
        "anchors: anchors.yaml",
        "anchors: nowhere.yaml",
        "no-anchors: the anchors of metric 'tone' cannot be read",
    ),
    (
        "anchors: anchors.yaml",
        "anchors: anchors.yaml, samples: 4",
        "even-samples: metric 'tone' takes 4 samples",
    ),
    (
        "{type: judge, anchors: anchors.yaml}",
        "{type: judge, judge: main, samples: 99}",
        "it must be at most 15",
    ),
    ("  tone: {type: judge, anchors: anchors.yaml}", "  {}", "judge-unused: no metric asks the judge 'main'"),
    ("model: judge-1", "modell: judge-1", "unknown-key: 'modell' is not a key"),
    ("https://gateway.example/v1", "gateway", "'base_url' cannot be 'gateway'"),
    ("coverage: 0.95", "coverage: 2", "coverage"),
]


@pytest.mark.parametrize(("old", "new", "what"), CHANGED)
def test_what_is_wrong_with_a_judge_is_found_at_its_line(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    assert old in CONFIG
    shown = found(tmp_path, CONFIG.replace(old, new))
    assert any(what in line and line.startswith("agent-gate.yml:") for line in shown), shown


WRONG_ANCHORS: list[tuple[str | bytes, str]] = [
    ("anchors: []\n", "anchors.yaml:1:10 error"),
    ("anchors:\n  - {id: a, response: x, label: maybe}\n", "anchors.yaml:2:33 error"),
    ("anchors:\n  - {id: a, response: x, label: 1.5}\n", "anchors.yaml:2:33 error"),
    ("anchors:\n  - {id: a, respones: x, label: true}\n", "did you mean 'response'?"),
    ("anchors:\n  - {id: a, label: true}\n", "anchors.yaml:2:5 error missing-key"),
    ("anchors: [", "anchors.yaml:"),
    (b"anchors: \xff", "anchors.yaml error not-utf8: cannot be read: byte 9 is not UTF-8"),
    (
        f"anchors:\n{ANCHORS}  - {{id: a1, response: x, rubric: p, label: true}}\n",
        "duplicate-anchor: anchor 'a1' is also at",
    ),
    ("anchors:\n  - {id: a, response: x, label: true}\n", "anchor-lacks: anchor 'a' has no 'rubric'"),
    (
        "anchors:\n  - {id: a, response: x, rubric: p, label: 0.5}\n",
        "anchor-label: the label of anchor 'a' is a number",
    ),
    (
        "rubric: p\nanchors:\n  - {id: a, response: x, label: true}\n",
        "few-anchors: metric 'tone' has only 1 anchors",
    ),
    (
        f"anchors:\n{ANCHORS.replace('false', 'true')}",
        "one-sided-anchors: the anchors of metric 'tone' all have",
    ),
]


@pytest.mark.parametrize(("anchors", "what"), WRONG_ANCHORS)
def test_what_is_wrong_with_anchors_is_found_at_its_place(
    tmp_path: Path, anchors: str | bytes, what: str
) -> None:
    shown = found(tmp_path, anchors=anchors)
    assert any(what in line for line in shown), shown


def test_a_rubric_judge_without_any_rubric_is_told(tmp_path: Path) -> None:
    shown = found(tmp_path, golden="cases:\n  - {id: a, user: hi, expect: {contains: [x]}}\n")
    assert any("metric-without-cases: no case has what the metric 'tone' is held against" in s for s in shown)


def test_the_agent_must_not_get_the_key_of_its_judge(tmp_path: Path) -> None:
    boot = '{command: [python3, "{port}"], pass_env: [JUDGE_KEY]}'
    shown = found(tmp_path, CONFIG.replace('{url: "http://127.0.0.1:9"}', boot))
    assert any(
        "judge-key-passed: the agent gets JUDGE_KEY, which judge 'main' reads" in line for line in shown
    )


def test_a_config_without_judges_loads_nothing_of_them(tmp_path: Path) -> None:
    import subprocess
    import sys

    plain = CONFIG.partition("judges:")[0]
    (tmp_path / "agent-gate.yml").write_text(plain, encoding="utf-8")
    (tmp_path / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from gate.suite import Selection, prepare;"
        "import gate.pipeline;"
        "prepare(Path('agent-gate.yml'), Selection());"
        "print([name for name in sys.modules if name.startswith(('gate.judge', 'gate.check.judges'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
