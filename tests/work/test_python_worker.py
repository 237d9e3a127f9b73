"""The shipped worker as a file: what it may use, so that any Python of a user can run it."""

import ast
import importlib.util
import sys
from pathlib import Path

from gate.work import python_worker
from gate.work.python_worker import Part, Tolerant

SOURCE = Path(python_worker.__file__).read_text(encoding="utf-8")


def test_it_is_python_3_8_and_imports_the_standard_library_alone() -> None:
    tree = ast.parse(SOURCE, feature_version=(3, 8))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= {*sys.stdlib_module_names, "__future__"}
    assert "gate" not in SOURCE.replace("nothing of gate", "")


def test_it_can_be_loaded_from_anywhere(tmp_path: Path) -> None:
    copy = tmp_path / "worker.py"
    copy.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("worker", copy)
    assert spec
    assert spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_keys_are_found_in_any_spelling_and_others_are_not() -> None:
    found = Tolerant(custom_properties={"a": 1})
    assert (
        found["custom_Properties"] == found["customProperties"] == found.get("Custom-Properties") == {"a": 1}
    )
    assert "CUSTOM_PROPERTIES" in found
    assert found.get("other", 7) == 7
    assert "other" not in found
    assert list(found) == ["custom_properties"]


def test_a_part_is_read_by_attribute_and_lacks_nothing() -> None:
    found = Part(text="x")
    assert (found.text, found["text"], found.function_call) == ("x", "x", None)
