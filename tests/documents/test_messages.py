import json
import shlex

import pytest
import yaml

from gate.documents import parse, validate
from gate.documents.messages import did_you_mean, findings_of, problem_of, show
from gate.documents.validator import make_validator

HEAD = "version: 1\nagent: {protocol: adk, app: x}\ndataset: g\n"


def config(text: str) -> list[tuple[str, str, str, str]]:
    document = parse(text, "c.yaml")
    return [
        (f.rule, str(f.place).removeprefix("c.yaml:"), f.what, f.fix) for f in validate(document, "config")
    ]


def words(schema: dict[str, object], value: object) -> list[str]:
    document = parse(json.dumps(value), "x.json")
    return [
        f.what for error in make_validator(schema)(value) for f in findings_of(problem_of(error), document)
    ]


def test_an_unknown_key_is_found_at_the_key_with_the_nearest_known_one() -> None:
    text = "cases:\n  - id: a\n    turns:\n      - user: x\n        expects: {calls: none}\n"
    finding = validate(parse(text, "golden/cards.yaml"), "dataset")[0]
    assert str(finding.place) == "golden/cards.yaml:5:9"
    assert (finding.rule, finding.what) == (
        "unknown-key",
        "'expects' is not a key of a turn; did you mean 'expect'?",
    )


@pytest.mark.parametrize(
    ("more", "rule", "place", "what", "fix"),
    [
        ("run: {trials: 0}", "bad-value", "4:15", "'trials' is 0; it must be at least 1", ""),
        (
            "run: {trials: three}",
            "wrong-type",
            "4:15",
            "'trials' must be a whole number, not text ('three')",
            "",
        ),
        (
            "run: {trial_timeout: 60 sec}",
            "bad-value",
            "4:22",
            "'trial_timeout' cannot be '60 sec'",
            "Write for example 60s, 2m, 500ms.",
        ),
        (
            "metrics: {calls: {mode: exactl}}",
            "bad-value",
            "4:25",
            "'mode' cannot be 'exactl'; did you mean 'exactly'?",
            "It is one of: at_least, exactly, at_most, in_order.",
        ),
        (
            "run: {speed: 1}",
            "unknown-key",
            "4:7",
            "'speed' is not a key of a run",
            "Its keys are: trials, concurrency, trial_timeout, rate, retries.",
        ),
        (
            "rules: {calls: 3}",
            "wrong-type",
            "4:16",
            "'calls' must be a mapping or a list, not a number (3)",
            "Write for example {min: 0.9, max_drop: 0.05}.",
        ),
        (
            "rules: {calls: [{mni: 1}]}",
            "unknown-key",
            "4:18",
            "'mni' is not a key of a rule; did you mean 'min'?",
            "",
        ),
        (
            "prices: {input: 1}",
            "wrong-type",
            "4:17",
            "'input' must be a mapping, not a number (1)",
            "Write for example prices: {MODEL: {input: 0.3, output: 2.5}}.",
        ),
        ("baseline: ''", "bad-value", "4:11", "'baseline' is empty", ""),
        (
            "metrics: {trajectory_single_tool_use: {}}",
            "missing-key",
            "4:11",
            "a metric of type 'trajectory_single_tool_use' needs 'tool'",
            "",
        ),
        (
            "metrics: {rouge_L: {}}",
            "missing-key",
            "4:11",
            "a metric with a name of its own needs 'type'; did you mean 'rouge_l'?",
            "",
        ),
        (
            "metrics: {tone: {}}",
            "missing-key",
            "4:11",
            "a metric with a name of its own needs 'type'",
            "Write for example {type: trajectory_recall}.",
        ),
        ("metrics: {cases: {type: calls}}", "bad-value", "4:10", "'cases' cannot be a key of 'metrics'", ""),
        (
            "rules: {calls: {max_drop: -1}}",
            "bad-value",
            "4:27",
            "'max_drop' is -1; it must be at least 0",
            "Write for example 0.05, 25%.",
        ),
    ],
)
def test_schema_errors_read_as_sentences(more: str, rule: str, place: str, what: str, fix: str) -> None:
    assert config(f"{HEAD}{more}\n") == [(rule, place, what, fix)]


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("python a.py --port {port}", 'Write [python, a.py, --port, "{port}"].'),
        ("sh -c 'a  b'", 'Write [sh, -c, "a  b"].'),
        ("serve 8080 yes", 'Write [serve, "8080", "yes"].'),
        ("x . -1 - -.inf .5 null -y", 'Write [x, ., "-1", "-", "-.inf", ".5", "null", "-y"].'),
        ("a 'b", 'Write for example [python, server.py, --port, "{port}"].'),
        ("x " * 500, 'Write for example [python, server.py, --port, "{port}"].'),
        ("a\u2028b", 'Write for example [python, server.py, --port, "{port}"].'),
    ],
)
def test_a_command_line_is_written_as_the_list_that_it_means(line: str, fix: str) -> None:
    (found,) = config(
        f"version: 1\ndataset: a\nagent: {{protocol: adk, app: x, boot: {{command: {json.dumps(line)}}}}}\n"
    )
    assert (found[0], found[3]) == ("wrong-type", fix)
    if "example" not in fix:
        assert yaml.safe_load(fix.removeprefix("Write ").removesuffix(".")) == shlex.split(line)


def test_what_a_ready_looks_like_is_shown() -> None:
    (found,) = config(
        "version: 1\ndataset: a\nagent: {protocol: adk, app: x, boot: {url: 'http://a', ready: /h}}\n"
    )
    assert found[3] == "Write for example {path: /health, within: 60s}."


def test_all_findings_come_at_once_in_the_files_order() -> None:
    found = config("versoin: 1\nagent: {protocol: adkk}\nrun: {trials: 0, retires: 1}\n")
    assert [(rule, place) for rule, place, _, _ in found] == [
        ("missing-key", "1:1"),
        ("missing-key", "1:1"),
        ("unknown-key", "1:1"),
        ("bad-value", "2:19"),
        ("bad-value", "3:15"),
        ("unknown-key", "3:18"),
    ]


def test_of_several_branches_the_one_that_fits_best_is_spoken_of() -> None:
    schema: dict[str, object] = {
        "anyOf": [
            {"type": "object", "required": ["url"], "properties": {"url": {}}, "additionalProperties": False},
            {"type": "object", "properties": {"command": {"type": "array"}}, "additionalProperties": False},
            {"type": "string"},
        ]
    }
    assert words(schema, {"command": "x"}) == ["'command' must be a list, not text ('x')"]
    assert words(schema, 3) == ["this file must be a mapping or text, not a number (3)"]


@pytest.mark.parametrize(
    ("schema", "value", "what"),
    [
        ({"const": 1}, 2, "this file must be 1, not 2"),
        ({"uniqueItems": True}, [1, 1], "this file lists something twice"),
        ({"minItems": 2}, [1], "this file needs at least 2 entries"),
        ({"maxItems": 1}, [1, 2], "this file takes at most 1 entries"),
        (
            {"properties": {"a": {"items": {"type": "null"}}}},
            {"a": [1]},
            "an item of 'a' must be nothing (null), not a number (1)",
        ),
        ({"type": "string"}, None, "this file must be text, not nothing"),
        ({"type": "string"}, {"a": 1}, "this file must be text, not a mapping"),
        ({"not": {}}, True, "this file cannot be true"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "this file: 'b' is a dependency of 'a'"),
    ],
)
def test_every_kind_of_error_has_words(schema: dict[str, object], value: object, what: str) -> None:
    assert words(schema, value) == [what]


def test_long_values_are_cut_and_far_words_are_not_suggested() -> None:
    assert len(show("x" * 1000)) == 60
    assert did_you_mean("expect", ["tags"]) == ""
