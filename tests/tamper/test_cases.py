"""The tamper table: golden cases, quarantine and the baseline."""

import json

from tests.support.tamper_table import (
    Edit,
    Row,
    both,
    check_accepted,
    check_broken,
    check_good,
    config,
    golden,
    parametrized,
)
from tests.support.tampering import Project

PARIS_CALL = "{name: get_weather, args: {city: Paris, units: C}}"
QUARANTINE = "    quarantine: {owner: ann, reason: flaky, until: 2099-01-01}\n"
UNREMOVED = config(", removed: 0", "")
"""So that a case that the baseline knows is not red for being gone."""
PLAIN = both(UNREMOVED, config("  tool_calls: {max_rise: 20%}\n", ""))

SUBSET = config("args: exact", "args: subset")


def without(file: str, begin: str, end: str) -> Edit:
    """The file without what stands from `begin` up to `end`."""

    def edit(project: Project) -> None:
        text = project.text(f"golden/{file}")
        head, rest = text.split(begin, 1)
        project.write(f"golden/{file}", head + (end + rest.split(end, 1)[1] if end else ""))

    return edit


def evalset(project: Project) -> None:
    """The weather cases in the form of ADK."""
    parts = {"invocation_id": "1", "user_content": {"role": "user", "parts": [{"text": "weather in Paris"}]}}
    call = {"name": "get_weather", "args": {"city": "Paris", "units": "C"}}
    data = {"intermediate_data": {"tool_uses": [call]}}
    cases = [{"eval_id": "adk_paris", "conversation": [{**parts, **data}]}]
    project.write("golden/adk.evalset.json", json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    project.edit("agent-gate.yml", "golden/*.yaml", "[golden/*.yaml, golden/*.evalset.json]")


def an_easy_world(project: Project) -> None:
    """A new case that does in a shared database what the broken agent no longer does."""
    setup = "  - {id: setup, user: order again, expect: {contains: [Ordered again]}}\n  - {id: my_order"
    project.edit("golden/orders.yaml", "  - {id: my_order", setup)


def moved(project: Project) -> None:
    text = project.text("golden/weather.yaml")
    project.write("golden/moved.yaml", text.replace("      excludes: [sorry]\n", ""))
    (project.folder / "golden/weather.yaml").unlink()


CASES = (
    Row(
        "removes a case",
        without("weather.yaml", "  - id: paris", "  - id: lima"),
        "case removed paris !",
        "no_tool",
        base=PLAIN,
    ),
    Row(
        "renames a case",
        golden("weather.yaml", "id: paris", "id: paris2"),
        "case removed paris !",
        base=UNREMOVED,
    ),
    Row(
        "renames a case to one that looks the same",
        golden("weather.yaml", "id: paris", "id: p\u0430ris"),
        "case removed paris !",
        base=UNREMOVED,
    ),
    Row(
        "narrows the dataset",
        config("golden/*.yaml", "golden/talk.yaml"),
        "case removed paris !",
        "no_units",
        base=UNREMOVED,
    ),
    Row(
        "empties a case",
        golden("talk.yaml", ", expect: {calls: none, contains: [Hello]}", ""),
        "case loosened hello !",
        "rude",
    ),
    Row(
        "drops an expectation",
        golden("weather.yaml", "      excludes: [sorry]\n", ""),
        "case loosened paris !",
        "sorry",
    ),
    Row(
        "drops what is expected of calls",
        golden("weather.yaml", f"      calls: [{PARIS_CALL}]\n", ""),
        "case loosened paris !",
        "no_units",
    ),
    Row(
        "drops `none` of calls",
        golden("talk.yaml", "calls: none, ", ""),
        "case loosened hello !",
        "chatty",
        base=PLAIN,
    ),
    Row(
        "drops all arguments",
        golden("weather.yaml", PARIS_CALL, "get_weather"),
        "case loosened paris !",
        "wrong_city",
    ),
    Row(
        "drops one argument",
        golden("weather.yaml", "{city: Paris, units: C}", "{city: Paris}"),
        "case loosened paris !",
        "no_units",
        base=SUBSET,
    ),
    Row(
        "allows any call instead of none",
        golden("talk.yaml", "calls: none", "calls: [get_weather]"),
        "case changed hello",
        "chatty",
        base=both(PLAIN, config("mode: exactly", "mode: at_most")),
    ),
    Row(
        "shortens what must be said",
        golden("weather.yaml", "[18 degrees, Paris]", "[degrees, Paris]"),
        "case loosened paris !",
        "wrong_number",
    ),
    Row(
        "drops one text of two",
        golden("weather.yaml", "[18 degrees, Paris]", "[Paris]"),
        "case loosened paris !",
        "wrong_number",
    ),
    Row(
        "lengthens what must not be said",
        golden("weather.yaml", "excludes: [sorry]", "excludes: [sorry about everything]"),
        "case loosened paris !",
        "sorry",
    ),
    Row(
        "drops a key of the state",
        golden("talk.yaml", "state: {drink: tea, size: large}", "state: {drink: tea}"),
        "case loosened memory !",
        "loses_size",
    ),
    Row(
        "drops expected keys of the state",
        golden("talk.yaml", ", state_keys: [drink]", ""),
        "case loosened memory !",
    ),
    Row(
        "drops a reference",
        golden("weather.yaml", "      reference: It is 18 degrees in Paris.\n", ""),
        "case loosened paris !",
        "wordy",
        base=golden(
            "weather.yaml",
            "contains: [22 degrees]",
            "contains: [22 degrees]\n      reference: It is 22 degrees in Lima.",
        ),
    ),
    Row(
        "removes a turn", without("talk.yaml", "      - {user: what", ""), "case loosened memory !", "forgets"
    ),
    Row(
        "asks for something else",
        golden(
            "talk.yaml",
            "user: what do I drink, expect: {contains: [tea]}",
            "user: order tea, expect: {contains: [Ordered]}",
        ),
        "case changed memory",
        "forgets",
    ),
    Row(
        "asks an easier question with another answer",
        both(
            golden(
                "talk.yaml",
                "{id: hello, user: hello, expect: {calls: none, contains: [Hello]}}",
                "{id: hello, user: what can you do, expect: {calls: none, contains: [weather]}}",
            ),
        ),
        "case changed hello",
        "rude",
    ),
    Row(
        "expects what the broken agent says",
        golden("weather.yaml", "[18 degrees, Paris]", "[degrees in Paris]"),
        "case changed paris",
        "wrong_number",
    ),
    Row(
        "starts from another state",
        golden(
            "talk.yaml",
            "    category: memory\n",
            "    category: memory\n    start_state: {drink: tea, size: large}\n",
        ),
        "case changed memory",
        "loses_state",
    ),
    Row("moves a case with edits", moved, "case loosened paris !", "sorry"),
    Row(
        "moves a case to a category where it is outweighed",
        both(golden("talk.yaml", "    category: memory\n", "    category: weather\n")),
        "case changed memory",
        base=PLAIN,
    ),
    Row(
        "takes a tag off a case, by which a rule goes",
        golden("talk.yaml", "    category: memory\n    tags: [drinks]\n", "    category: memory\n"),
        "case changed memory",
        "loses_state",
        base=both(
            golden("talk.yaml", "    category: memory\n", "    category: memory\n    tags: [drinks]\n"),
            config("rules:\n", "rules:\n  state: {by: tag, min: 1}\n"),
            config(
                "  cases: {regressed: 0, new_failing: 0, removed: 0}\n",
                "  cases: {regressed: 9, new_failing: 9}\n",
            ),
        ),
    ),
    Row("sets up a shared database in a new case", an_easy_world, "case added setup", "loses_order"),
    Row(
        "takes a case out of its company",
        golden("orders.yaml", "isolation: shared", "isolation: own"),
        "case changed order",
        base=both(PLAIN, config("concurrency: 8", "concurrency: 1")),  # side by side nobody is first
    ),
    Row(
        "makes a case depend on one that helps it",
        both(an_easy_world, golden("orders.yaml", "{id: my_order, ", "{id: my_order, depends_on: [setup], ")),
        "case changed my_order",
        "loses_order",
    ),
    Row(
        "edits a case of an ADK evalset",
        lambda project: project.edit("golden/adk.evalset.json", ', "units": "C"', ""),
        "case loosened adk_paris !",
        base=both(SUBSET, evalset),
    ),
    Row(
        "edits an anchor that a case refers to",
        golden("weather.yaml", "&banned [sorry]", "&banned [sorry to say]"),
        "case loosened lima !",
        base=both(
            golden("weather.yaml", "excludes: [sorry]", "excludes: &banned [sorry]"),
            golden(
                "weather.yaml", "contains: [22 degrees]", "contains: [22 degrees]\n      excludes: *banned"
            ),
        ),
    ),
)
QUARANTINES = (
    Row(
        "quarantines a case",
        golden("weather.yaml", "  - id: paris\n", f"  - id: paris\n{QUARANTINE}"),
        "quarantine loosened paris !",
        "no_units",
    ),
    Row(
        "extends a quarantine",
        golden("weather.yaml", "2098", "2099"),
        "quarantine loosened paris !",
        base=golden(
            "weather.yaml", "  - id: paris\n", f"  - id: paris\n{QUARANTINE.replace('2099', '2098')}"
        ),
    ),
    Row(
        "renews a quarantine that ran out",
        golden("weather.yaml", "2020", "2099"),
        "quarantine loosened paris !",
        "no_units",
        base=golden(
            "weather.yaml", "  - id: paris\n", f"  - id: paris\n{QUARANTINE.replace('2099', '2020')}"
        ),
    ),
)
ROWS = (*CASES, *QUARANTINES)
HIDING = tuple(row for row in ROWS if row.hides)


@parametrized(ROWS)
async def test_what_asks_less_waits_and_every_change_is_told(row: Row, project: Project) -> None:
    await check_good(row, project)


@parametrized(HIDING)
async def test_what_would_hide_a_broken_agent_does_not(row: Row, project: Project) -> None:
    await check_broken(row, project)


@parametrized(ROWS)
async def test_it_is_merged_once_it_is_accepted(row: Row, project: Project) -> None:
    await check_accepted(row, project)
