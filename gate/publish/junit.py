"""junit.xml: one testcase a case; failure only for quality, error for infrastructure, skipped for quarantine.

Built with junit-xml, then finished, because that package (1.9) writes no properties for a testcase, drops
`time` where it is 0, keeps `skipped` out of the totals and lets lone surrogates through. Attributes as in the
Jenkins schema (https://github.com/jenkinsci/xunit-plugin, junit-10.xsd); `file` and `line` as pytest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET  # only builds; nothing is parsed here

from gate.model.run import CaseVerdict, Report, RuleVerdict
from gate.publish import case_words, groups, headline, table
from gate.publish.escape import line, lines, tail
from gate.publish.words import rule_label

if TYPE_CHECKING:
    from junit_xml import TestCase

_OWN = "agent-gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """One testcase before it is XML; every text is already safe. `kind` "" passes."""

    name: str
    classname: str
    kind: Literal["", "failure", "error", "skipped"] = ""
    type: str = ""
    message: str = ""
    detail: str = ""
    output: str = ""
    file: str = ""
    line: int = 0
    seconds: float = 0.0
    properties: Mapping[str, str] = field(default_factory=dict)


def render(report: Report) -> str:
    """Render the JUnit file. A red or undecided run never has a file without a failure or an error."""
    tests = _unique(list(_tests(report)))
    root = ET.Element("testsuites", {"name": _OWN})
    suite = _suite(report, tests)
    root.append(suite)
    for key in ("tests", "failures", "errors", "skipped", "time"):
        root.set(key, suite.get(key, "0"))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _tests(report: Report) -> Iterator[_Test]:
    if groups.never_ran(report):
        yield _agent(report)
        return
    tests = [_agent(report)] if report.meta.agent_down else []
    tests += [_case(case) for case in groups.in_suite(report)]
    tests += [
        _rule(report, verdict) for verdict in groups.failed_rules(report) if verdict.rule.metric != "cases"
    ]
    yield from tests
    wanted = {"pass": "", "regression": "failure", "undecided": "error"}[report.comparison.verdict]
    if wanted and wanted not in {test.kind for test in tests}:
        yield _verdict(report)


def _agent(report: Report) -> _Test:
    meta = report.meta
    return _Test(
        name="agent",
        classname=_OWN,
        kind="error",
        type="agent_down",
        message=line(meta.agent_down or report.comparison.reason, 600) or "nothing could be measured",
        detail=lines(tail(meta.log_tail)),
        seconds=meta.duration_s,
    )


def _case(case: CaseVerdict) -> _Test:
    kind, type_, message = _result(case)
    return _Test(
        name=line(case.id),
        classname=line(case.category) or "agent",
        kind=kind,
        type=type_,
        message=message,
        detail=_detail(case) if kind in ("failure", "error") else "",
        output=_output(case),
        file=line(case.place.file),
        line=case.place.line,
        seconds=case.duration_ms / 1000,
        properties=_properties(case),
    )


def _result(case: CaseVerdict) -> tuple[Literal["", "failure", "error", "skipped"], str, str]:
    """The kind, type and message of a case; what failed before as well passes, and a property says so."""
    if case.klass == "quarantined":
        return "skipped", "quarantined", "quarantined" + case_words.quarantine(case, line)
    if case.klass == "regressed":
        return "failure", "regression", case_words.history(case)
    if case.failing and case.klass in ("new", "changed"):
        return "failure", "expectation", case_words.history(case)
    if case.klass == "undecided" or not (case.measured or case.klass == "removed"):
        return "error", case.cause or "coverage", case_words.unmeasured(case, line)
    return "", "", ""


def _detail(case: CaseVerdict) -> str:
    return "\n".join(case_words.reason(item, line) for item in dict.fromkeys(case.reasons))


def _output(case: CaseVerdict) -> str:
    called = [f"called: {line(call)}" for call in case.calls[:50]]
    answered = ["answered:", lines(case.answer)] if case.answer.strip() else []
    return "\n".join([*called, *answered])


def _properties(case: CaseVerdict) -> dict[str, str]:
    return {
        "agent-gate.class": case.klass,
        "agent-gate.failing": str(case.failing).lower(),
        "agent-gate.passed": str(case.passed),
        "agent-gate.measured": str(case.measured),
        "agent-gate.planned": str(case.planned),
        **{f"metric.{line(name)}": f"{value:.6g}" for name, value in case.metrics.items()},
        **{f"unscored.{line(name)}": line(cause) for name, cause in case.unscored.items()},
    }


def _rule(report: Report, verdict: RuleVerdict) -> _Test:
    label = rule_label(verdict.rule, table.unit_of(report, verdict.rule.metric))
    value = "nothing" if verdict.value is None else f"{verdict.value:.6g}"
    before = "" if verdict.baseline is None else f", {verdict.baseline:.6g} before"
    return _Test(
        name=f"rule {line(verdict.rule.metric)} ({line(verdict.scope)})",
        classname=f"{_OWN}.rules",
        kind="failure",
        type="regression",
        message=f"{label}: it is {value}{before}",
        detail=lines(verdict.reason),
        file=line(verdict.rule.place.file),
        line=verdict.rule.place.line,
    )


def _verdict(report: Report) -> _Test:
    comparison = report.comparison
    red = comparison.verdict == "regression"
    return _Test(
        name="verdict",
        classname=_OWN,
        kind="failure" if red else "error",
        type="regression" if red else comparison.cause or "undecided",
        message=headline.headline(report, line),
        detail=lines(comparison.reason),
    )


def _unique(tests: list[_Test]) -> list[tuple[str, _Test]]:
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


def _suite(report: Report, tests: list[tuple[str, _Test]]) -> ET.Element:
    from junit_xml import TestSuite

    suite = TestSuite(
        line(f"{_OWN} {report.meta.config}"),
        [_xml_case(name, test) for name, test in tests],
        timestamp=line(report.meta.started_at.removesuffix("Z")),
        properties=_suite_properties(report),
    ).build_xml_doc()
    element: ET.Element = suite
    element.set("time", f"{sum(test.seconds for _, test in tests):.3f}")
    for xml, (_, test) in zip(element.iter("testcase"), tests, strict=True):
        _finish(xml, test)
    return element


def _xml_case(name: str, test: _Test) -> "TestCase":
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


def _finish(xml: ET.Element, test: _Test) -> None:
    """What junit-xml leaves out: the time of 0 seconds, and properties, which come first by the schema."""
    xml.set("time", f"{test.seconds:.3f}")
    if test.properties:
        properties = ET.Element("properties")
        for name, value in test.properties.items():
            ET.SubElement(properties, "property", {"name": name, "value": value})
        xml.insert(0, properties)


def _suite_properties(report: Report) -> dict[str, str]:
    meta, comparison = report.meta, report.comparison
    removed = sum(case.klass == "removed" for case in comparison.cases)
    return {
        "agent-gate.verdict": comparison.verdict,
        "agent-gate.cause": comparison.cause or "",
        "agent-gate.exit_code": str(comparison.exit_code),
        "agent-gate.enforced": str(comparison.enforced).lower(),
        "agent-gate.run": line(meta.run),
        "agent-gate.commit": line(meta.commit.sha),
        "agent-gate.baseline": comparison.baseline.state,
        "agent-gate.selection": line(" ".join(meta.selection)),
        "agent-gate.interrupted": str(meta.interrupted).lower(),
        "agent-gate.removed": str(removed),
    }
