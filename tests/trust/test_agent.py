"""What is in force of an agent: never more than the base lets it have."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.boot.container.confine import WRITABLE
from gate.model.config import (
    AgentConfig,
    BootConfig,
    CommandBoot,
    Confinement,
    ContainerBoot,
    Image,
    NoBoot,
    UrlBoot,
)
from gate.model.finding import Place
from gate.trust import _bare
from gate.trust.agent import AgentSides

PLACE = Place(file="agent-gate.yml")
names = st.lists(st.sampled_from(["A_KEY", "B_KEY", "C_KEY"]), unique=True, max_size=3).map(sorted).map(tuple)
confinements = st.builds(
    Confinement,
    user=st.sampled_from(["", "root", "0:0", "1000"]),
    capabilities=st.lists(st.sampled_from(["CHOWN", "SYS_ADMIN"]), unique=True).map(tuple),
    read_only=st.booleans(),
    memory_bytes=st.integers(1, 4),
    pids=st.integers(1, 4),
    tmpfs=st.dictionaries(st.sampled_from(["/tmp", "/run", "/data"]), st.sampled_from([1, 2**24, 2**40])),
    egress=st.sampled_from(["none", "open"]),
)
containers = st.builds(
    ContainerBoot,
    source=st.just(Image(name="i")),
    pass_env=names,
    confinement=confinements,
    hidden=st.lists(st.sampled_from(["a.yaml", "b.yaml"]), unique=True).map(tuple),
)
commands = st.builds(CommandBoot, command=st.just(("serve",)), pass_env=names)
urls = st.builds(
    UrlBoot,
    url=st.sampled_from(["http://a", "http://b"]),
    headers=st.dictionaries(st.just("X-A"), st.sampled_from(["1", "{A_KEY}"])),
    pass_env=names,
)
boots: st.SearchStrategy[BootConfig] = containers | commands | urls | st.just(NoBoot())
agents = st.builds(
    AgentConfig,
    protocol=st.sampled_from(["http", "adk"]),
    boot=boots,
    app=st.sampled_from(["", "a"]),
    options=st.dictionaries(st.just("path"), st.sampled_from(["/a", "/b"])),
)


def secrets(boot: BootConfig) -> set[tuple[str, str]]:
    """Who gets which: the code that the pull request brings, or an address."""
    if isinstance(boot, NoBoot):
        return set()
    return {(boot.url if isinstance(boot, UrlBoot) else "", name) for name in boot.pass_env}


def walls(boot: BootConfig) -> Confinement:
    return boot.confinement if isinstance(boot, ContainerBoot) else Confinement()


def size(confinement: Confinement, path: str) -> int:
    return confinement.tmpfs.get(path, WRITABLE.get(path, 0))


@given(agents, agents)
def test_no_secret_is_passed_that_the_base_does_not_pass(base: AgentConfig, head: AgentConfig) -> None:
    assert secrets(AgentSides(base, head, PLACE).in_force().boot) <= secrets(base.boot)


@given(agents, agents)
def test_no_wall_is_lower_than_the_base_s(base: AgentConfig, head: AgentConfig) -> None:
    held, before = walls(AgentSides(base, head, PLACE).in_force().boot), walls(base.boot)
    assert set(held.capabilities) <= set(before.capabilities)
    assert held.read_only or not before.read_only
    assert held.memory_bytes <= before.memory_bytes
    assert held.pids <= before.pids
    assert held.egress == "none" or before.egress == "open"
    assert all(size(held, path) <= size(before, path) for path in {**WRITABLE, **held.tmpfs})
    assert held.user == before.user or before.user.partition(":")[0] in {"root", "0"}


@given(agents, agents)
def test_whoever_leaves_the_container_runs_in_the_base_s(base: AgentConfig, head: AgentConfig) -> None:
    held = AgentSides(base, head, PLACE).in_force().boot
    assert isinstance(held, ContainerBoot) or not isinstance(base.boot, ContainerBoot)


@given(agents, agents)
def test_the_golden_files_of_both_sides_are_hidden(base: AgentConfig, head: AgentConfig) -> None:
    held = AgentSides(base, head, PLACE).in_force().boot
    for boot in (base.boot, head.boot):
        if isinstance(held, ContainerBoot) and isinstance(boot, ContainerBoot):
            assert set(boot.hidden) <= set(held.hidden)


@given(agents)
def test_the_same_agent_is_no_change_and_in_force_as_it_is(agent: AgentConfig) -> None:
    sides = AgentSides(agent, agent, PLACE)
    assert list(sides.changes()) == []
    assert sides.in_force() == agent


@given(agents, agents)
def test_where_nothing_waits_the_head_s_own_agent_is_run(base: AgentConfig, head: AgentConfig) -> None:
    sides = AgentSides(base, head, PLACE)
    if not any(change.needs_acceptance for change in sides.changes()):
        assert _without_hidden(sides.in_force()) == _without_hidden(head)


@given(agents, agents)
def test_where_something_else_is_run_something_waits(base: AgentConfig, head: AgentConfig) -> None:
    sides = AgentSides(base, head, PLACE)
    if _without_hidden(sides.in_force()) != _without_hidden(head):
        assert any(change.needs_acceptance for change in sides.changes())


@given(agents, agents)
def test_every_difference_is_told(base: AgentConfig, head: AgentConfig) -> None:
    if _without_hidden(base) != _without_hidden(head):
        assert list(AgentSides(base, head, PLACE).changes())


def _without_hidden(agent: AgentConfig) -> AgentConfig:
    """Without what follows from `dataset` and `baseline`."""
    boot = agent.boot
    return replace(agent, boot=replace(boot, hidden=())) if isinstance(boot, ContainerBoot) else agent


def test_another_app_of_a_server_that_runs_already_is_another_agent() -> None:
    boot = UrlBoot(url="http://a")
    base = AgentConfig(protocol="adk", boot=boot, app="mine", options={"prefix": "/a"})
    sides = AgentSides(base, replace(base, app="good", options={"prefix": "/good"}), PLACE)
    assert [(change.name, change.needs_acceptance) for change in sides.changes()] == [
        ("agent.adk", True),
        ("agent.app", True),
    ]
    assert sides.in_force() == base


def test_the_app_of_an_agent_that_the_head_brings_is_under_test() -> None:
    base = AgentConfig(protocol="adk", boot=CommandBoot(command=("serve",)), app="mine")
    sides = AgentSides(base, replace(base, app="new"), PLACE)
    assert [(change.name, change.needs_acceptance) for change in sides.changes()] == [("agent.app", False)]
    assert sides.in_force().app == "new"


@pytest.mark.parametrize(
    ("base", "head", "needed", "in_force"),
    [
        ({"tools": "client"}, {"tools": "server", "model": "b"}, True, {"tools": "client", "model": "b"}),
        ({}, {"tools": "hidden"}, True, {}),
        (
            {"tools": "client", "model": "a"},
            {"tools": "client", "model": "b"},
            False,
            {"tools": "client", "model": "b"},
        ),
    ],
)
@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
def test_which_calls_are_seen_is_the_bases_to_say_and_the_model_is_under_test(
    protocol: str, base: dict[str, str], head: dict[str, str], *, needed: bool, in_force: dict[str, str]
) -> None:
    boot = CommandBoot(command=("serve",))
    before = AgentConfig(protocol=protocol, boot=boot, options=base)
    sides = AgentSides(before, AgentConfig(protocol=protocol, boot=boot, options=head), PLACE)
    assert sides.in_force().options == in_force
    assert [change.needs_acceptance for change in sides.changes()] == [needed]


def test_a_token_that_is_sent_elsewhere_is_not_given_to_the_head_s_own_code() -> None:
    headers = {"Authorization": "Bearer {A_KEY}"}
    base = AgentConfig(protocol="http", boot=UrlBoot(url="http://a", headers=headers, pass_env=("A_KEY",)))
    head = replace(base, boot=CommandBoot(command=("serve",), headers=headers, pass_env=("A_KEY",)))
    held = AgentSides(base, head, PLACE).in_force().boot
    assert isinstance(held, CommandBoot)
    assert held.pass_env == ()


def test_another_variable_in_a_header_waits() -> None:
    headers = {"X-A": "{A_KEY}{B_KEY}"}
    base = AgentConfig(protocol="http", boot=UrlBoot(url="http://a", headers=headers, pass_env=("A_KEY",)))
    head = replace(base, boot=UrlBoot(url="http://a", headers=headers, pass_env=("A_KEY", "B_KEY")))
    sides = AgentSides(base, head, PLACE)
    [change] = sides.changes()
    assert (change.name, change.before, change.after) == ("agent.boot.pass_env", "[A_KEY]", "[A_KEY, B_KEY]")
    assert change.needs_acceptance
    assert sides.in_force() == base


@pytest.mark.parametrize(
    "boot",
    [
        UrlBoot(url="http://a", headers={"X-A": "{A_KEY}"}, pass_env=("A_KEY",)),
        CommandBoot(command=("serve",), pass_env=("A_KEY",)),
        ContainerBoot(source=Image(name="i"), pass_env=("A_KEY",)),
    ],
)
def test_beside_a_base_that_cannot_be_used_no_secret_is_passed(boot: BootConfig) -> None:
    agent = AgentConfig(protocol="http", boot=boot)
    assert secrets(AgentSides(_bare(agent), agent, PLACE).in_force().boot) == set()


def test_which_tools_the_client_offers_is_the_bases_to_say() -> None:
    boot = CommandBoot(command=("serve",))
    tool = {"name": "paint", "description": "Paints."}
    before = AgentConfig(protocol="ag-ui", boot=boot, options={"tools": [tool], "path": "/a"})
    after = AgentConfig(protocol="ag-ui", boot=boot, options={"tools": [], "path": "/b"})
    sides = AgentSides(before, after, PLACE)
    assert sides.in_force().options == {"tools": [tool], "path": "/b"}
    assert [change.needs_acceptance for change in sides.changes()] == [True]


@pytest.mark.parametrize(
    ("option", "head"),
    [
        ("input", {"question": "{text}, and say Paris"}),
        ("messages", "log"),
        ("output", "expected"),
        ("streaming", False),
        ("tokens", False),
    ],
)
def test_what_is_read_of_a_graph_is_the_bases_to_say(option: str, head: object) -> None:
    boot = CommandBoot(command=("serve",))
    before = AgentConfig(protocol="langgraph", boot=boot, options={"body": {"config": {}}})
    after = AgentConfig(protocol="langgraph", boot=boot, options={option: head, "prefix": "/v2"})
    sides = AgentSides(before, after, PLACE)
    assert sides.in_force().options == {"prefix": "/v2"}
    assert [change.needs_acceptance for change in sides.changes()] == [True]
