"""JUnit XML as test runners write it, read strictly and in one pass (https://github.com/testmoapp/junitxml).

There is no standard: every tool agrees on `testsuites`, `testsuite` and `testcase` with `failure`, `error` or
`skipped` in it; `flakyFailure` and `rerunFailure` are Maven Surefire's.
"""

import re
from collections.abc import Mapping
from typing import Final
from xml.parsers import expat

from gate.frozen import frozen

LONGEST: Final = 4000
"""Characters that are kept of why a test failed."""
_COUNT: Final = re.compile(r"\s*\+?([0-9]{1,9})(?:\.0*)?\s*", re.ASCII)
_DEEPEST: Final = 200
_MOST_ATTEMPTS: Final = 100
_SUITES: Final = ("testsuites", "testsuite")
_FAILED: Final = ("failure", "error")
_SAYS_FAILED: Final = ("fail", "failed", "failure", "error", "broken")
_SAYS_NOT_RUN: Final = ("notrun", "skipped", "disabled", "suppressed")
"""What `status` or `result` of a testcase says in place of an element: GoogleTest, CTest and others."""
_TRIED: Final = {"flakyFailure": False, "flakyError": False, "rerunFailure": True, "rerunError": True}


class NotJunit(ValueError):
    """The file cannot be read; `line` counts from 1, 0 means the file as a whole."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@frozen
class NativeTest:
    """A test, and of each time it was run why that failed: () is once, and passed. `line` is the file's."""

    name: str
    line: int
    failed: tuple[str, ...] = ()
    passed: bool = True
    seconds: float = 0.0


@frozen
class NativeResults:
    """What a file says: the tests that ran, in its order, and how many it skipped."""

    tests: tuple[NativeTest, ...]
    skipped: int = 0


def read(content: bytes) -> NativeResults:
    """The results in a JUnit file; raises NotJunit with the place and what is wrong there.

    What a suite counts as failed and no test carries, such as a package that does not build, is a test of
    its own that failed.
    """
    reader = _Reader()
    try:
        reader.parser.Parse(content, True)  # noqa: FBT003  # its only form
    except expat.ExpatError as error:
        raise NotJunit(error.lineno, f"it is no well-formed XML: {expat.ErrorString(error.code)}") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, NotJunit):
            raise
        raise NotJunit(1, f"its encoding cannot be read: {error}") from None
    return NativeResults(tests=tuple(reader.tests), skipped=reader.skipped)


@frozen
class _Suite:
    name: str
    line: int
    declared: int
    found_before: int


class _Reader:
    """What expat tells, put together."""

    def __init__(self) -> None:
        self.tests: list[NativeTest] = []
        self.skipped = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._depth = 0
        self._suites: list[_Suite] = []
        self._found = 0  # failures and errors that tests carry
        self._case: _Case | None = None

    def _start(self, element: str, attributes: Mapping[str, str]) -> None:
        name, line = element.rpartition(":")[2], self.parser.CurrentLineNumber
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotJunit(line, f"its elements are nested more than {_DEEPEST} deep")
        if self._depth == 1 and name not in _SUITES:
            raise NotJunit(line, f"the root is <{name[:80]}>, and neither <testsuites> nor <testsuite>")
        if self._case:
            self._case.start(name, attributes)
        elif name in _SUITES:
            declared = _count(attributes.get("failures")) + _count(attributes.get("errors"))
            told = attributes.get("name", "")
            self._suites.append(_Suite(name=told, line=line, declared=declared, found_before=self._found))
        elif name == "testcase":
            self._case = _Case(attributes, line, self._depth)
        elif name in _FAILED and self._suites:  # of the suite itself: it did not build, or its set-up failed
            label = f"{self._suites[-1].name or 'suite'} (outside of its tests)"
            self._case = _Case({"name": label}, line, self._depth)
            self._case.start(name, attributes)

    def _end(self, element: str) -> None:
        name, case = element.rpartition(":")[2], self._case
        if case and case.depth == self._depth:
            case.close(name)
            self._found += case.carried
            self.skipped += case.skipped
            if not case.skipped:
                self.tests.append(case.test())
            self._case = None
        elif case:
            case.end(name)
        elif name in _SUITES:
            self._close(self._suites.pop())
        self._depth -= 1

    def _close(self, suite: _Suite) -> None:
        missing = suite.declared - (self._found - suite.found_before)
        if missing <= 0:
            return
        self._found += missing
        why = f"it counts {suite.declared} as failed, and {missing} of them belong to no test"
        name = f"{suite.name or 'suite'} (outside of its tests)"
        self.tests.append(NativeTest(name=name, line=suite.line, failed=(why,), passed=False))

    def _text(self, text: str) -> None:
        if self._case:
            self._case.text(text)

    def _doctype(self, *_: object) -> None:
        raise NotJunit(self.parser.CurrentLineNumber, "it has a document type, which results never need")


class _Case:
    """One testcase while it is read."""

    def __init__(self, attributes: Mapping[str, str], line: int, depth: int) -> None:
        self._name = _name(attributes)
        self._line = line
        self.depth = depth
        self.carried = 0
        self._passed = True
        self._failed: list[str] = []
        self._open = ""
        self._said: list[str] = []
        self._room = 0
        self._seconds = _seconds(attributes.get("time"))
        said = [attributes.get(each, "").strip().lower() for each in ("status", "result")]
        self._says = next((each for each in said if each in _SAYS_FAILED), "")
        self._not_run = any(each in _SAYS_NOT_RUN for each in said)

    @property
    def skipped(self) -> bool:
        """Whether it did not run: one that failed did, such as a skipped test whose clean-up fails."""
        return self._not_run and not self._failed

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        if self._open:
            return
        self._not_run = self._not_run or element in ("skipped", "disabled")
        if element in _FAILED or element in _TRIED:
            said = attributes.get("message", "").strip()
            self._open, self._said, self._room = element, [said[:LONGEST]], 0 if said else LONGEST

    def text(self, text: str) -> None:
        if self._open and self._room > 0:
            self._said.append(text[: self._room])
            self._room -= len(text)

    def end(self, element: str) -> None:
        if element != self._open:
            return
        self.carried += element in _FAILED
        self._passed = self._passed and not (element in _FAILED or _TRIED.get(element, False))
        if len(self._failed) < _MOST_ATTEMPTS:
            self._failed.append("".join(self._said).strip())
        self._open = ""

    def close(self, element: str) -> None:
        """The end of the test: of what failed, an attribute may be all that says so."""
        self.end(element)
        if self._says and not self._failed:
            self._failed.append(f"its status is {self._says!r}")
            self._passed, self.carried = False, 1

    def test(self) -> NativeTest:
        return NativeTest(
            name=self._name,
            line=self._line,
            failed=tuple(self._failed),
            passed=self._passed,
            seconds=self._seconds,
        )


def _name(attributes: Mapping[str, str]) -> str:
    """Class and name; some tools repeat the class in the name."""
    of, name = attributes.get("classname", "").strip(), attributes.get("name", "").strip()
    if not of or not name or name.startswith(of):
        return name or of or "a test without a name"
    return f"{of}.{name}"


def _count(text: str | None) -> int:
    """A suite's count; what is none is none: not every tool writes it."""
    found = _COUNT.fullmatch(text or "")
    return int(found[1]) if found else 0


def _seconds(text: str | None) -> float:
    """`1,234.5` is what some tools make of it; what is no time is none."""
    try:
        value = float((text or "0").replace(",", ""))
    except ValueError:
        return 0.0
    return value if 0 <= value < 1e9 else 0.0  # noqa: PLR2004
