import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from gate.check import Checked, check

TODAY = date(2026, 11, 30)
HEAD = """\
version: 1
agent: {protocol: adk, app: x, boot: {command: [run-me, "{port}"]}}
dataset: golden/*.yaml
"""
CASE = "cases:\n  - {id: a, user: hi, expect: {contains: [x], calls: [f]}}\n"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Suite":
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    for program in ("run-me", "python3", "node"):
        (tmp_path / "bin" / program).touch(mode=0o755)
    return Suite(tmp_path)


class Suite:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(
        self,
        config: str = HEAD,
        golden: Mapping[str, str] | str = CASE,
        environ: Mapping[str, str] | None = None,
        path: str = "agent-gate.yml",
    ) -> Checked:
        files = {"cards.yaml": golden} if isinstance(golden, str) else golden
        root = (self.folder / path).parent
        (root / "golden").mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(config, encoding="utf-8")
        for name, text in files.items():
            (root / "golden" / name).write_text(text, encoding="utf-8")
        default = {"PATH": str(self.folder / "bin"), "KEY": "secret"}
        return check(Path(path), today=TODAY, environ=default if environ is None else environ)

    def found(self, config: str = HEAD, golden: Mapping[str, str] | str = CASE) -> list[tuple[str, str, str]]:
        return [(f.rule, f.level, str(f.place)) for f in self.check(config, golden).findings]


def test_a_good_suite_has_no_finding(suite: Suite) -> None:
    checked = suite.check()
    assert checked.findings == ()
    assert checked.config
    assert [case.id for case in checked.cases] == ["a"]
    assert checked.files == ("golden/cards.yaml",)


def agent(text: str) -> str:
    return f"version: 1\nagent:\n  {text}\ndataset: golden/*.yaml\n"


def command(words: str, more: str = "") -> str:
    return agent(f"protocol: adk\n  app: x\n  boot:\n    command: [{words}]\n    {more}")


def http(response: str, more: str = "") -> str:
    return api(f"{{text: {response}, calls: $.c}}", more)


def api(response: str, more: str = "", request: str = "{message: '{text}'}") -> str:
    block = f"path: /\n    request: {request}\n    response: {response}\n    {more}"
    return agent(f"protocol: http\n  boot: {{url: http://a}}\n  http:\n    {block}")


def graph(more: str) -> str:
    return agent(f"protocol: langgraph\n  boot: {{url: http://a}}\n  {more}")


def boot(text: str) -> str:
    return agent(f"protocol: adk\n  app: x\n  boot: {text}")


PRICED = "prices: {small: {input: 1, output: 2}}\n"
RUN_ME = 'run-me, "{port}"'


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (agent("protocol: adk\n  app: x"), ("boot-missing", "error", "3:13")),
        (
            agent("protocol: replay\n  replay: {traces: golden/cards.yaml}\n  boot: {url: http://a}"),
            ("boot-unused", "error", "5:3"),
        ),
        (agent("protocol: replay\n  replay: {traces: none.jsonl}"), ("no-traces", "error", "4:20")),
        (agent("protocol: replay"), ("block-missing", "error", "3:13")),
        (agent("protocol: http\n  boot: {url: http://a}"), ("block-missing", "error", "3:13")),
        (agent("protocol: adk\n  boot: {url: http://a}"), ("app-missing", "error", "3:13")),
        (
            agent("protocol: adk\n  app: x\n  boot: {url: http://a}\n  replay: {traces: x}"),
            ("block-unused", "warn", "6:3"),
        ),
        (
            agent("protocol: a2a\n  boot: {url: http://a}\n  adk: {user: x}"),
            ("block-unused", "warn", "5:3"),
        ),
        (command("run-me"), ("no-port", "warn", "6:14")),
        (command('nope, "{port}"'), ("command-not-found", "error", "6:15")),
        (command('./nope, "{port}"'), ("command-not-found", "error", "6:15")),
        (command('python3, agent.py, "{port}"'), ("no-script", "warn", "6:24")),
        (command('bin/node, src/a.mjs, "{port}"'), ("no-script", "warn", "6:25")),
        (command(RUN_ME, "cwd: src"), ("no-folder", "error", "7:10")),
        (command(RUN_ME, "pass_env: [KEY, NOPE]"), ("unset-variable", "error", "7:21")),
        (command(RUN_ME, "env: {KEY: a}\n    pass_env: [KEY]"), ("env-twice", "error", "8:16")),
        (command(RUN_ME, 'env: {A: "${HOME}/x"}'), ("no-expansion", "warn", "7:14")),
        (boot("{image: a, build: .}"), ("image-and-build", "error", "5:20")),
        (boot("{build: none}"), ("no-context", "error", "5:17")),
        (boot("{build: golden}"), ("no-dockerfile", "error", "5:17")),
        (boot("{build: ..}"), ("outside", "error", "5:17")),
        (boot("{build: /}"), ("outside", "error", "5:17")),
        (boot("{build: {context: ., dockerfile: ../../etc/hosts}}"), ("outside", "error", "5:17")),
        (boot("{image: a, ready: {path: /a, healthcheck: true}}"), ("path-unused", "warn", "5:28")),
        (
            boot("{url: http://a, pass_env: [NOPE], headers: {A: '{NOPE}'}}"),
            ("unset-variable", "error", "5:36"),
        ),
        (boot("{url: http://a, pass_env: [KEY]}"), ("not-sent", "warn", "5:36")),
        (boot("{url: http://a, headers: {A: 'Bearer {KEY}'}}"), ("not-passed", "warn", "5:38")),
        (boot("{image: a, pass_env: [NOPE]}"), ("unset-variable", "error", "5:31")),
        (boot("{image: a, env: {A: a, KEY: b}, pass_env: [KEY]}"), ("env-twice", "error", "5:52")),
        (http('"$.a[?"'), ("bad-jsonpath", "error", "8:22")),
        (http("$.a", 'start: {path: /s, session: "$["}'), ("bad-jsonpath", "error", "9:32")),
        (HEAD.replace("golden/*", "none/*"), ("no-files", "error", "3:10")),
        (HEAD.replace("golden/*.yaml", "[golden/*.yaml, none.yaml]"), ("no-files", "error", "3:26")),
        (HEAD + "rules: {recal: {min: 1}}\n", ("unknown-metric", "error", "4:9")),
        (HEAD + "rules: {rouge_1: {min: 1}}\n", ("unknown-metric", "error", "4:9")),
        (HEAD + "rules: {calls: {level: warn}}\n", ("empty-rule", "error", "4:9")),
        (HEAD + "rules: {cases: {level: warn}}\n", ("empty-rule", "error", "4:9")),
        (HEAD + "rules: {calls: {min: 0.9, max: 0.1}}\n", ("rule-never-holds", "error", "4:9")),
        (HEAD + "rules: {calls: {min: 90}}\n", ("rule-never-holds", "error", "4:9")),
        (HEAD + "rules: {calls: {min: 0}}\n", ("rule-never-fails", "warn", "4:9")),
        (HEAD + "rules: {calls: {max_drop: 1}}\n", ("rule-never-fails", "warn", "4:9")),
        (HEAD + "rules: {latency_ms: {max_drop: 100%}}\n", ("rule-never-fails", "warn", "4:9")),
        (HEAD + "rules: {nodes: {min: 1}}\n", ("rule-without-cases", "warn", "4:9")),
        (HEAD + "rules: {calls: [{by: category, min: 1}]}\n", ("rule-without-cases", "warn", "4:17")),
        (HEAD + "rules: {calls: [{by: tag, min: 1}]}\n", ("rule-without-cases", "warn", "4:17")),
        (HEAD + "rules: {calls: {min: 0.9, at: 0.5}}\n", ("at-without-passes", "error", "4:9")),
        (HEAD + "rules: {calls: {min: 0.9, aggregate: pass^2}}\n", ("too-few-trials", "error", "4:9")),
        (HEAD + "rules: {turns: {min: 0.9, aggregate: pass_rate}}\n", ("passes-without-at", "error", "4:9")),
        (
            HEAD + "rules: {turns: {min: 9, aggregate: pass_rate, at: 1}}\n",
            ("rule-never-holds", "error", "4:9"),
        ),
        (
            HEAD + "rules: {turns: {max: 1, aggregate: pass_rate, at: 1}}\n",
            ("rule-never-fails", "warn", "4:9"),
        ),
        (HEAD + "rules: {cost: {max: 1}}\n", ("unknown-metric", "error", "4:9")),
        (HEAD + "metrics: {cost: {}}\n", ("bad-option", "error", "4:11")),
        (HEAD + "metrics: {a: {type: regex, pattern: '('}}\n", ("bad-option", "error", "4:11")),
        (
            HEAD + "metrics: {a: {type: json_schema, schema: {$ref: 'http://a/b'}}}\n",
            ("bad-option", "error", "4:11"),
        ),
        (HEAD + "metrics: {wording: {type: rouge_1}}\n", ("metric-without-cases", "warn", "4:11")),
        (
            api("{text: $.a, calls: $.c, usage: {input: $.i, output: $.o}}") + PRICED,
            ("no-model", "warn", "8:39"),
        ),
        (api("{text: $.a}"), ("not-mapped", "warn", "8:5")),
        (api("{text: $.a, calls: $.c}", request="{m: '{txt}'}"), ("no-text", "warn", "7:5")),
        (graph("langgraph: {input: {q: '{txt}'}, output: a}"), ("no-text", "warn", "5:15")),
        (graph("adk: {user: u}"), ("block-unused", "warn", "5:3")),
    ],
)
def test_what_is_wrong_with_a_config_is_found_at_its_place(
    suite: Suite, config: str, expected: tuple[str, str, str]
) -> None:
    rule, level, place = expected
    found = [finding for finding in suite.found(config) if finding[0] != "no-engine"]
    assert found == [(rule, level, f"agent-gate.yml:{place}")]


def test_a_container_needs_an_engine(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///none.sock")
    (finding,) = suite.check(boot("{image: a}")).findings
    assert (finding.rule, finding.level, str(finding.place)) == ("no-engine", "error", "agent-gate.yml:5:3")
    assert "boot: {url}" in finding.fix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM a\nRUN --mount=type=cache,target=/x true\n", ("needs-buildkit", "error", "Dockerfile:2")),
        ("# syntax=docker/dockerfile:1\nFROM a\n", ("syntax-passed-over", "warn", "Dockerfile:1")),
    ],
)
def test_a_dockerfile_that_the_engines_builder_cannot_build_is_found_at_its_line(
    suite: Suite, text: str, expected: tuple[str, str, str]
) -> None:
    (suite.folder / "Dockerfile").write_text(text, encoding="utf-8")
    findings = [finding for finding in suite.found(boot("{build: .}")) if finding[0] != "no-engine"]
    assert findings == [expected]


@pytest.mark.parametrize(
    ("usage", "more"),
    [
        ("{input: $.i, output: $.o, model: $.m}", ""),
        ("{input: $.i, output: $.o}", "metrics: {cost: {model: small}}\n"),
    ],
)
def test_a_cost_whose_model_is_known_has_a_price(suite: Suite, usage: str, more: str) -> None:
    assert suite.found(api(f"{{text: $.a, calls: $.c, usage: {usage}}}") + PRICED + more) == []


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ('python3, here.py, "{port}"', ""),
        ('python3, -m, agent.py, "{port}"', ""),
        ('python3, "{tmp}/a.py", "{port}"', ""),
        ('run-me, none.py, "{port}"', ""),
        ('python3, here.py, "{port}"', "cwd: ."),
    ],
)
def test_a_script_that_is_there_or_is_none_is_no_finding(suite: Suite, words: str, more: str) -> None:
    (suite.folder / "here.py").touch()
    assert suite.found(command(words, more)) == []


def test_a_rubric_that_nobody_judges_says_what_a_judge_takes(suite: Suite) -> None:
    (finding,) = suite.check(HEAD, case("- {user: y, expect: {rubric: kind}}")).findings
    assert "judges: {main: {base_url: " in finding.fix
    assert "metrics: {judge: {}}" in finding.fix


def test_a_placeholder_that_is_nearly_one_is_named(suite: Suite) -> None:
    (found,) = suite.check(api("{text: $.a, calls: $.c}", request="[{m: 'so: {txt}'}]")).findings
    assert found.what == "the request never carries {text}, and {txt} is no placeholder; did you mean 'text'?"


def test_a_metric_that_is_only_shown_needs_no_rule(suite: Suite) -> None:
    more = "metrics: {recall: {type: trajectory_recall}, calls: {mode: exactly}}\n"
    assert suite.found(HEAD + more) == []


def test_a_config_that_is_not_there_says_how_to_get_one(suite: Suite) -> None:
    (found,) = check(suite.folder / "agent-gate.yml").findings
    assert "agent-gate init" in found.fix


def case(text: str) -> str:
    return f"cases:\n  - id: a\n    turns:\n      - user: x\n        expect: {{calls: [f]}}\n      {text}\n"


@pytest.mark.parametrize(
    ("golden", "expected"),
    [
        ("cases: []\n", ("no-cases", "error", "agent-gate.yml:3:10")),
        (
            case("- {user: y, expect: {contains: [bread], excludes: [read]}}"),
            ("never-passes", "error", "6:9"),
        ),
        (case("- {user: y, expect: {reference: bread}}"), ("unscored-expectation", "warn", "2:5")),
        (case("- {user: y, expect: {rubric: kind}}"), ("unscored-expectation", "warn", "2:5")),
        (
            case("- {user: y, expect: {pauses: none}}\n      - {answer: {p: approve}}"),
            ("answer-to-nothing", "error", "7:9"),
        ),
        (
            "cases:\n  - id: a\n    turns:\n      - {answer: {p: approve}, expect: {calls: [f]}}\n",
            ("answer-to-nothing", "error", "4:9"),
        ),
        (
            case("- user: y\n    quarantine: {owner: '@ada', reason: slow, until: 2026-11-29}"),
            ("quarantine-expired", "warn", "2:5"),
        ),
        ("cases:\n  - {id: a, user: x, expect: {calls: [NAME_OF_A_TOOL]}}\n", ("unedited", "warn", "2:5")),
        ("cases:\n  - {id: a, user: x, expect: {calls: none}}\n", ("half-a-suite", "warn", "2:5")),
        (
            "cases:\n  - {id: a, user: x, expect: {calls: [f]}}\n  - {id: a, user: x}\n",
            ("duplicate-id", "error", "3:5"),
        ),
        (
            "cases:\n  - {id: a, user: x, depends_on: [b], expect: {calls: [f]}}\n",
            ("depends-on-unknown", "error", "2:5"),
        ),
        (
            (
                "cases:\n  - {id: a, user: x, depends_on: [b], expect: {contains: c}}\n"
                "  - {id: b, user: x, depends_on: [a], expect: {contains: c}}\n"
            ),
            ("depends-on-cycle", "error", "2:5"),
        ),
        ("cases:\n  - {id: a, user: x, expect: {contains: []}}\n", ("bad-value", "error", "2:41")),
        ("cases:\n  - {id: a, user: x, expect: {state: {}}}\n", ("bad-value", "error", "2:38")),
        ("cases:\n  - {id: a, user: x}\n", ("expects-nothing", "warn", "2:5")),
        ('cases:\n  - {id: a, user: x, expect: {contains: [""]}}\n', ("bad-value", "error", "2:42")),
    ],
)
def test_what_is_wrong_with_cases_is_found_at_its_place(
    suite: Suite, golden: str, expected: tuple[str, str, str]
) -> None:
    rule, level, place = expected
    place = place if place.startswith("agent") else f"golden/cards.yaml:{place}"
    assert suite.found(HEAD, golden) == [(rule, level, place)]


def test_a_quarantine_counts_up_to_its_last_day(suite: Suite) -> None:
    for until in ("2026-11-30", "2099-01-01"):
        golden = case(f"- user: y\n    quarantine: {{owner: '@ada', reason: slow, until: {until}}}")
        assert suite.found(HEAD, golden) == []


def test_an_expired_quarantine_names_its_owner(suite: Suite) -> None:
    golden = case("- user: y\n    quarantine: {owner: '@ada', reason: slow, until: 2026-11-29}")
    finding = suite.check(HEAD, golden).findings[0]
    assert finding.what == "the quarantine of case 'a' ended on 2026-11-29: it counts again"
    assert finding.why == "@ada owns it: slow"


ALLOW_LISTS = HEAD + "metrics:\n  calls: {mode: at_most}\n"


def test_a_suite_that_only_allow_lists_tools_is_half_a_suite(suite: Suite) -> None:
    finding = suite.check(ALLOW_LISTS).findings[0]
    assert (finding.rule, str(finding.place)) == ("half-a-suite", "agent-gate.yml:5:3")
    assert finding.what == "every 'calls' is at_most: an agent that calls nothing passes"


@pytest.mark.parametrize(
    "more",
    [
        "  recall: {type: trajectory_recall}\nrules: {recall: {min: 1}}\n",
        "  strict: {type: calls, mode: exactly}\n",
        "  whole: {type: trajectory_match, mode: superset}\nrules: {whole: {min: 1}}\n",
    ],
)
def test_one_metric_that_requires_calls_makes_it_whole(suite: Suite, more: str) -> None:
    assert suite.found(ALLOW_LISTS + more) == []


def test_another_allow_list_does_not(suite: Suite) -> None:
    more = "  within: {type: trajectory_match, mode: subset}\nrules: {within: {min: 1}}\n"
    assert [rule for rule, *_ in suite.found(ALLOW_LISTS + more)] == ["half-a-suite"]


def test_a_way_for_a_tool_that_no_case_expects_is_found(suite: Suite) -> None:
    config = HEAD + "metrics:\n  trajectory_match: {tools: {get_wether: ignore, find: {args: [q]}}}\n"
    golden = CASE.replace("[f]", "[get_weather, find]")
    (finding,) = suite.check(config + "rules: {trajectory_match: {min: 1}}\n", golden).findings
    assert (finding.rule, finding.level, str(finding.place)) == ("unknown-tool", "warn", "agent-gate.yml:5:3")
    assert finding.what.startswith("no case expects a call of 'get_wether', whose arguments metric")
    assert finding.what.endswith("in a way of its own; did you mean 'get_weather'?")


def test_the_metrics_of_agentevals_and_adk_are_configured_as_their_page_shows(suite: Suite) -> None:
    metrics = section("From agentevals or ADK")
    rules = "rules: {trajectory_match: {min: 1}, tool_trajectory_avg_score: {min: 1}}\n"
    golden = "cases:\n  - {id: a, user: x, expect: {calls: [search, log], reference: bread}}\n"
    assert "trajectory_match: {mode: superset" in metrics
    assert suite.found(HEAD + metrics + rules, golden) == []


def section(title: str) -> str:
    """The YAML of a section of docs/numbers.md."""
    numbers = (Path(__file__).parents[2] / "docs/numbers.md").read_text(encoding="utf-8")
    return numbers.partition(f"## {title}\n")[2].partition("```yaml\n")[2].partition("```")[0]


def test_a_way_of_comparing_that_is_none_is_found_by_the_schema(suite: Suite) -> None:
    for tools in ("{f: bogus}", "{f: []}", "{f: {args: bogus}}"):
        found = suite.found(HEAD + f"metrics:\n  trajectory_match: {{tools: {tools}}}\n")
        assert [(level, place.split(":")[1]) for _, level, place in found] == [("error", "5")], tools


def test_a_suite_without_any_calls_is_not_about_tools(suite: Suite) -> None:
    assert suite.found(HEAD, "cases:\n  - {id: a, user: x, expect: {contains: [y]}}\n") == []


def test_a_shared_database_needs_an_agent_that_the_gate_starts(suite: Suite) -> None:
    golden = "isolation: shared\n" + CASE
    config = agent("protocol: adk\n  app: x\n  boot: {url: http://a}")
    assert suite.found(config, golden) == [("shared-needs-boot", "warn", "golden/cards.yaml:3:5")]
    assert suite.found(HEAD, golden) == []


def test_an_expectation_is_scored_once_its_metric_is_configured(suite: Suite) -> None:
    golden = case("- {user: y, expect: {reference: bread}}")
    assert suite.found(HEAD + "metrics: {rouge_1: {}}\nrules: {rouge_1: {max_drop: 0.1}}\n", golden) == []


def test_a_shell_expands_its_own_variables(suite: Suite) -> None:
    (suite.folder / "bin" / "sh").touch(mode=0o755)
    config = command('sh, -c, "echo ${HOME} {port}"')
    assert suite.found(config) == []


def test_a_variable_that_is_empty_counts_as_unset(suite: Suite) -> None:
    config = command(RUN_ME, "pass_env: [KEY]")
    checked = suite.check(config, environ={"PATH": str(suite.folder / "bin"), "KEY": ""})
    assert [(f.rule, f.what) for f in checked.findings] == [("unset-variable", "the variable KEY is empty")]


def test_what_only_matters_when_the_agent_starts_can_be_left_out(suite: Suite) -> None:
    suite.check(command('nope, "{port}"', "pass_env: [NOPE]"))
    assert check(Path("agent-gate.yml"), today=TODAY, boots=False).findings == ()


def test_a_missing_command_says_what_a_container_or_the_runner_can_do(suite: Suite) -> None:
    finding = suite.check(command('nope, "{port}"')).findings[0]
    assert finding.what == "`nope` is not on PATH"
    assert "Docker action" in finding.why
    assert "on-runner" in finding.fix


def test_a_program_with_a_path_starts_at_its_folder(suite: Suite) -> None:
    (suite.folder / "src").mkdir()
    (suite.folder / "src" / "serve").touch(mode=0o755)
    assert suite.found(command('./serve, "{port}"', "cwd: src")) == []


def test_the_config_of_another_folder_names_its_golden_files_from_here(suite: Suite) -> None:
    checked = suite.check(HEAD, "cases:\n  - {id: a, user: x, expect: {calls: none}}\n", path="deep/gate.yml")
    assert [str(f.place) for f in checked.findings] == ["deep/golden/cards.yaml:2:5"]


def test_findings_of_all_files_come_at_once_and_in_order(suite: Suite) -> None:
    golden = {"b.yaml": "cases:\n  - {id: a, user: x, expects: 1}\n", "a.yaml": "cases: [\n", "c.yaml": CASE}
    config = HEAD + "rules: {nope: {min: 1}, calls: {min: 0}}\n"
    assert suite.found(config, golden) == [
        ("unknown-metric", "error", "agent-gate.yml:4:9"),
        ("rule-never-fails", "warn", "agent-gate.yml:4:25"),
        ("syntax", "error", "golden/a.yaml:2:1"),
        ("unknown-key", "error", "golden/b.yaml:2:22"),
    ]


def test_without_a_config_there_is_nothing_more_to_look_at(suite: Suite) -> None:
    checked = suite.check("version: 2\n")
    assert checked.config is None
    assert checked.cases == ()
    missing = check(Path("none.yml"), today=TODAY, environ=os.environ)
    assert [(f.rule, str(f.place)) for f in missing.findings] == [("unreadable", "none.yml")]


@pytest.mark.parametrize(
    ("config", "golden", "rules"),
    [
        (HEAD + "foo: 1\n", "cases:\n  - {id: a, user: hi, expect: {contain: [x]}}\n", 2),
        (HEAD.replace("golden/*.yaml", "[golden/*.yaml, nope/*.yaml]") + "foo: 1\n", CASE, 2),
        (HEAD + "foo: 1\n", CASE, 1),
        (HEAD.replace("golden/*.yaml", "[1, {}]"), CASE, 2),
        (HEAD.replace("dataset: golden/*.yaml\n", ""), CASE, 1),
        ("- not\n- a map\n", CASE, 1),
    ],
)
def test_a_wrong_config_hides_nothing_that_is_wrong_with_the_golden_files(
    suite: Suite, config: str, golden: str, rules: int
) -> None:
    checked = suite.check(config, golden)
    assert checked.config is None
    assert len(checked.findings) == rules, checked.findings
