import os
import platform

import pytest

from gate import __version__
from gate.bug import bug_report


def test_a_report_has_versions_and_the_traceback_but_no_secret_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-of-no-known-shape")
    report = ""
    try:
        int(os.environ["SOME_API_KEY"])
    except ValueError:
        report = bug_report()
    assert f"agent-gate {__version__}, Python {platform.python_version()}" in report
    assert "ValueError: invalid literal for int() with base 10: '" in report
    assert "canary" not in report
