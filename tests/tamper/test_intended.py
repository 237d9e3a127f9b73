"""The twin of the tamper table: every intended change can be merged by the documented path."""

import pytest

from gate.model.bar import Acceptance, NotAccepted
from gate.model.config import AcceptPolicy
from gate.score.calls import Calls
from tests.support.commands import git
from tests.support.tamper_table import PASSES, RED, WAITS, Edit, both, config, golden, rule
from tests.support.tampering import Judge, Project, accepted, changes_of, told, verdict, with_baseline

HELLO = "  - {id: hello, user: hello, expect: {calls: none, contains: [Hello]}}\n"
NEW_CASE = "  - {id: bye, category: talk, user: what can you do, expect: {contains: [weather]}}\n"


def added(file: str, text: str) -> Edit:
    return lambda project: project.write(f"golden/{file}", project.text(f"golden/{file}") + text)


def nothing(_: Project) -> None:
    pass


def no_weather(project: Project) -> None:
    (project.folder / "golden/weather.yaml").unlink()
    project.edit("agent-gate.yml", "  words: {min: 0.5}\n", "")
    project.edit("agent-gate.yml", "removed: 0", "removed: 2")


def moved(project: Project) -> None:
    (project.folder / "sub").mkdir()
    project.config.rename(project.folder / "sub/agent-gate.yml")
    (project.folder / "golden").rename(project.folder / "sub/golden")


SAYS_81 = golden("weather.yaml", "contains: [18 degrees, Paris]", "contains: [81 degrees, Paris]")
AT_ONCE: dict[str, tuple[Edit, str, list[str]]] = {
    "nothing of the bar": (nothing, "", []),
    "a new case": (added("talk.yaml", NEW_CASE), "", ["case added bye"]),
    "a stricter rule": (
        config("min: 0.9, max_drop: 0.05", "min: 1, max_drop: 0"),
        "",
        ["rule tightened rules.calls"],
    ),
    "a new rule": (rule("state: {min: 0.9}"), "", ["rule added rules.state"]),
    "a stricter metric": (config("pass_at: 0.5", "pass_at: 0.6"), "", ["metric tightened metrics.words"]),
    "a new metric": (
        config("metrics:\n", "metrics:\n  recall: {type: trajectory_recall}\n"),
        "",
        ["metric added metrics.recall"],
    ),
    "more trials": (config("trials: 2", "trials: 4"), "", ["run tightened run.trials"]),
    "less patience": (
        config("trial_timeout: 10s", "trial_timeout: 5s"),
        "",
        ["run tightened run.trial_timeout"],
    ),
    "another pace": (config("concurrency: 8", "concurrency: 2"), "", []),
    "one more expectation": (
        golden("weather.yaml", "contains: [22 degrees]", "contains: [22 degrees, Lima]"),
        "",
        ["case changed lima"],
    ),
    "comments": (golden("talk.yaml", "cases:", "# what it says of itself\ncases:"), "", []),
    "tags": (golden("talk.yaml", "{id: hello,", "{id: hello, tags: [a],"), "", ["case changed hello"]),
    "a stricter policy": (
        config("undecided: {throttled: warn}\n", ""),
        "",
        ["policy tightened undecided.throttled"],
    ),
    "a case in another file": (
        both(
            golden(
                "talk.yaml", "  - {id: hello, user: hello, expect: {calls: none, contains: [Hello]}}\n", ""
            ),
            lambda p: p.write(
                "golden/more.yaml",
                f"category: talk\ncases:\n{HELLO}",
            ),
        ),
        "",
        [],
    ),
    "a baseline's path in a block of its own": (
        config("version: 1\n", "version: 1\nbaseline: golden/baseline.jsonl\n"),
        "",
        [],
    ),
}
BY_ACCEPTANCE: dict[str, tuple[Edit, str, list[str]]] = {
    "a tool that takes other arguments": (
        golden("weather.yaml", "args: {city: Paris, units: C}", "args: {city: Paris}"),
        "no_units",
        ["case loosened paris !"],
    ),
    "another answer": (SAYS_81, "wrong_number", ["case changed paris"]),
    "no tool any more": (
        golden("weather.yaml", "calls: [{name: get_weather, args: {city: Paris, units: C}}]", "calls: none"),
        "no_tool",
        ["case changed paris"],
    ),
    "a feature that is gone with its cases": (
        no_weather,
        "no_tool",
        [
            "rule loosened rules.cases !",
            "rule removed rules.words !",
            "case removed paris !",
            "case removed lima !",
        ],
    ),
    "a softer rule": (
        config("min: 0.9, max_drop: 0.05", "min: 0.5, max_drop: 0.5"),
        "",
        ["rule loosened rules.calls !"],
    ),
    "a quarantine": (
        golden(
            "talk.yaml", "{id: hello,", "{id: hello, quarantine: {owner: a, reason: b, until: 2099-01-01},"
        ),
        "rude",
        ["quarantine loosened hello !"],
    ),
}


@pytest.mark.parametrize(("edit", "broken", "listed"), AT_ONCE.values(), ids=AT_ONCE)
async def test_what_asks_as_much_or_more_is_merged_at_once(
    edit: Edit, broken: str, listed: list[str], project: Project
) -> None:
    edit(project)
    report = await Judge(project).run(broken)
    assert verdict(report) == PASSES, report.comparison.reason
    assert list(map(told, changes_of(report))) == listed


@pytest.mark.parametrize(("edit", "broken", "listed"), BY_ACCEPTANCE.values(), ids=BY_ACCEPTANCE)
async def test_what_the_base_does_not_allow_is_merged_once_it_is_accepted(
    edit: Edit, broken: str, listed: list[str], project: Project
) -> None:
    edit(project)
    judge = Judge(project)
    report = await judge.run(broken)
    assert verdict(report) == WAITS, report.comparison.reason
    assert list(map(told, changes_of(report))) == listed
    assert verdict(await judge.run(broken, accepted)) == PASSES


async def test_a_new_case_that_fails_is_red_by_the_head_s_own_bar(project: Project) -> None:
    added("talk.yaml", NEW_CASE.replace("[weather]", "[chess]"))(project)
    judge = Judge(project)
    assert verdict(await judge.run()) == RED
    assert verdict(await judge.run(ask=accepted)) == RED


async def test_a_stricter_rule_that_fails_is_red_at_once(project: Project) -> None:
    project.edit("agent-gate.yml", "words: {min: 0.5}", "words: {min: 0.999}")
    project.edit(
        "golden/weather.yaml",
        "      contains: [22 degrees]",
        "      contains: [22 degrees]\n      reference: Quite warm.",
    )
    assert verdict(await Judge(project).run()) == RED


async def test_a_fixed_case_is_merged_at_once(project: Project) -> None:
    await with_baseline(project, broken="rude")
    project.commit()
    report = await Judge(project).run()
    assert verdict(report) == PASSES
    assert [case.id for case in report.comparison.cases if case.klass == "fixed"] == ["hello"]


async def test_a_quarantine_is_taken_back_at_once(project: Project) -> None:
    plain = project.text("golden/talk.yaml")
    project.edit(
        "golden/talk.yaml", "{id: hello,", "{id: hello, quarantine: {owner: a, reason: b, until: 2099-01-01},"
    )
    project.commit()
    project.write("golden/talk.yaml", plain)
    report = await Judge(project).run()
    assert (verdict(report), list(map(told, changes_of(report)))) == (PASSES, ["quarantine tightened hello"])


async def test_a_baseline_made_anew_is_compared_with_once_it_is_accepted(project: Project) -> None:
    await with_baseline(project, broken="wordy")
    judge = Judge(project)
    assert verdict(await judge.run()) == WAITS
    report = await judge.run(ask=accepted)
    assert verdict(report) == PASSES
    assert "fixed" in {case.klass for case in report.comparison.cases if case.id == "paris"}


async def test_the_first_baseline_is_merged_at_once(project: Project) -> None:
    git(project.folder, "rm", "-q", "golden/baseline.jsonl")
    project.commit()
    await with_baseline(project)
    report = await Judge(project).run()
    assert (verdict(report), list(map(told, changes_of(report)))) == (
        PASSES,
        ["baseline added golden/baseline.jsonl"],
    )
    assert report.comparison.reason == "nothing to compare yet"


async def test_the_gate_is_introduced_at_once_and_by_its_own_rules(project: Project) -> None:
    git(project.folder, "rm", "-q", "-r", "--cached", ".")
    git(project.folder, "commit", "-q", "-m", "no gate")
    judge = Judge(project)
    report = await judge.run()
    assert verdict(report) == PASSES
    assert list(map(told, changes_of(report))) == [
        "config added " + str(project.config),
        "baseline added golden/baseline.jsonl",
    ]
    assert verdict(await judge.run("no_units")) == RED


async def test_a_config_moves_to_another_folder_at_once(project: Project) -> None:
    moved(project)
    report = await Judge(project, "sub/agent-gate.yml").run()
    assert (verdict(report), changes_of(report)) == (PASSES, [])


async def test_a_metric_that_measures_otherwise_after_an_upgrade_is_resolved_by_acceptance(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Calls, "version", "99")
    judge = Judge(project)
    report = await judge.run()
    assert verdict(report) == "undecided not_comparable 3"
    assert verdict(await judge.run(ask=accepted)) == PASSES


async def test_another_protocol_is_resolved_by_acceptance(project: Project) -> None:
    judge = Judge(project)
    await judge.run()
    traces = (project.folder.parent / f"{project.folder.name}.out/traces.jsonl").read_text()
    project.write("recorded.jsonl", traces)
    text = project.text()
    begin, end = text.index("  protocol"), text.index("dataset")
    project.write(
        "agent-gate.yml",
        f"{text[:begin]}  protocol: replay\n  replay: {{traces: recorded.jsonl}}\n{text[end:]}",
    )
    assert verdict(await judge.run()) == WAITS
    assert verdict(await judge.run(ask=accepted)) == PASSES


async def test_who_is_asked_and_how_is_the_base_s_to_say(project: Project) -> None:
    project.edit("agent-gate.yml", "version: 1\n", "version: 1\naccept: {by: review, not_author: true}\n")
    project.commit()
    project.edit("agent-gate.yml", "accept: {by: review, not_author: true}\n", "")
    asked = []

    def ask(policy: AcceptPolicy) -> Acceptance | NotAccepted:
        asked.append(policy)
        return NotAccepted(reason="ann wrote it", hint="Ask somebody else")

    report = await Judge(project).run(ask=ask)
    assert asked == [AcceptPolicy(by="review", not_author=True)]
    assert report.comparison.bar
    assert report.comparison.bar.not_accepted == "ann wrote it. Ask somebody else"


async def test_nobody_is_asked_where_there_is_nothing_to_accept(project: Project) -> None:
    def ask(_: AcceptPolicy) -> Acceptance | NotAccepted:
        raise AssertionError("asked")

    assert verdict(await Judge(project).run(ask=ask)) == PASSES


async def test_a_broken_agent_is_red_though_somebody_accepted_it(project: Project) -> None:
    project.edit("agent-gate.yml", "max_drop: 0.05", "max_drop: 0.2")
    assert verdict(await Judge(project).run("rude", accepted)) == RED


RELAY = """\
import http.server, os, sys, urllib.request
if not os.environ.get("API_KEY"):
    sys.exit("API_KEY is not set")

class Relay(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with urllib.request.urlopen(urllib.request.Request("URL/chat", body)) as answer:
            data = answer.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Relay).serve_forever()
"""


async def test_an_agent_that_needs_another_secret_gets_it_once_it_is_accepted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "canary-0123456789")
    project.write("agent.py", RELAY.replace("URL", project.agent.url))
    start = 'boot: {command: [python3, agent.py, "{port}"]'
    project.edit("agent-gate.yml", f'boot: {{url: "{project.agent.url}"', start)
    project.commit()
    project.edit("agent-gate.yml", start, f"{start}, pass_env: [API_KEY]")
    judge = Judge(project)
    report = await judge.run()
    assert (report.comparison.cause, report.comparison.exit_code) == ("agent_down", 3)
    assert report.comparison.reason.endswith("; not in force yet: agent.boot.pass_env")
    assert "API_KEY is not set" in report.meta.log_tail
    assert verdict(await judge.run(ask=accepted)) == PASSES
