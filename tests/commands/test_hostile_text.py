"""An agent and a suite whose every text is an attack: nothing acts on any surface of the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from junitparser import JUnitXml

from gate import cli
from tests.support.commands import commit, gate, git
from tests.support.hostile import PIECES, markdown
from tests.support.parrots import a_parrot

ATTACK = re.sub("[\x00\ud800-\udfff]", "", "".join(PIECES))
ID = "a|b `c` ::error::x ##[error]y <!-- agent-gate:default --> @everyone <img src=x> ../../x"
BRANCH = "x'&%{a}-<!---->-##-error-@everyone"
OURS = re.compile(r"<!-- agent-gate:default -->|<details( open)?>|</details>|<summary>[\w ,:]*</summary>|\s")


@pytest.fixture(scope="module", params=["http", "adk"])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the parrot with the attack in every place, and a baseline that names it."""
    folder = tmp_path_factory.mktemp("hostile") / str(request.param)
    a_parrot(folder, request.param, ["raw"], f"env: {{PARROT_TEXT: {quoted(ATTACK)}}}")
    cases = folder / "golden/cases.yaml"
    text = cases.read_text(encoding="utf-8").replace("id: ", f"category: {quoted(ID)}, id: ")
    named = re.sub(r"id: (\w+)_raw", lambda found: f"id: {quoted(f'{found[1]} {ID}')}", text)
    cases.write_text(named, encoding="utf-8")
    (folder / ".gitignore").write_text("out*/\ngraded/\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", BRANCH)
    commit(folder, "::error::x <!-- agent-gate:default -->")
    done = gate("run", cwd=folder)
    assert done.code == 1, done.err
    inert(done.out)
    inert(done.err)
    return folder


def quoted(text: str) -> str:
    """A double-quoted YAML scalar, in which what lies beyond the first plane has an escape of its own."""
    return "".join(
        f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else json.dumps(char)[1:-1] for char in text
    ).join('""')


def inert(text: str) -> None:
    """Nothing of a printed text is a command of a runner or of a terminal, or turns text around."""
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::"), line
        assert not re.search(r"##\w*\[", line), line
    bad = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe]", text)
    assert not bad, ascii(text[max(0, bad.start() - 40) : bad.end() + 10])


def names(folder: Path) -> Iterator[str]:
    yield from (
        case["id"] for case in json.loads((folder / "out/run.json").read_text(encoding="utf-8"))["cases"]
    )


def test_nothing_that_is_printed_acts(
    attacked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(attacked)
    for case in names(attacked):
        for command in (
            ["show", case],
            ["extract", "out", "--case", case],
            ["extract", "out", "--case", case, "--summary"],
        ):
            assert cli.main(command) == 0
    for command in (
        ["check"],
        ["grade", "out"],
        ["grade", "out", "--json"],
        ["compare", "out", "out"],
        ["compare", "out", "out", "--json"],
        ["baseline", "accept", "--because", ATTACK],
        ["baseline", "show"],
        ["show", ATTACK],
        ["run", "--case", ATTACK],
        ["run", "--tag", "\n::error::x"],
        ["check", "--config", "\n::error::x ##[error]y\x1b[1m"],
        ["extract", "\n::error::x ##[error]y\x1b[1m"],
        ["baseline", "accept", "\n::error::x"],
    ):
        cli.main(command)
    printed = capsys.readouterr()
    inert(printed.out)
    inert(printed.err)


@pytest.mark.parametrize("file", ["comment.md", "summary.md"])
def test_markdown_stays_text(attacked: Path, file: str) -> None:
    text = (attacked / "out" / file).read_text(encoding="utf-8")
    inert(text)
    assert text.count("<!-- agent-gate:") <= 1
    tokens = [inner for token in markdown(text) for inner in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type in {"link_open", "image"}]
    assert [OURS.sub("", token.content) for token in tokens if token.type.startswith("html")] == [""] * sum(
        token.type.startswith("html") for token in tokens
    )
    outside = "".join(token.content for token in tokens if token.type == "text")
    assert not re.search("evil|@everyone|<img|#1", outside), outside


def test_junit_is_xml_that_names_each_case_once(attacked: Path) -> None:
    path = attacked / "out/junit.xml"
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^\s*::|##\w*\[", text, re.MULTILINE)
    found = [element.get("name") for element in ET.fromstring(text).iter("testcase")]  # noqa: S314 - our own
    assert len(set(found)) == len(found) == len(list(names(attacked)))
    suites = JUnitXml.fromfile(str(path))
    assert suites.tests == len(found)
