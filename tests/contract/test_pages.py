"""The README and its pages: links lead somewhere, examples are read by the gate, commands are commands."""

import json
import re
import shlex

import pytest

from gate.documents import parse, validate
from gate.verbs import parser
from tests.support.commands import ROOT
from tests.support.pages import EXAMPLES, GUIDE, PAGES, Page

KEYS = frozenset(json.loads((ROOT / "schemas/config.schema.json").read_text(encoding="utf-8"))["properties"])
REST = {
    "version": "version: 1\n",
    "agent": "agent: {protocol: adk, app: a, boot: {url: 'http://a'}}\n",
    "dataset": "dataset: a\n",
}
BLOCKS = [(page.name, block) for page in GUIDE for block in page.blocks("yaml") if "\njobs:" not in block]
COMMANDS = re.compile(r"(?:^\$ |&& )(agent-gate [^#\n&]*)", re.MULTILINE)


def missing(page: Page, link: str) -> bool:
    path, _, anchor = link.partition("#")
    if not path:
        return anchor not in page.anchors
    target = ((ROOT / page.name).parent / path).resolve()
    if not target.exists():
        return True
    led = [each for each in (*PAGES, *EXAMPLES) if (ROOT / each.name).resolve() == target]
    return bool(anchor) and not (led and anchor in led[0].anchors)


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Page) -> None:
    assert not [link for link in page.links if missing(page, link)]


def test_a_link_that_leads_nowhere_is_found() -> None:
    text = (
        "# A\n## A\n```yaml\n# Not\n[x](none)\n```\n[a](#a) [b](#a-1) [c](#not) `[d](e)` [f](docs/none.md)\n"
    )
    page = Page(name="README.md", text=f"{text}[g](docs/agents.md#none) [h](docs) [i](https://a/b)\n")
    assert [link for link in page.links if missing(page, link)] == [
        "#not",
        "docs/none.md",
        "docs/agents.md#none",
    ]


def test_the_readme_leads_to_every_page_of_its_details() -> None:
    readme = next(page for page in GUIDE if page.name == "README.md")
    led = {link.partition("#")[0] for link in readme.links}
    assert {page.name for page in GUIDE} - {"README.md"} <= led


def read(name: str, block: str) -> list[str]:
    """What is wrong with a block: a config or part of one, a golden file, anchors, or steps of a workflow."""
    document = parse(block, name)
    assert isinstance(document.value, dict)
    known = set(document.value)
    schema = "dataset" if "cases" in known else "anchors" if "anchors" in known else "config"
    if known == {"steps"}:
        return [str(finding) for finding in document.findings]
    if schema == "config":
        document = parse("".join(text for key, text in REST.items() if key not in known) + block, name)
    return [str(finding) for finding in (*document.findings, *validate(document, schema))]


@pytest.mark.parametrize(("name", "block"), BLOCKS)
def test_every_example_is_what_the_gate_reads(name: str, block: str) -> None:
    assert read(name, block) == []


def test_an_example_with_a_key_that_is_none_is_found() -> None:
    assert read("a", "agent: {protocol: adk, app: a, boots: {url: 'http://a'}}\n")
    assert read("a", "metrics: {calls: {mod: exactly}}\n")
    assert read("a", "anchors: [{id: a}]\n")


def test_every_protocol_has_an_example_on_the_page_of_agents() -> None:
    schema = json.loads((ROOT / "schemas/config.schema.json").read_text(encoding="utf-8"))
    protocols = set(schema["$defs"]["agent"]["properties"]["protocol"]["enum"])
    (agents,) = [page for page in GUIDE if page.name == "docs/agents.md"]
    shown = set(re.findall(r"protocol: ([\w-]+)", "".join(agents.blocks("yaml"))))
    assert protocols - {"openai-responses"} <= shown


@pytest.mark.parametrize("page", [*GUIDE, *EXAMPLES], ids=lambda page: page.name)
def test_every_command_that_is_shown_is_one(page: Page) -> None:
    for line in COMMANDS.findall("".join(page.blocks("console"))):
        words = shlex.split(line)[1:]
        parser(words[0]).parse_args(words)


def test_commands_are_shown() -> None:
    shown = [line for page in GUIDE for line in COMMANDS.findall("".join(page.blocks("console")))]
    assert len(shown) > 15
    with pytest.raises(SystemExit):
        parser("import").parse_args(["import", "adk-evalsets", "a"])
