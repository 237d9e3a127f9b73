"""Every rule of the check has a test that names it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
MAKERS = {"Finding", "error", "warn", "report", "stop", "_finding", "_broken", "_wrong"}


def rules() -> Iterator[str]:
    """The rule ids in gate/: what is given as `rule=`, or first to a function that makes a finding."""
    for path in (ROOT / "gate").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            named = [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
            makes = ast.unparse(node.func).rpartition(".")[2] in MAKERS
            for value in [*named, *(node.args[:2] if makes else [])]:
                if (
                    isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                    and RULE.fullmatch(value.value)
                ):
                    yield value.value


def test_every_rule_of_the_check_is_named_by_a_test() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = set(rules())
    assert len(known) > 40
    named = set(re.findall(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])", tests))
    assert not sorted(known - named)
