import subprocess
import sys

from gate.publish import SINKS
from tests.support.reports import a_regression, situations


def test_every_surface_has_a_file_of_its_own() -> None:
    assert {name: sink.file for name, sink in SINKS.items()} == {
        "comment": "comment.md",
        "junit": "junit.xml",
        "summary": "summary.md",
    }


def test_rendering_twice_gives_the_same_bytes() -> None:
    for sink in SINKS.values():
        for report in situations().values():
            assert sink.render(report) == sink.render(report)
        assert sink.render(a_regression()).endswith("\n")


def test_surfaces_import_nothing_heavy() -> None:
    heavy = ("rich", "junit_xml", "httpx", "docker", "asyncio", "jsonschema", "yaml")
    code = (
        f"import sys, gate.publish, gate.publish.terminal; print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
