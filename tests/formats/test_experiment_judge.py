"""Judges of an experiment are judges here: model, prompts and parameters; the address is asked for."""

import json

import pytest

from gate.documents import parse
from gate.formats import experiment
from gate.formats.experiment_judge import ADDRESS
from gate.judge.templates import unknown
from gate.model import Json
from tests.support.cases import lines

GROUNDED: dict[str, Json] = {
    "type": "llm_judge",
    "name": "grounded",
    "model": "judge-2026-01",
    "system_prompt": "You are strict.",
    "prompt_template": 'Q: {prompt}\nA: {response}\nGold: {reference}\nAnswer {{"score": 1}}.',
    "params": {"temperature": 0, "max_output_tokens": 300},
}


def experiments(*metrics: Json) -> tuple[dict[str, Json], list[str]]:
    document = parse(json.dumps({"metrics": list(metrics)}, indent=1), "e.json")
    part, findings = experiment.read(document.value, document.place)
    return part, lines(findings)


def test_a_judge_keeps_model_prompts_and_parameters_and_its_address_is_asked_for() -> None:
    part, findings = experiments(GROUNDED)
    assert part == {
        "judges": {
            "main": {
                "base_url": ADDRESS, "model": "judge-2026-01", "temperature": 0, "body": {"max_tokens": 300},
            }
        },
        "metrics": {
            "grounded": {
                "type": "judge", "kind": "score", "judge": "main",
                "prompt": "You are strict.\n\nQ: {prompt}\nA: {response}\nGold: {reference}\n"
                'Answer {"score": 1}.',
            }
        },
    }  # fmt: skip
    assert findings == [
        f"e.json:2:2 warn judge-address: where its judges are is not in this file: `base_url` reads {ADDRESS}"
    ]


def test_judges_that_ask_the_same_model_alike_are_one() -> None:
    part, _ = experiments(
        GROUNDED,
        {**GROUNDED, "name": "tone", "prompt_template": "Kind? {response}"},
        {**GROUNDED, "name": "other", "params": {"temperature": 1}},
    )
    judges, metrics = part["judges"], part["metrics"]
    assert isinstance(judges, dict)
    assert isinstance(metrics, dict)
    assert list(judges) == ["main", "judge_2"]
    asked = {name: each["judge"] for name, each in metrics.items() if isinstance(each, dict)}
    assert asked == {"grounded": "main", "tone": "main", "other": "judge_2"}


@pytest.mark.parametrize(
    ("system", "template", "kind", "prompt"),
    [
        (
            "s",
            None,
            "score",
            "s\n\nWhat the user said:\n{prompt}\n\nWhat the assistant answered:\n{response}",
        ),
        (None, "{predicted_trajectory}", "score", "{trajectory}"),
        (None, "{predicted_trajectory} {reference_trajectory}", "trajectory", "{trajectory} {reference}"),
        (None, "{{prompt}} {}", "score", "{prompt} {}"),
    ],
)
def test_placeholders_are_those_of_the_gate(
    system: str | None, template: str | None, kind: str, prompt: str
) -> None:
    given: dict[str, Json] = {**GROUNDED, "system_prompt": system, "prompt_template": template}
    part, _ = experiments(given)
    assert part["metrics"] == {"grounded": {"type": "judge", "kind": kind, "prompt": prompt, "judge": "main"}}
    assert unknown(prompt) == ()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"prompt_template": "{prompt} {question}"},
            "e.json:8:4 warn not-carried-over: {question} of a prompt stands for nothing here",
        ),
        (
            {"prompt_template": "{reference} {reference_trajectory}"},
            "e.json:8:4 warn not-carried-over: a prompt with `{reference}` and `{reference_trajectory}`",
        ),
        (
            {"params": {"safety_settings": []}},
            "e.json:10:5 warn not-carried-over: `safety_settings` of `params`",
        ),
        ({"threshold": 0.8}, "e.json:13:4 warn not-carried-over: `threshold` of a metric"),
    ],
)
def test_what_a_judge_here_does_not_know_is_told(changes: dict[str, Json], says: str) -> None:
    part, findings = experiments({**GROUNDED, **changes})
    assert part["metrics"]
    assert any(line.startswith(says) for line in findings), findings
