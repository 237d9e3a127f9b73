"""Options of the whole suite: `--update-goldens`, and the real parts that a test may require.

`@pytest.mark.requires("docker")` skips where the part is missing, which is right on a laptop, and fails where
the environment variable GATE_REQUIRE (comma-separated) names it, which is right in CI: there a skip would be
a check that disappeared.
"""

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import settings

# No test asserts on the clock: how long an example takes says how busy the machine is.
settings.register_profile("gate", deadline=None)
settings.load_profile("gate")


def _missing_commands(*names: str) -> str:
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))
    missing = [name for name in names if shutil.which(name, path=path) is None]
    return f"not on PATH: {', '.join(missing)}" if missing else ""


def _missing_docker() -> str:
    if reason := _missing_commands("docker"):
        return reason
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False, timeout=30)
    except subprocess.TimeoutExpired:
        return "the engine does not answer within 30 s"
    return f"no engine answers: {done.stderr.strip()[:200]}" if done.returncode else ""


def _missing_browser() -> str:
    reasons = [_missing_commands(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    return reasons[0] if all(reasons) else ""


def _missing_postgres() -> str:
    from tests.support.postgres import binaries

    return "" if binaries() else "no initdb on PATH or below /usr/lib/postgresql"


PARTS: dict[str, Callable[[], str]] = {
    "act": lambda: _missing_commands("act"),
    "browser": _missing_browser,
    "docker": _missing_docker,
    "make": lambda: _missing_commands("make"),
    "node": lambda: _missing_commands("node", "npm"),
    "postgres": _missing_postgres,
}


@cache
def _why_missing(part: str) -> str:
    return PARTS[part]()


def _required() -> frozenset[str]:
    return frozenset(name.strip() for name in os.environ.get("GATE_REQUIRE", "").split(",") if name.strip())


def _parts_of(item: pytest.Item) -> list[str]:
    return [part for mark in item.iter_markers("requires") for part in mark.args]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="rewrite golden files instead of comparing with them"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"requires(*parts): a real part that the test needs; one of {', '.join(sorted(PARTS))}"
    )
    if unknown := _required() - PARTS.keys():
        known = ", ".join(sorted(PARTS))
        raise pytest.UsageError(
            f"GATE_REQUIRE names unknown parts: {', '.join(sorted(unknown))}; known: {known}"
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if unknown := set(_parts_of(item)) - PARTS.keys():
            raise pytest.UsageError(f"{item.nodeid} requires unknown parts: {', '.join(sorted(unknown))}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for part in _parts_of(item):
        if reason := _why_missing(part):
            if part in _required():
                pytest.fail(f"GATE_REQUIRE names {part} and it is missing: {reason}", pytrace=False)
            pytest.skip(f"{part} is missing: {reason}")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten from what was rendered."""
    return bool(request.config.getoption("--update-goldens"))
