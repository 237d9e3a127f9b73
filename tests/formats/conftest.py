"""Spans of a real ADK agent, recorded once for all tests that read them."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.commands import ROOT, environment

RECORDER = ROOT / "tests/support/otel_recorder.py"
Record = Callable[..., str]


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Record some talks with an agent: each once, whatever asks for it."""
    known: dict[object, str] = {}

    def recorded(*talks: str, agent: str = "toy", **settings: str) -> str:
        key = (talks, agent, tuple(settings.items()))
        if key not in known:
            file = tmp_path_factory.mktemp("otel") / "spans.jsonl"
            subprocess.run(
                [sys.executable, str(RECORDER), str(file), agent, *talks],
                check=True,
                capture_output=True,
                timeout=120,
                cwd=ROOT,
                env=environment(PYTHONWARNINGS="ignore", **settings),
            )
            known[key] = file.read_text(encoding="utf-8")
        return known[key]

    return recorded
