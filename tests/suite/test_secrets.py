"""Whose values must never be written."""

from pathlib import Path

import pytest

from gate.config import from_document
from gate.documents import parse
from gate.suite.secrets import secrets_of

CONFIG = """\
version: 1
agent:
  protocol: agent-engine
  boot:
    {boot}
dataset: golden.yaml
"""


@pytest.mark.parametrize(
    ("boot", "secrets"),
    [
        ("{url: http://a, pass_env: [A_TOKEN], headers: {X-A: '{A_TOKEN}'}}", {" ya29.x\n", "ya29.x"}),
        ("{command: [a], pass_env: [A_TOKEN, NOT_SET, EMPTY]}", {" ya29.x\n", "ya29.x"}),
        ("{image: a, pass_env: [A_TOKEN]}", {" ya29.x\n", "ya29.x"}),
        ("{url: http://a, headers: {Authorization: Bearer abc}}", {"Bearer abc", "abc"}),
        ("{url: http://a}", set()),
    ],
)
def test_the_variables_that_are_passed_are_secret_as_they_are_and_as_a_header_has_them(
    boot: str, secrets: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", " ya29.x\n")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("NOT_SET", raising=False)
    config = from_document(parse(CONFIG.replace("{boot}", boot), "agent-gate.yml"), Path("sub")).config
    assert config
    assert set(secrets_of(config)) == secrets
