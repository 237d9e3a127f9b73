"""What went wrong in gates before this one, and the tests that would have seen it here.

The mistakes are those that can be read in the source of published actions for evaluations: a gate that is
green because it could not look is the worst of them.
"""

import ast
from pathlib import Path

import pytest

from gate.check import check
from gate.documents import parse, validate

TESTS = Path(__file__).parents[1]
MISTAKES = {
    "no git in the image, so there is no baseline, and without one all is green": (
        "action/test_action_trust.py::test_without_git_nothing_is_green",
        "action/test_action_image.py::test_the_image_has_git_and_the_wheel_and_no_tools_to_build_with",
    ),
    "git refuses a workspace of another owner, and that reads as no baseline": (
        "action/test_action_image.py::test_the_step_gates_an_agent_comments_once_and_turns_red_when_it_breaks",
    ),
    "what is to be compared with cannot be read, and the check passes": (
        "action/test_action_trust.py::test_a_base_that_is_not_in_the_checkout_is_undecided_with_what_to_do",
        "tamper/test_baselines.py::test_a_baseline_in_place_of_one_that_nobody_can_read_waits",
    ),
    "the gate is started as a module of the working directory, which is the user's repository": (
        "action/test_action_image.py::test_the_step_gates_an_agent_comments_once_and_turns_red_when_it_breaks",
        "contract/test_known_mistakes.py::test_the_step_starts_by_an_absolute_path_and_looks_nowhere_else",
    ),
    "a key of the policy that nobody knows is passed over, so a typo switches the gate off": (
        "config/test_schema_in_step.py::test_no_object_takes_keys_that_nobody_reads",
        "contract/test_known_mistakes.py::test_a_typo_in_a_policy_or_a_rule_is_bad_input",
    ),
    "the comment is looked for on one page": (
        "github/test_comment.py::test_our_comment_is_found_on_every_page",
    ),
    "the address of GitHub is written into the code": (
        "github/test_comment.py::test_enterprise_server_is_talked_to_at_its_own_address",
        "action/test_action_ghes.py::test_a_companys_authority_and_its_proxy_are_used_for_github_and_never_for_the_agent",
    ),
    "a comment is taken for the gate's own whoever wrote it": (
        "github/test_comment.py::test_a_forged_marker_is_neither_written_over_nor_obeyed",
    ),
    "the engine's version floats": (
        "contract/test_packaging.py::test_a_lock_has_pins_and_hashes_and_nothing_else",
    ),
    "the baseline is read from the pull request": (
        "tamper/test_baselines.py::test_another_baseline_does_not_hide_a_broken_agent",
    ),
    "what blocks is told by a part of a metric's name": (
        "contract/test_known_mistakes.py::test_a_rule_holds_the_metric_of_exactly_its_name",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_has_tests_that_would_have_seen_it(mistake: str) -> None:
    for test in MISTAKES[mistake]:
        file, _, name = test.partition("::")
        module = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        functions = {n.name for n in module.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, test


def test_the_step_starts_by_an_absolute_path_and_looks_nowhere_else() -> None:
    dockerfile = (TESTS.parent / "Dockerfile").read_text(encoding="utf-8")
    entry = next(line for line in dockerfile.splitlines() if line.startswith("ENTRYPOINT"))
    words = ast.literal_eval(entry.removeprefix("ENTRYPOINT "))
    assert "-I" in words
    assert words[-1] == "/opt/agent-gate/entrypoint.py"
    assert all(word.startswith(("/", "-")) or word == "utf8" for word in words)


SMALL = "version: 1\nagent: {protocol: replay, replay: {traces: t.jsonl}}\ndataset: g.yaml\n"


@pytest.mark.parametrize(
    "typo",
    [
        "undecided: {throtled: fail}",
        "undecided: {throttled: fial}",
        "enforce: blok",
        "rules: {calls: {mni: 0.9}}",
        "rules: {cases: {regresed: 0}}",
        "accept: {by: anybody}",
    ],
)
def test_a_typo_in_a_policy_or_a_rule_is_bad_input(typo: str) -> None:
    findings = validate(parse(f"{SMALL}{typo}\n", "agent-gate.yml"), "config")
    assert [finding.level for finding in findings] == ["error"], findings


def test_a_rule_holds_the_metric_of_exactly_its_name(tmp_path: Path) -> None:
    (tmp_path / "agent-gate.yml").write_text(f"{SMALL}rules: {{call: {{min: 1}}}}\n", encoding="utf-8")
    (tmp_path / "g.yaml").write_text("cases: [{id: a, user: hi, expect: {calls: [f]}}]\n", encoding="utf-8")
    found = check(tmp_path / "agent-gate.yml").findings
    (finding,) = [each for each in found if each.rule == "unknown-metric"]
    assert finding.level == "error"
    assert "did you mean 'calls'" in finding.what
