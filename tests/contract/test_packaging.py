"""What we ship and how it is locked: the wheel, the version, the requirements."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import gate
from gate.recorded.postgres import INSTALL

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
LOCKS = ("runtime", "build", "dev", "langgraph", "peers", "kagent")
LOCK_LINE = re.compile(
    r"[a-z0-9._-]+==[\w.!+]+( ; [^:/]+)? \\"  # a pin, with a marker where it is not for everyone
    r"|    --hash=sha256:[0-9a-f]{64}( \\)?"
)


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        table: dict[str, object] = tomllib.load(file)["project"]
    return table


def names_in(lines: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines if not line.startswith(("#", "-")))
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}


def lines_of(name: str) -> list[str]:
    return (REQUIREMENTS / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


def test_the_wheel_carries_the_package_its_types_and_every_schema(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    schemas = {f"gate/schemas/{path.name}" for path in (ROOT / "schemas").glob("*.json")}
    assert schemas
    assert {"gate/__init__.py", "gate/cli.py", "gate/py.typed", *schemas} <= inside
    assert {name.partition("/")[0] for name in inside} == {
        "gate",
        f"agent_regression_gate-{gate.__version__}.dist-info",
    }


def test_the_installed_command_runs_from_another_directory(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--disable-pip-version-check",
        "--target",
        str(site),
    ]
    subprocess.run([sys.executable, "-m", "pip", *install, str(wheel)], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*command: str) -> str:
        return subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        ).stdout

    where = run(sys.executable, "-c", "import gate; print(gate.__file__)")
    assert Path(where.strip()).is_relative_to(site)
    assert gate.__version__ in run(str(site / "bin" / "agent-gate"), "--version")
    assert json.loads(run(str(site / "bin" / "agent-gate"), "schema", "config"))["$schema"].endswith(
        "2020-12/schema"
    )


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_pins_and_hashes_and_nothing_else(name: str) -> None:
    lines = lines_of(f"{name}.txt")
    assert lines
    assert not [line for line in lines if not LOCK_LINE.fullmatch(line)]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_what_was_asked_for(name: str) -> None:
    assert names_in(lines_of(f"{name}.in")) <= names_in(
        [line for line in lines_of(f"{name}.txt") if line[0] != " "]
    )


def test_development_runs_on_the_versions_that_users_get() -> None:
    def pins(name: str) -> set[str]:
        return {line.partition(" ")[0] for line in lines_of(f"{name}.txt") if line[0] != " "}

    assert pins("runtime") | pins("build") <= pins("dev")


def test_the_package_asks_for_what_the_runtime_lock_was_made_from() -> None:
    asked = [line for line in lines_of("runtime.in") if not line.startswith("#")]
    assert project()["dependencies"] == asked


def test_the_node_lock_has_hashes_and_no_addresses() -> None:
    packages = json.loads((REQUIREMENTS / "node" / "package-lock.json").read_text(encoding="utf-8"))[
        "packages"
    ]
    locked = {name: entry for name, entry in packages.items() if name}
    assert locked
    assert all(entry["integrity"].startswith("sha512-") for entry in locked.values())
    assert not [name for name, entry in locked.items() if "resolved" in entry]


def test_what_reads_postgresql_is_an_extra_that_the_message_names() -> None:
    extras = project()["optional-dependencies"]
    assert isinstance(extras, dict)
    (needed,) = names_in(extras["postgres"])
    assert needed in names_in(lines_of("dev.in"))
    assert needed not in names_in(lines_of("runtime.txt"))
    assert f"pip install '{project()['name']}[postgres]'" == INSTALL
