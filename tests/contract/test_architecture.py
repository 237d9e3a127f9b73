"""The shape of gate/: who may import whom, what is pure, how long things get, what a start costs."""

import ast
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = tuple(sorted((ROOT / "gate").rglob("*.py")))
PURE_ROOMS = ("compare", "formats", "model")
IMPURE_MODULES = frozenset(
    (
        "asyncio",
        "docker",
        "http",
        "httpx",
        "io",
        "os",
        "pathlib",
        "shutil",
        "socket",
        "subprocess",
        "tempfile",
        "urllib",
    )
)
IMPURE_CALLS = frozenset(("__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"))
LONGEST_MODULE = 300
LONG_FUNCTION = 35

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def pure_modules() -> list[Path]:
    return [path for room in PURE_ROOMS for path in MODULES if room in path.relative_to(ROOT).parts]


def impurities(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (
                    f"{node.lineno}: import {n.name}" for n in names if root_of(n.name) in IMPURE_MODULES
                )
            case ast.ImportFrom(module=str(module), level=0) if root_of(module) in IMPURE_MODULES:
                yield f"{node.lineno}: from {module}"
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                yield f"{node.lineno}: {name}()"


def root_of(module: str) -> str:
    return module.partition(".")[0]


def undocumented(tree: ast.Module) -> Iterator[str]:
    if ast.get_docstring(tree) is None:
        yield "1: the module"
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if not (name.startswith("_") or ast.get_docstring(node) or is_overload(node)):
                    yield f"{node.lineno}: {name}"
            case _:
                pass


def is_overload(node: ast.stmt) -> bool:
    """The implementation below its overloads has the docstring."""
    return isinstance(node, Function) and any(ast.unparse(each) == "overload" for each in node.decorator_list)


def lengths(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (node.end_lineno or node.lineno) - node.lineno + 1, f"{node.lineno}: {node.name}"


def test_the_import_contracts_are_kept() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os.path", ["1: import os.path"]),
        ("from pathlib import Path", ["1: from pathlib"]),
        ("def f():\n    with open('x') as file: return file", ["2: open()"]),
        ("from gate.model.case import Case\nimport math\ndef reopen(): ...", []),
    ],
)
def test_an_impurity_is_seen(source: str, found: list[str]) -> None:
    assert list(impurities(ast.parse(source))) == found


def test_compare_formats_and_model_touch_no_world() -> None:
    found = [f"{name_of(path)}:{what}" for path in pure_modules() for what in impurities(parsed(path))]
    assert pure_modules()
    assert not found


def test_records_are_made_by_one_decorator() -> None:
    others = [path for path in MODULES if path != ROOT / "gate/frozen.py"]
    assert not [name_of(path) for path in others if "frozen=True" in path.read_text(encoding="utf-8")]


def test_no_module_is_longer_than_300_lines() -> None:
    counts = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {name: lines for name, lines in counts.items() if lines > LONGEST_MODULE}


def test_nine_functions_in_ten_are_shorter_than_35_lines() -> None:
    found = sorted(
        chain.from_iterable(((n, f"{name_of(p)}:{what}") for n, what in lengths(parsed(p))) for p in MODULES)
    )
    long = [entry for entry in found if entry[0] >= LONG_FUNCTION]
    assert len(long) <= len(found) / 10, long


def test_every_public_module_class_and_function_says_what_it_promises() -> None:
    assert not [f"{name_of(path)}:{what}" for path in MODULES for what in undocumented(parsed(path))]


def modules_after(program: str) -> set[str]:
    """Names of what is in sys.modules after `program`, in an interpreter that no coverage tool starts in."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    tail = "\nimport json, sys; print(); print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program + tail],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded: list[str] = json.loads(done.stdout.splitlines()[-1])
    return set(loaded)


HELP = """
import sys
from gate.cli import main
sys.argv = ["agent-gate", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def test_help_pays_for_no_heavy_import() -> None:
    allowed = {"gate", "__main__", *(sys.stdlib_module_names - {"asyncio"})}
    loaded = {root_of(name) for name in modules_after(HELP) - modules_after("")}
    assert "gate" in loaded
    assert loaded <= allowed


FIRST_REQUEST = """
import json, os, sys
from gate.cli import main
from gate.http.pipe import Pipe

def send(*_):
    print(json.dumps(sorted(sys.modules)), flush=True)
    os._exit(0)

Pipe.send = send
main(["run", "--config", CONFIG, "--out", OUT])
"""
LATER = frozenset(
    (
        *("difflib", "email", "http.client", "importlib.resources", "random", "secrets", "statistics"),
        *("tempfile", "urllib.request", "xml"),
        *("gate.action", "gate.boot.command", "gate.boot.container", "gate.boot.nothing", "gate.bug"),
        *("gate.commands.check", "gate.compare.cases", "gate.compare.rules", "gate.compare.verdict"),
        *("gate.drive.adk", "gate.drive.replay", "gate.formats.adk", "gate.github", "gate.http.cookies"),
        *("gate.http.proxied", "gate.publish.comment", "gate.publish.headline", "gate.publish.junit"),
        *("gate.publish.summary", "gate.publish.table", "gate.publish.terminal"),
        *("gate.check.custom", "gate.formats.agents_cli_config", "gate.judge", "gate.score.custom"),
        *("gate.score.figures", "gate.score.judge", "gate.score.rouge", "gate.work.files"),
    )
)


def test_a_run_loads_nothing_before_its_first_request_that_the_request_does_not_need(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as agent:
        config = tmp_path / "agent-gate.yml"
        boot = f"{{url: 'http://127.0.0.1:{agent.getsockname()[1]}'}}"
        http = "{path: /, request: {message: '{text}'}, response: {text: $.reply}}"
        config.write_text(
            f"version: 1\nagent: {{protocol: http, boot: {boot}, http: {http}}}\ndataset: golden.yaml\n"
        )
        (tmp_path / "golden.yaml").write_text("cases: [{id: one, user: hi, expect: {contains: x}}]\n")
        places = f"CONFIG, OUT = {str(config)!r}, {str(tmp_path / 'out')!r}\n"
        loaded = modules_after(places + FIRST_REQUEST) - modules_after("")
    assert "gate.http.pipe" in loaded
    ours = {"gate", "h11", "yaml", "_yaml", "cython_runtime"}
    others = {root for name in loaded if (root := root_of(name)) not in {*sys.stdlib_module_names, *ours}}
    assert not {name for name in others if not name.startswith(("__", "_cython"))}
    assert not {late for late in LATER for name in loaded if f"{name}.".startswith(f"{late}.")}
