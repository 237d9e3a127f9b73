"""JUnit files: as the tools write them, and as nobody should."""

import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import quoteattr

import junitparser
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.formats.junit_results import LONGEST, NativeResults, NotJunit, read

PASSED = '<testcase classname="a" name="b" time="0.5"/>'


def suite(inner: str, **attributes: str) -> bytes:
    told = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<testsuite {told}>{inner}</testsuite>".encode()


def case(inner: str) -> bytes:
    return suite(f'<testcase classname="a" name="b">{inner}</testcase>')


def encoded(name: str) -> bytes:
    return f'<?xml version="1.0" encoding="{name}"?><testsuite><testcase name="ü"/></testsuite>'.encode(name)


def only(content: bytes) -> tuple[str, bool, tuple[str, ...]]:
    (test,) = read(content).tests
    return test.name, test.passed, test.failed


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (suite(PASSED), ("a.b", True, ())),
        (case('<failure message="no">long text</failure>'), ("a.b", False, ("no",))),
        (case("<failure><![CDATA[ in\nthe text ]]></failure>"), ("a.b", False, ("in\nthe text",))),
        (case("<failure/>"), ("a.b", False, ("",))),
        (case('<error message="x"/>'), ("a.b", False, ("x",))),
        (case('<failure message="1"/><error message="2"/>'), ("a.b", False, ("1", "2"))),
        (case('<flakyFailure message="once"/>'), ("a.b", True, ("once",))),
        (case('<failure message="1"/><rerunFailure message="2"/>'), ("a.b", False, ("1", "2"))),
        (case("<system-out>&lt;failure/&gt;</system-out><properties/>"), ("a.b", True, ())),
        (case("<failure>a<nested/>b</failure>"), ("a.b", False, ("ab",))),
        (suite('<testcase name="alone"/>'), ("alone", True, ())),
        (suite('<testcase classname="alone"/>'), ("alone", True, ())),
        (suite("<testcase/>"), ("a test without a name", True, ())),
        (suite('<testcase classname="a test" name="a test adds"/>'), ("a test adds", True, ())),
        (suite("<testsuite>" + PASSED + "</testsuite>"), ("a.b", True, ())),
        (b'<j:testsuites xmlns:j="x"><j:testcase name="n"/></j:testsuites>', ("n", True, ())),
        (b"\xef\xbb\xbf" + suite(PASSED), ("a.b", True, ())),
        (encoded("utf-16"), ("ü", True, ())),
        (encoded("iso-8859-1"), ("ü", True, ())),
    ],
)  # fmt: skip
def test_a_test_passed_or_says_why_each_time_that_it_failed(
    content: bytes, expected: tuple[str, bool, tuple[str, ...]]
) -> None:
    assert only(content) == expected


@pytest.mark.parametrize("element", ["<skipped/>", '<skipped message="no docker"/>', "<disabled/>"])
def test_a_skipped_test_is_counted_and_did_not_run(element: str) -> None:
    assert read(case(element)) == NativeResults(tests=(), skipped=1)


@pytest.mark.parametrize(
    "inner",
    ["<skipped/><error message='e'/>", "<error message='e'/><skipped/>", "<disabled/><failure message='e'/>"],
)
def test_a_skipped_test_that_failed_all_the_same_is_no_skipped_test(inner: str) -> None:
    held = read(case(inner))
    assert held.skipped == 0
    assert [(test.passed, test.failed) for test in held.tests] == [(False, ("e",))]


@pytest.mark.parametrize("said", ['status="notrun"', 'result="suppressed"', 'status="Disabled"'])
def test_an_attribute_may_say_that_a_test_did_not_run(said: str) -> None:
    assert read(suite(f'<testcase name="n" {said}/>')) == NativeResults(tests=(), skipped=1)


@pytest.mark.parametrize("said", ['status="failed"', 'status="fail"', 'result="Error"', 'status="broken"'])
def test_an_attribute_may_be_all_that_says_that_a_test_failed(said: str) -> None:
    (test,) = read(suite(f'<testcase name="n" {said}/>', failures="1")).tests
    assert not test.passed
    assert test.failed == (f"its status is {said.split(chr(34))[1].lower()!r}",)
    told = f'<testcase name="n" {said}><failure message="no"/></testcase>'
    assert [test.failed for test in read(suite(told, failures="1")).tests] == [("no",)]


@pytest.mark.parametrize(
    "said", ['status="run" result="completed"', 'status="passed"', 'status="unheard of"']
)
def test_another_word_of_an_attribute_says_nothing(said: str) -> None:
    (test,) = read(suite(f'<testcase name="n" {said}/>')).tests
    assert test.passed


@pytest.mark.parametrize("element", ["failure", "error"])
@pytest.mark.parametrize("counted", [{}, {"errors": "1"}])
def test_a_suite_that_failed_itself_is_a_failure_of_its_own(element: str, counted: dict[str, str]) -> None:
    told = f"{PASSED}<{element} message='set-up'>at line 3</{element}>{PASSED}"
    tests = read(suite(told, name="pkg", **counted)).tests
    assert [(test.name, test.failed) for test in tests] == [
        ("a.b", ()),
        ("pkg (outside of its tests)", ("set-up",)),
        ("a.b", ()),
    ]
    assert not tests[1].passed


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (suite("", name="pkg", errors=" 1 "), ["pkg (outside of its tests)"]),
        (suite("", name="pkg", errors="1.0"), ["pkg (outside of its tests)"]),
        (suite("", name="pkg", errors="1"), ["pkg (outside of its tests)"]),
        (suite("", failures="2"), ["suite (outside of its tests)"]),
        (suite(PASSED, name="pkg", failures="1"), ["a.b", "pkg (outside of its tests)"]),
        (suite('<testcase name="n"><failure/></testcase>', failures="1"), ["n"]),
        (suite('<testcase name="n"><failure/><error/></testcase>', failures="1", errors="1"), ["n"]),
        (suite('<testcase name="n"><flakyFailure/></testcase>', failures="0"), ["n"]),
        (
            b'<testsuites errors="1"><testsuite name="in" errors="1"/></testsuites>',
            ["in (outside of its tests)"],
        ),
        (suite(PASSED, failures="-1", errors="many"), ["a.b"]),
        (suite(PASSED, failures="9999999999999999"), ["a.b"]),
    ],
)
def test_what_a_suite_counts_as_failed_and_no_test_carries_is_a_failure_of_its_own(
    content: bytes, names: list[str]
) -> None:
    tests = read(content).tests
    assert [test.name for test in tests] == names
    assert all(not test.passed for test in tests if "outside" in test.name)


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"", 1, "no element found"),
        (b"PASS\n", 1, "syntax error"),
        (b"<testsuite>\n<testcase>\n</testsuite>", 3, "mismatched tag"),
        (b"<html>\n</html>", 1, "the root is <html>"),
        (b'{"a": 1}', 1, "no well-formed XML"),
        (b"<testsuite>\n<testcase name='\xff'/></testsuite>", 2, "no well-formed XML"),
        (b'<!DOCTYPE t [<!ENTITY a "aa">]><testsuite/>', 1, "document type"),
        (b'<?xml version="1.0" encoding="klingon"?><testsuite/>', 1, "encoding"),
        (b"<testsuite>" * 300, 1, "nested more than 200 deep"),
        (b"<testsuite>&#0;</testsuite>", 1, "no well-formed XML"),
    ],
)
def test_what_is_no_junit_is_told_with_its_line(content: bytes, line: int, says: str) -> None:
    with pytest.raises(NotJunit, match=says) as error:
        read(content)
    assert error.value.line == line


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0.5", 0.5),
        ("1,234.5", 1234.5),
        ("NaN", 0),
        ("inf", 0),
        ("-1", 0),
        ("soon", 0),
        ("", 0),
        ("1e300", 0),
    ],
)
def test_a_time_is_seconds_or_nothing(text: str, seconds: float) -> None:
    (test,) = read(suite(f"<testcase name='n' time='{text}'/>")).tests
    assert test.seconds == seconds


def test_of_a_long_failure_its_start_is_kept() -> None:
    for inner in (f"<failure>{'x' * 99_999}</failure>", f"<failure message='{'x' * 99_999}'/>"):
        (failed,) = only(case(inner))[2]
        assert failed == "x" * LONGEST


def test_a_test_that_was_tried_a_thousand_times_keeps_a_hundred_reasons() -> None:
    assert len(only(case("<flakyFailure message='x'/>" * 1000))[2]) == 100


ELEMENTS = st.sampled_from(
    [
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
        "skipped",
        "flakyFailure",
        "system-out",
        "x:y",
    ]
)
TREES = st.recursive(
    st.builds(lambda name: f"<{name}/>", ELEMENTS),
    lambda inner: st.builds(
        lambda name, number, within: (
            f"<{name} failures='{number}' name='{number}'>{''.join(within)}</{name}>"
        ),
        ELEMENTS,
        st.integers(-1, 3),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(
    st.binary() | TREES.map(str.encode) | TREES.map(lambda tree: f"<testsuites>{tree}</testsuites>".encode())
)
@example(b"<testsuite><testcase><testcase><failure/></testcase></testcase></testsuite>")
def test_nothing_but_not_junit_is_ever_raised(content: bytes) -> None:
    with suppress(NotJunit):
        assert all(test.passed or test.failed for test in read(content).tests)


@given(st.lists(st.sampled_from(["", "<failure/>", "<error/>", "<skipped/>"]), max_size=30))
def test_a_parser_of_junit_counts_the_same(inner: list[str]) -> None:
    tests = "".join(f"<testcase name='{n}' classname='c'>{each}</testcase>" for n, each in enumerate(inner))
    parsed = junitparser.JUnitXml.fromstring(
        f"<testsuites><testsuite name='s'>{tests}</testsuite></testsuites>"
    )
    results = read(f"<testsuites><testsuite name='s'>{tests}</testsuite></testsuites>".encode())
    cases = [each for one in parsed for each in one]
    assert len(results.tests) == sum(not each.is_skipped for each in cases)
    assert [test.passed for test in results.tests] == [
        each.is_passed for each in cases if not each.is_skipped
    ]


TESTS = """\
import pytest


def test_good(): pass


def test_bad(): assert {"a": 1} == {"a": 2}, "they differ \\u2028 <b>"


@pytest.mark.skip
def test_skipped(): pass


@pytest.fixture
def broken():
    yield 1
    raise RuntimeError("in the teardown")


def test_torn(broken): pass
"""


def test_what_pytest_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=j.xml", "."]
    subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, timeout=120)
    found = read((tmp_path / "j.xml").read_bytes())
    failed = {test.name: test.failed for test in found.tests if not test.passed}
    assert found.skipped == 1
    assert "test_it.test_good" in {test.name for test in found.tests if test.passed}
    assert "they differ" in failed["test_it.test_bad"][0]
    assert "in the teardown" in failed["test_it.test_torn"][0]
    assert len(failed) == 2


NODE = """\
const {test, describe, it} = require("node:test");
test("good", () => {});
test("skipped", {skip: true}, () => {});
describe("a group", () => { it("bad", () => { throw new Error("oops <b>"); }); });
"""


@pytest.mark.requires("node")
def test_what_node_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").write_text(NODE, encoding="utf-8")
    node = shutil.which("node")
    assert node
    command = [node, "--test", "--test-reporter=junit", "a.test.js"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, timeout=120)
    found = read(done.stdout)
    assert {test.name: test.passed for test in found.tests} == {"test.good": True, "test.bad": False}
    assert found.skipped == 1
    (bad,) = (test for test in found.tests if not test.passed)
    assert "oops <b>" in bad.failed[0]
