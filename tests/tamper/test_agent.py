"""The tamper table: which agent is run, how it is confined, talked to and read."""

import pytest

from gate.config import load
from gate.model.bar import BarChange
from gate.model.config import Config, ContainerBoot
from tests.support.tamper_table import (
    Edit,
    Row,
    check_accepted,
    check_broken,
    check_good,
    config,
    parametrized,
)
from tests.support.tampering import Ask, Judge, Project, accepted, nobody, told

TEXT = "text: $.reply"


def elsewhere(project: Project) -> None:
    project.edit("agent-gate.yml", project.agent.url, project.other.url)


def boot(text: str) -> Edit:
    """The config with another `boot`; URL is the agent's."""

    def edit(project: Project) -> None:
        config = project.text()
        begin, end = config.index("  boot:"), config.index("  http:")
        new = text.replace("URL", project.agent.url)
        project.write("agent-gate.yml", f"{config[:begin]}  boot: {new}\n{config[end:]}")

    return edit


ROWS = (
    Row("tests another agent", elsewhere, "agent changed agent.boot !", "rude"),
    Row(
        "sends a header by which the server tells tests from others",
        boot('{url: "URL", headers: {X-Tenant: easy}}'),
        "agent changed agent.boot.headers !",
    ),
    Row(
        "reads a part of the answer that is always the same",
        config(TEXT, "text: $.always"),
        "agent changed agent.http !",
    ),
    Row(
        "maps no calls, so that none is scored",
        config(', calls: "$.tool_calls[*]"', ""),
        "agent changed agent.http !",
    ),
    Row(
        "sends the expected answer with the question",
        config('{message: "{text}",', '{message: "{text}", hint: "say Hello",'),
        "agent changed agent.http !",
    ),
    Row(
        "sends a header of the protocol",
        config("path: /chat", "path: /chat\n    headers: {X-Test: '1'}"),
        "agent changed agent.http !",
    ),
)


@parametrized(ROWS)
async def test_what_would_test_something_else_waits_and_is_told(row: Row, project: Project) -> None:
    await check_good(row, project)


@parametrized(tuple(row for row in ROWS if row.hides))
async def test_what_would_hide_a_broken_agent_does_not(row: Row, project: Project) -> None:
    await check_broken(row, project)


@parametrized(ROWS[:2])
async def test_it_is_merged_once_it_is_accepted(row: Row, project: Project) -> None:
    await check_accepted(row, project)


async def test_a_mapping_that_reads_wrong_answers_right_is_not_in_force(project: Project) -> None:
    project.edit("agent-gate.yml", TEXT, "text: $.always")
    report = await Judge(project).run("rude")
    assert report.comparison.exit_code == 3
    hello = next(case for case in report.comparison.cases if case.id == "hello")
    assert (hello.passed, hello.answer) == (0, "What?")


async def test_good_traces_recorded_beforehand_are_not_replayed(project: Project) -> None:
    await Judge(project).run()
    recorded = project.folder.parent / f"{project.folder.name}.out/traces.jsonl"
    project.write("good.jsonl", recorded.read_text())
    text = project.text()
    begin, end = text.index("  protocol"), text.index("dataset")
    project.write(
        "agent-gate.yml", f"{text[:begin]}  protocol: replay\n  replay: {{traces: good.jsonl}}\n{text[end:]}"
    )
    hidden = await Judge(project).run("rude", accepted)
    assert hidden.comparison.exit_code == 0 or hidden.comparison.cause == "not_comparable"
    report = await Judge(project).run("rude")
    assert (report.meta.protocol, report.comparison.cause) == ("http", "needs_acceptance")
    assert [told(change) for change in report.comparison.bar.changes if change.needs_acceptance] == [  # type: ignore[union-attr]
        "agent changed agent.protocol !",
        "agent changed agent.boot !",
    ]


CONTAINER = "{build: ., memory: 1g, tmpfs: {/data: 64m}, capabilities: [CHOWN], pass_env: [API_KEY]}"
COMMAND = "{command: [python3, agent.py], pass_env: [API_KEY]}"


LOOSER = {
    "passes another secret": (
        CONTAINER.replace("[API_KEY]", "[API_KEY, GH_TOKEN]"),
        "agent loosened agent.boot.pass_env !",
    ),
    "passes the first secret": ("{build: ., pass_env: [HOME]}", "agent loosened agent.boot.pass_env !"),
    "opens the network": (
        CONTAINER.replace("{build: .", "{build: ., egress: open"),
        "agent loosened agent.boot.egress !",
    ),
    "takes more memory": (CONTAINER.replace("1g", "64g"), "agent loosened agent.boot.memory !"),
    "takes the default of memory": (
        CONTAINER.replace(" memory: 1g,", ""),
        "agent loosened agent.boot.memory !",
    ),
    "takes more processes": (
        CONTAINER.replace("{build: .", "{build: ., pids: 99999"),
        "agent loosened agent.boot.pids !",
    ),
    "keeps a capability": (
        CONTAINER.replace("CHOWN", "CHOWN, SYS_ADMIN"),
        "agent loosened agent.boot.capabilities !",
    ),
    "may write to its files": (
        CONTAINER.replace("{build: .", "{build: ., read_only: false"),
        "agent loosened agent.boot.read_only !",
    ),
    "may write to another folder": (
        CONTAINER.replace("/data: 64m", "/data: 64m, /etc: 1m"),
        "agent loosened agent.boot.tmpfs !",
    ),
    "may write more": (CONTAINER.replace("64m", "64g"), "agent loosened agent.boot.tmpfs !"),
    "may write more to what is there anyway": (
        CONTAINER.replace("/data: 64m", "/data: 64m, /tmp: 8g"),
        "agent loosened agent.boot.tmpfs !",
    ),
    "has words of answer and expectation masked, so that they are the same": (
        CONTAINER.replace("{build: .", "{build: ., headers: {X-Key: get_weather, X-Token: get_nothing}"),
        "agent changed agent.boot.headers !",
    ),
    "runs as root": (
        CONTAINER.replace("{build: .", "{build: ., user: root"),
        "agent loosened agent.boot.user !",
    ),
    "leaves the container": (COMMAND, "agent changed agent.boot !"),
    "tests an agent that runs already": ('{url: "http://127.0.0.1:9"}', "agent changed agent.boot !"),
}
TESTED = {
    "builds otherwise": (CONTAINER.replace("build: .", "build: other"), "agent changed agent.boot.source"),
    "runs another image": (CONTAINER.replace("build: .", "image: other"), "agent changed agent.boot.source"),
    "starts another command": (
        CONTAINER.replace("{build: .", "{build: ., command: [serve]"),
        "agent changed agent.boot.command",
    ),
    "sets a variable": (
        CONTAINER.replace("{build: .", "{build: ., env: {A: b}"),
        "agent changed agent.boot.env",
    ),
    "listens elsewhere": (
        CONTAINER.replace("{build: .", "{build: ., port: 9"),
        "agent changed agent.boot.port",
    ),
    "sends another header": (
        CONTAINER.replace("{build: .", "{build: ., headers: {X-A: b}"),
        "agent changed agent.boot.headers",
    ),
    "gives up a secret": (CONTAINER.replace("[API_KEY]", "[]"), "agent tightened agent.boot.pass_env"),
    "takes less memory": (CONTAINER.replace("1g", "512m"), "agent tightened agent.boot.memory"),
    "writes less to what is there anyway": (
        CONTAINER.replace("/data: 64m", "/data: 64m, /tmp: 8m"),
        "agent tightened agent.boot.tmpfs",
    ),
}


def prepared(project: Project, text: str, ask: Ask = nobody) -> tuple[Config, tuple[BarChange, ...]]:
    boot(CONTAINER)(project)
    project.write("Dockerfile", "FROM scratch\n")
    project.write("other/Dockerfile", "FROM scratch\n")
    project.write("agent.py", "")
    project.commit()
    boot(text)(project)
    suite = Judge(project).prepared(ask)
    assert suite.bar
    return suite.config, suite.bar.changes


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "of-the-base-0123")
    monkeypatch.setenv("GH_TOKEN", "of-the-head-0123")


@pytest.mark.parametrize(("text", "listed"), LOOSER.values(), ids=LOOSER)
def test_what_opens_the_container_is_not_in_force_until_it_is_accepted(
    text: str, listed: str, project: Project
) -> None:
    held, changes = prepared(project, text)
    assert listed in list(map(told, changes))
    boot_ = held.agent.boot
    assert isinstance(boot_, ContainerBoot)
    assert set(boot_.pass_env) <= {"API_KEY"}
    assert boot_.headers == {}
    assert boot_.confinement.egress == "none"
    assert boot_.confinement.memory_bytes <= 2**30
    assert boot_.confinement.pids <= 512
    assert set(boot_.confinement.capabilities) <= {"CHOWN"}
    assert boot_.confinement.read_only
    assert boot_.confinement.user == ""
    sizes = boot_.confinement.tmpfs
    assert sizes.keys() <= {"/data", "/tmp"}
    assert sizes.get("/data", 0) <= 64 * 2**20
    assert sizes.get("/tmp", 0) <= 256 * 2**20


@pytest.mark.parametrize("text", [text for text, _ in LOOSER.values()], ids=LOOSER)
def test_once_accepted_it_is_in_force(text: str, project: Project) -> None:
    held, _ = prepared(project, text, accepted)
    boot(text)(project)
    alone = load(project.config).config
    assert alone
    assert held.agent == alone.agent


@pytest.mark.parametrize(("text", "listed"), TESTED.values(), ids=TESTED)
def test_what_is_under_test_is_the_pull_request_s_and_told(text: str, listed: str, project: Project) -> None:
    _, changes = prepared(project, text)
    assert listed in list(map(told, changes))
    assert not any(change.needs_acceptance for change in changes)
