"""The tamper table: rules, metrics, policies and how often and how long is measured."""

from tests.support.tamper_table import (
    Edit,
    Row,
    both,
    check_accepted,
    check_broken,
    check_good,
    config,
    parametrized,
    rule,
)
from tests.support.tampering import Project

SOFT = config("calls: {min: 0.9, max_drop: 0.05}", "calls: {min: 0.1, max_drop: 0.9}")
NO_CASES = config("  cases: {regressed: 0, new_failing: 0, removed: 0}\n", "")
MANY = rule("cases: {regressed: 9, new_failing: 9, removed: 9}")
SAYS = config("  says: {min: 0.9, by: category}\n", "")


def only(*lines: str) -> Edit:
    """The rules are these and no others, with cases bounded by nothing."""

    def edit(project: Project) -> None:
        before = project.text().partition("rules:\n")[0]
        project.write("agent-gate.yml", f"{before}rules:\n  cases: {{regressed: 9}}\n{''.join(lines)}")

    return edit


RULES = (
    Row("loosens min", config("calls: {min: 0.9, ", "calls: {min: 0.1, "), "rule loosened rules.calls !"),
    Row("loosens max_drop", config("max_drop: 0.05", "max_drop: 0.5"), "rule loosened rules.calls !"),
    Row(
        "removes a rule",
        both(config("  words: {min: 0.5}\n", ""), config("pass_at: 0.5", "pass_at: 0.01")),
        "rule removed rules.words !",
        "wordy",
    ),
    Row(
        "raises the count of regressed cases",
        config("regressed: 0, new_failing: 0", "regressed: 9, new_failing: 9"),
        "rule loosened rules.cases !",
        "loses_size",
    ),
    Row(
        "drops the bound on removed cases",
        config(", removed: 0}", "}"),
        "rule loosened rules.cases !",
    ),
    Row(
        "writes a cases block that drops the default for regressed cases",
        rule("cases: {new_failing: 9}"),
        "rule loosened rules.cases !",
        "loses_size",
        base=NO_CASES,
    ),
    Row(
        "writes a completed block that drops the default",
        rule("completed: {max_drop: 1}"),
        "rule loosened rules.completed !",
    ),
    Row(
        "removes every rule and turns the defaults to warnings",
        only(
            "  completed: {max_drop: 0, level: warn}\n",
            "  says: {min: 0.9, level: warn}\n",
            "  calls: {min: 0.9, level: warn}\n",
        ),
        "rule loosened rules.completed !",
        "crashes",
    ),
    Row(
        "turns a blocking rule to warn",
        both(config("says: {min: 0.9, by: category}", "says: {min: 0.9, by: category, level: warn}")),
        "rule loosened rules.says !",
        "rude",
    ),
    Row(
        "turns a blocking rule to info",
        config("calls: {min: 0.9, max_drop: 0.05}", "calls: {min: 0.9, max_drop: 0.05, level: info}"),
        "rule loosened rules.calls !",
        "no_units",
    ),
    Row(
        "judges the whole suite instead of each category",
        both(
            config("says: {min: 0.9, by: category}", "says: {min: 0.5}"),
            config("regressed: 0, new", "regressed: 9, new"),
        ),
        "rule loosened rules.says !",
        "rude",
    ),
    Row(
        "judges each case instead of the whole suite",
        config("min: 0.5}", "min: 0.5, by: case}"),
        "rule loosened rules.words !",
    ),
    Row(
        "writes a percentage for an absolute bound",
        config("max_drop: 0.05", "max_drop: 40%"),
        "rule loosened rules.calls !",
    ),
    Row(
        "writes an absolute bound for a percentage",
        config("max_rise: 20%", "max_rise: 20"),
        "rule loosened rules.tool_calls !",
    ),
    Row(
        "ignores small rises",
        config("max_rise: 20%", "max_rise: 20%, ignore_below: 99"),
        "rule loosened rules.tool_calls !",
    ),
    Row(
        "bounds the best trial in place of the mean",
        config("max_drop: 0.05}", "max_drop: 0.05, aggregate: max}"),
        "rule loosened rules.calls !",
    ),
    Row(
        "counts trials that pass at less",
        config("at: 0.9", "at: 0.1"),
        "rule loosened rules.words !",
        base=config("words: {min: 0.5}", "words: {aggregate: pass_rate, at: 0.9, min: 0.1}"),
    ),
    Row(
        "asks for fewer trials in a row",
        config("aggregate: pass^2", "aggregate: pass^1"),
        "rule loosened rules.calls !",
        base=config("calls: {min: 0.9, max_drop: 0.05}", "calls: {aggregate: pass^2, min: 0.5}"),
    ),
    Row(
        "drops what says that no rise is too small",
        config("max_rise: 20%, ignore_below: 0", "max_rise: 20%"),
        "rule loosened rules.tool_calls !",
        base=config("max_rise: 20%", "max_rise: 20%, ignore_below: 0"),
    ),
    Row(
        "adds a warning where the default decides on each case",
        rule("state: {min: 0.1, level: warn}"),
        "metric loosened metrics.state !",
        "loses_size",
    ),
    Row(
        "adds an information where the default decides on each case",
        rule("state: {min: 0, level: info}"),
        "metric loosened metrics.state !",
        "loses_state",
    ),
)
METRICS = (
    Row(
        "asks for at least the calls",
        config("mode: exactly", "mode: at_least"),
        "metric loosened metrics.calls !",
        "two_calls",
        base=config("  tool_calls: {max_rise: 20%}\n", ""),
    ),
    Row(
        "ignores arguments",
        config("args: exact", "args: ignore"),
        "metric loosened metrics.calls !",
        "no_units",
    ),
    Row(
        "matches a subset of arguments",
        config("args: exact", "args: subset"),
        "metric loosened metrics.calls !",
    ),
    Row(
        "asks only for allowed calls",
        config("mode: exactly", "mode: at_most"),
        "metric loosened metrics.calls !",
        "no_tool",
    ),
    Row(
        "drops the block of a metric that deviates",
        config("  calls: {mode: exactly, args: exact}\n", ""),
        "metric loosened metrics.calls !",
        "two_calls",
        base=config("  tool_calls: {max_rise: 20%}\n", ""),
    ),
    Row(
        "makes the model cheaper",
        config("big: {input: 9,", "big: {input: 1,"),
        "metric loosened metrics.cost !",
        base=both(
            config("rules:\n", "prices: {big: {input: 9, output: 9}}\nrules:\n"),
            rule("cost: {max: 1, level: warn}"),
        ),
    ),
    Row(
        "looks for another pattern",
        config("pattern: degrees|", "pattern: .|"),
        "metric loosened metrics.units !",
        base=both(
            config("metrics:\n", "metrics:\n  units: {type: regex, pattern: degrees|hello}\n"),
            rule("units: {min: 0.1}"),
        ),
    ),
    Row(
        "asks it of fewer cases",
        config("pattern: hello", "pattern: hello, tags: [none]"),
        "metric loosened metrics.units !",
        base=both(
            config("metrics:\n", "metrics:\n  units: {type: regex, pattern: hello, ignore_case: true}\n"),
            rule("units: {max: 0.9}"),
        ),
    ),
    Row(
        "lets a case pass at less", config("pass_at: 0.5", "pass_at: 0.1"), "metric loosened metrics.words !"
    ),
    Row(
        "puts another type under the same name",
        config("calls: {mode: exactly, args: exact}", "calls: {type: trajectory_recall, args: ignore}"),
        "metric loosened metrics.calls !",
        "no_units",
    ),
    Row(
        "puts a metric that every trial satisfies in place of one that always runs",
        config("metrics:\n", "metrics:\n  says: {type: completed}\n"),
        "metric loosened metrics.says !",
        "rude",
    ),
    Row(
        "ignores case in what is said",
        config("metrics:\n", "metrics:\n  says: {ignore_case: true}\n"),
        "metric loosened metrics.says !",
    ),
    Row(
        "lets what is said pass in part",
        both(
            config("metrics:\n", "metrics:\n  says: {pass_at: 0.5}\n"), config("min: 0.9, by", "min: 0.5, by")
        ),
        "metric loosened metrics.says !",
        "wrong_number",
    ),
    Row(
        "removes a metric with its rule",
        both(config("  words: {type: rouge_1, pass_at: 0.5}\n", ""), config("  words: {min: 0.5}\n", "")),
        "metric removed metrics.words !",
        "wordy",
    ),
    Row(
        "renames a metric with its rule and its bar",
        both(
            config("  words: {type: rouge_1, pass_at: 0.5}\n", "  wordz: {type: rouge_1, pass_at: 0.01}\n"),
            config("  words: {min: 0.5}\n", "  wordz: {min: 0.01}\n"),
        ),
        "metric removed metrics.words !",
        "wordy",
    ),
    Row(
        "overrides completed",
        both(
            config("metrics:\n", "metrics:\n  completed: {pass_at: 0.01}\n"),
            only("  completed: {max_drop: 1}\n  says: {min: 0.1}\n  calls: {min: 0.1}\n"),
        ),
        "metric loosened metrics.completed !",
    ),
)
POLICIES = (
    Row(
        "says report instead of block",
        config("version: 1\n", "version: 1\nenforce: report\n"),
        "policy loosened enforce !",
        "rude",
    ),
    Row(
        "lets a throttled provider pass",
        lambda project: project.write("agent-gate.yml", project.text() + "undecided: {throttled: warn}\n"),
        "policy loosened undecided.throttled !",
        "throttled",
        base=config("undecided: {throttled: warn}\n", ""),
    ),
    Row(
        "lets what needs acceptance pass",
        config("{throttled: warn}", "{throttled: warn, needs_acceptance: pass}"),
        "policy loosened undecided.needs_acceptance !",
    ),
    Row(
        "lets an unreadable baseline pass with another warning",
        config("{throttled: warn}", "{throttled: pass, baseline_unreadable: warn}"),
        "policy loosened undecided.baseline_unreadable !",
    ),
    Row("lowers the number of trials", config("trials: 2", "trials: 1"), "run loosened run.trials !"),
    Row(
        "raises the timeout of a trial",
        config("trial_timeout: 10s", "trial_timeout: 600s"),
        "run loosened run.trial_timeout !",
    ),
    Row("retries more often", config("retries: 1", "retries: 9"), "run loosened run.retries !"),
    Row(
        "accepts by a label where a review was asked for",
        config("accept: {by: review, not_author: true}\n", ""),
        "policy loosened accept !",
        base=config("version: 1\n", "version: 1\naccept: {by: review, not_author: true}\n"),
    ),
    Row(
        "lets the author accept",
        config(", not_author: true", ""),
        "policy loosened accept !",
        base=config("version: 1\n", "version: 1\naccept: {by: review, not_author: true}\n"),
    ),
    Row(
        "accepts by a label that is set anyway",
        config("version: 1\n", "version: 1\naccept: {label: dependencies}\n"),
        "policy loosened accept !",
    ),
    Row(
        "is measured for fewer files",
        config("changed: [agents/**, prompts/**]", "changed: [agents/**]"),
        "policy loosened when.changed !",
        base=config("version: 1\n", "version: 1\nwhen: {changed: [agents/**, prompts/**]}\n"),
    ),
    Row(
        "is measured for few files where it was for all",
        config("version: 1\n", "version: 1\nwhen: {changed: [none/**]}\n"),
        "policy loosened when.changed !",
    ),
    Row(
        "ignores a comment that fails",
        config("strict_publish: true\n", ""),
        "policy loosened strict_publish !",
        base=config("version: 1\n", "version: 1\nstrict_publish: true\n"),
    ),
)
ROWS = (*RULES, *METRICS, *POLICIES)
HIDING = tuple(row for row in ROWS if row.hides)


@parametrized(ROWS)
async def test_what_loosens_waits_and_is_told(row: Row, project: Project) -> None:
    await check_good(row, project)


@parametrized(HIDING)
async def test_what_would_hide_a_broken_agent_does_not(row: Row, project: Project) -> None:
    await check_broken(row, project)


@parametrized(ROWS)
async def test_it_is_merged_once_it_is_accepted(row: Row, project: Project) -> None:
    await check_accepted(row, project)
