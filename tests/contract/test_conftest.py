"""A missing part skips a test on a laptop and fails it in CI."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

NEEDS_NODE = """
import pytest

@pytest.mark.requires("node")
def test_with_node():
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite of its own under our conftest, on a machine that has nothing on PATH and asks for nothing."""
    pytester.makeconftest(Path(__file__).parents[1].joinpath("conftest.py").read_text(encoding="utf-8"))
    monkeypatch.setenv("PATH", str(pytester.mkdir("bin")))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("GATE_REQUIRE", raising=False)
    return pytester


def put_on_path(suite: pytest.Pytester, *names: str) -> None:
    for name in names:
        command = suite.path / "bin" / name
        command.write_text("#!/bin/sh\n", encoding="utf-8")
        command.chmod(0o755)


def test_a_missing_part_skips(suite: pytest.Pytester) -> None:
    suite.makepyfile(NEEDS_NODE)
    suite.runpytest_subprocess().assert_outcomes(skipped=1)


def test_a_missing_part_that_is_required_fails(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(NEEDS_NODE)
    monkeypatch.setenv("GATE_REQUIRE", "docker, node")
    result = suite.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*GATE_REQUIRE names node and it is missing: not on PATH: node, npm*"])


def test_a_part_that_is_there_runs(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.makepyfile(NEEDS_NODE)
    put_on_path(suite, "node", "npm")
    monkeypatch.setenv("GATE_REQUIRE", "node")
    suite.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_unknown_name_in_gate_require_is_an_error(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(NEEDS_NODE)
    monkeypatch.setenv("GATE_REQUIRE", "dokcer")
    result = suite.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*GATE_REQUIRE names unknown parts: dokcer; known: *"])


def test_an_unknown_part_of_a_test_is_an_error(suite: pytest.Pytester) -> None:
    suite.makepyfile(NEEDS_NODE.replace("node", "nod"))
    result = suite.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_with_nod requires unknown parts: nod*"])


@pytest.mark.parametrize(("arguments", "expected"), [((), False), (("--update-goldens",), True)])
def test_goldens_are_rewritten_only_on_demand(
    suite: pytest.Pytester, arguments: tuple[str, ...], expected: bool
) -> None:
    suite.makepyfile(f"def test_it(update_goldens):\n    assert update_goldens is {expected}")
    suite.runpytest_subprocess(*arguments).assert_outcomes(passed=1)
