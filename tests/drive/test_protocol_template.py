"""What contributors copy from works: the template goes through the script of every protocol."""

import re
from pathlib import Path

import pytest

from gate.drive import PROTOCOLS
from gate.model.derived import texts_of
from gate.model.trace import Crashed, Trace
from tests.support.conformance.kit import driven, supports
from tests.support.conformance.script import SCRIPT, Scenario
from tests.support.conformance.template import protocol, reader
from tests.support.conformance.template.protocol import Template
from tests.support.conformance.template.speaker import Speaker
from tests.support.faulty_agent import Exchange, faulty_agent, raw_answer

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("scenario", SCRIPT, ids=lambda scenario: scenario.name)
async def test_the_template_carries_what_it_says_that_it_does(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROTOCOLS, "template", Template)
    assert await supports(Speaker(), scenario) is (scenario.name not in {"nodes", "state"})


@pytest.mark.parametrize("line", ["3", "[]", "null", '{"say": 3}', '{"call": 3}', '{"ask": []}', "{", "\xff"])
async def test_what_is_no_line_of_it_is_the_agents_crash(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = await answered(line.encode("latin-1") + b'\n{"done": true}\n', monkeypatch)
    assert isinstance(trace.outcome, Crashed), trace.outcome


async def test_an_answer_that_ends_in_order_without_its_last_line_is_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = await answered(b'{"say": "It is"}\n', monkeypatch)
    assert isinstance(trace.outcome, Crashed), trace.outcome
    assert "ended before its last line" in trace.outcome.reason
    assert list(texts_of(trace.events)) == ["It is"]


async def answered(body: bytes, monkeypatch: pytest.MonkeyPatch) -> Trace:
    """The trace of one turn that is answered with these bytes."""

    async def answers(exchange: Exchange) -> None:
        await exchange.write(raw_answer(body))

    monkeypatch.setitem(PROTOCOLS, "template", Template)
    scenario = SCRIPT[0]
    async with faulty_agent(answers) as agent:
        (trace,) = await driven(Speaker().config(scenario), scenario, agent.url)
    return trace


def test_contributing_names_the_files_of_the_template() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folder = Path(str(protocol.__file__)).parent
    assert f"{folder.relative_to(ROOT).as_posix()}/" in text
    named = re.findall(r"`(\w+)\.py` of the template", text)
    assert {*named} == {"protocol", "reader", "speaker"}
    assert Path(str(reader.__file__)).parent == folder
