"""The XML of a JUnit file.

Built with junit-xml, then finished, because that package (1.9) writes no properties for a testcase, drops
`time` where it is 0, keeps `skipped` out of the totals and lets lone surrogates through. Attributes as in the
Jenkins schema (https://github.com/jenkinsci/xunit-plugin, junit-10.xsd); `file` and `line` as pytest.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET  # only builds; nothing is parsed here

from gate.frozen import frozen

if TYPE_CHECKING:
    from junit_xml import TestCase

Kind = Literal["", "failure", "error", "skipped"]


@frozen
class Test:
    """One testcase before it is XML; every text is already safe. `kind` "" passes."""

    name: str
    classname: str
    kind: Kind = ""
    type: str = ""
    message: str = ""
    detail: str = ""
    output: str = ""
    file: str = ""
    line: int = 0
    seconds: float = 0.0
    properties: Mapping[str, str] = field(default_factory=dict)


def render(tests: list[Test], *, name: str, timestamp: str, properties: Mapping[str, str]) -> str:
    """The file of one suite with these tests; every text must be safe already."""
    root = ET.Element("testsuites", {"name": "agent-gate"})
    suite = _suite(_unique(tests), name, timestamp, properties)
    root.append(suite)
    for key in ("tests", "failures", "errors", "skipped", "time"):
        root.set(key, suite.get(key, "0"))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _unique(tests: list[Test]) -> list[tuple[str, Test]]:
    """Each test with a name that no other has: two ids may differ only in characters that XML cannot hold."""
    taken: set[str] = set()
    named = []
    for test in tests:
        name, number = test.name or "(empty)", 2
        while name in taken:
            name, number = f"{test.name or '(empty)'} ({number})", number + 1
        taken.add(name)
        named.append((name, test))
    return named


def _suite(
    tests: list[tuple[str, Test]], name: str, timestamp: str, properties: Mapping[str, str]
) -> ET.Element:
    from junit_xml import TestSuite

    suite = TestSuite(
        name,
        [_xml_case(unique, test) for unique, test in tests],
        timestamp=timestamp,
        properties=dict(properties),
    ).build_xml_doc()
    element: ET.Element = suite
    element.set("time", f"{sum(test.seconds for _, test in tests):.3f}")
    for xml, (_, test) in zip(element.iter("testcase"), tests, strict=True):
        _finish(xml, test)
    return element


def _xml_case(name: str, test: Test) -> "TestCase":
    from junit_xml import TestCase

    case = TestCase(
        name,
        classname=test.classname,
        elapsed_sec=test.seconds,
        stdout=test.output,
        file=test.file,
        line=test.line or None,
    )
    match test.kind:
        case "failure":
            case.add_failure_info(test.message, test.detail, test.type)
        case "error":
            case.add_error_info(test.message, test.detail, test.type)
        case "skipped":
            case.add_skipped_info(test.message)
        case "":
            pass
    return case


def _finish(xml: ET.Element, test: Test) -> None:
    """What junit-xml leaves out: the time of 0 seconds, and properties, which come first by the schema."""
    xml.set("time", f"{test.seconds:.3f}")
    if test.properties:
        properties = ET.Element("properties")
        for name, value in test.properties.items():
            ET.SubElement(properties, "property", {"name": name, "value": value})
        xml.insert(0, properties)
