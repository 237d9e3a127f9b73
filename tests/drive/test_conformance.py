"""Every protocol through one script; the README's table of support is what came of it."""

from pathlib import Path

import pytest

from gate.drive import PROTOCOLS
from tests.support.conformance.kit import replayed, supports
from tests.support.conformance.script import SCRIPT, Scenario
from tests.support.conformance.speaker import CannotSay, Speaker
from tests.support.conformance.speakers.http import Http
from tests.support.conformance.table import SPEAKERS, between, merged, render, row_of

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def name_of(value: object) -> str:
    if isinstance(value, Scenario):
        return value.name
    return f"{getattr(value, 'protocol', value)}, {getattr(value, 'variant', '')}"


@pytest.mark.parametrize("scenario", SCRIPT, ids=name_of)
@pytest.mark.parametrize("speaker", SPEAKERS, ids=name_of)
async def test_a_protocol_carries_a_scenario_or_does_not_claim_to(
    speaker: Speaker, scenario: Scenario
) -> None:
    carried = await supports(speaker, scenario)
    assert carried or scenario.name in {"results", "nodes", "state"}


@pytest.mark.parametrize("scenario", SCRIPT, ids=name_of)
async def test_what_was_recorded_is_replayed_as_it_was(scenario: Scenario, tmp_path: Path) -> None:
    assert await replayed(Http(), scenario, tmp_path)


def test_every_protocol_has_a_speaker() -> None:
    assert {speaker.protocol for speaker in SPEAKERS} | {"replay"} == set(PROTOCOLS)


def test_every_counterpart_is_a_test_that_exists() -> None:
    for speaker in SPEAKERS:
        assert (ROOT / speaker.counterpart.test).is_file(), speaker.counterpart


def test_every_protocol_that_streams_has_a_fault_table() -> None:
    """A cut, a stall and an error in the middle mean something: see CONTRIBUTING, "Add a protocol"."""
    tables = [file.read_text(encoding="utf-8") for file in (ROOT / "tests/drive").glob("test_*faults.py")]
    streaming = {speaker.protocol for speaker in SPEAKERS if speaker.variant != "whole"}
    assert streaming
    assert not [name for name in streaming if not any(name in table for table in tables)]


async def test_the_readme_has_the_table_that_the_kit_makes(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    shown = [scenario for scenario in SCRIPT if scenario.replies[0].sending == "at once"]
    found = [
        (row_of(speaker), scenario.name, await supports(speaker, scenario))
        for speaker in SPEAKERS
        for scenario in shown
    ]
    found += [("replay", scenario.name, await replayed(Http(), scenario, tmp_path)) for scenario in shown]
    table, text = render(merged(found)), README.read_text(encoding="utf-8")
    if request.config.getoption("update_goldens"):
        README.write_text(text.replace(between(text), table), encoding="utf-8")
        return
    assert between(text) == table, "look at the difference, then --update-goldens"


async def test_a_protocol_that_claims_what_it_cannot_say_is_found_out() -> None:
    class Boaster(Http):
        def speak(self, *_: object) -> object:  # type: ignore[override]
            raise CannotSay

    calls = next(scenario for scenario in SCRIPT if scenario.shows == "calls")
    with pytest.raises(AssertionError, match="claims calls"):
        await supports(Boaster(), calls)  # type: ignore[arg-type]
