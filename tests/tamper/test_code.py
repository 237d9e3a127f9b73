"""The tamper table: code of custom metrics, what it imports and reads, and what stands in its way."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gate.git import head_of
from gate.model.bar import Revision
from gate.suite import Sides, passed_over
from tests.support.commands import git
from tests.support.tamper_table import (
    PASSES,
    RED,
    WAITS,
    Edit,
    Row,
    both,
    check_accepted,
    check_broken,
    check_good,
    config,
    golden,
    on_two_sides,
    parametrized,
)
from tests.support.tampering import Judge, Project, accepted, changes_of, told, verdict

METRIC = """\
import shlex
from pathlib import Path
from helper import fine
def evaluate(instance):
    words = shlex.split(Path(__file__).with_name("words.txt").read_text())
    if instance["eval_case_id"] != "hello":
        return 1
    said = instance["response"]["parts"][0]["text"]
    return {"score": fine(said, [*words, instance["needs"]]), "explanation": "it offers no help"}
"""
SCRIPT = """\
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":"\\([0-9a-f]\\{16\\}\\)".*/\\1/')
  score=1
  case "$line" in *'"answer":"Hello."'*) score=0;; esac
  echo "{\\"id\\": \\"$id\\", \\"score\\": $score}"
done
"""
NAMED, RULED = "  words: {type: rouge_1, pass_at: 0.5}\n", "  words: {min: 0.5}\n"
POLITE = f"{{type: python, module: metrics, in: evals, python: {sys.executable}, pass_at: 1}}"
SHELL = "{type: command, command: [sh, evals/score.sh], pass_at: 1}"
ALWAYS = "def evaluate(instance): return 1\n"
LOOSENED = "metric loosened metrics.polite !"


def writes(name: str, text: str) -> Edit:
    return lambda project: project.write(name, text)


def with_metric(options: str, more: str = "") -> Edit:
    """A base whose metric `polite` alone sees that the agent got curt."""

    def edit(project: Project) -> None:
        project.write("evals/metrics.py", METRIC)
        project.write(
            "evals/helper.py", "def fine(said, words): return all(word in said for word in words)\n"
        )
        project.write("evals/words.txt", "help")
        project.write("evals/score.sh", SCRIPT)
        if options:
            project.edit("agent-gate.yml", NAMED, f"{NAMED}  polite: {options}\n")
        project.edit("agent-gate.yml", RULED, f"{RULED}  polite: {{min: 1}}\n")
        project.edit("agent-gate.yml", "undecided:", f"{more}undecided:")
        project.edit("golden/talk.yaml", "{id: hello,", "{id: hello, extra: {needs: How},")

    return edit


PYTHON, COMMAND = with_metric(POLITE), with_metric(SHELL)
EVAL_CONFIG = both(
    with_metric("", "metrics_from: evals/eval_config.yaml\n"),
    writes("evals/eval_config.yaml", "custom_metrics: {polite: {module: metrics, function: evaluate}}\n"),
)
ROWS = (
    Row("makes a metric always say yes", writes("evals/metrics.py", ALWAYS), LOOSENED, "curt", PYTHON),
    Row(
        "changes what a metric imports",
        writes("evals/helper.py", "def fine(said, words): return True\n"),
        LOOSENED,
        "curt",
        PYTHON,
    ),
    Row(
        "puts a module before one that a metric imports",
        both(
            writes("evals/shlex.py", "def split(text): return []\n"),
            golden("talk.yaml", "needs: How", "needs: Hello"),
        ),
        LOOSENED,
        "curt",
        PYTHON,
    ),
    Row(
        "has another function called",
        both(writes("evals/other.py", ALWAYS), config("module: metrics", "module: other")),
        LOOSENED,
        "curt",
        PYTHON,
    ),
    Row(
        "has the code in the config called",
        config("module: metrics, in: evals", 'code: "def evaluate(instance): return 1"'),
        LOOSENED,
        "curt",
        PYTHON,
    ),
    Row(
        "stretches the scale of a metric",
        config("module: metrics, in: evals", "module: metrics, in: evals, scale: [-1, 1]"),
        LOOSENED,
        "",
        PYTHON,
    ),
    Row(
        "makes a program always say yes",
        writes("evals/score.sh", SCRIPT.replace("score=0", "score=1")),
        LOOSENED,
        "curt",
        COMMAND,
    ),
    Row(
        "runs another program",
        both(
            writes("evals/other.sh", SCRIPT.replace("score=0", "score=1")),
            config("evals/score.sh", "evals/other.sh"),
        ),
        LOOSENED,
        "curt",
        COMMAND,
    ),
    Row(
        "drops a metric with its rule",
        both(config(f"  polite: {POLITE}\n", ""), config("  polite: {min: 1}\n", "")),
        "metric removed metrics.polite !",
        "curt",
        PYTHON,
    ),
    Row(
        "lets an eval_config name another function",
        both(
            writes("evals/other.py", ALWAYS),
            lambda project: project.edit("evals/eval_config.yaml", "module: metrics", "module: other"),
        ),
        LOOSENED,
        "",
        EVAL_CONFIG,
    ),
    Row(
        "lets an eval_config drop a metric",
        both(
            writes("evals/eval_config.yaml", "custom_metrics: {more: {module: metrics}}\n"),
            config("  polite: {min: 1}\n", ""),
        ),
        "metric removed metrics.polite !",
        "",
        EVAL_CONFIG,
    ),
)
HIDING = tuple(row for row in ROWS if row.hides)


@parametrized(ROWS)
async def test_what_is_loosened_waits_and_is_told(row: Row, project: Project) -> None:
    await check_good(row, project)


@parametrized(HIDING)
async def test_what_it_would_hide_is_not_green(row: Row, project: Project) -> None:
    await check_broken(row, project)


@parametrized(HIDING)
async def test_once_accepted_the_heads_code_decides(row: Row, project: Project) -> None:
    await check_accepted(row, project)


@pytest.mark.parametrize(
    "edit",
    [
        writes("evals/words.txt", ""),
        writes("evals/sitecustomize.py", "import shlex\nshlex.split = lambda text: []\n"),
        writes("evals/unused.py", "x = 1"),
    ],
    ids=["data", "sitecustomize", "unused"],
)
async def test_what_a_metric_reads_is_the_bases_without_a_word(edit: Edit, project: Project) -> None:
    row = Row("changes data", both(edit, golden("talk.yaml", "needs: How", "needs: Hello")), "", base=PYTHON)
    judge = Judge(await on_two_sides(row, project))
    report = await judge.run()
    assert "metric loosened metrics.polite !" not in list(map(told, changes_of(report)))
    assert verdict(report) == PASSES
    assert verdict(await judge.run("curt")) in {RED, WAITS}


async def test_what_a_case_only_knows_besides_is_a_part_of_it_where_a_metric_reads_it(
    project: Project,
) -> None:
    without_words = lambda project: project.write("evals/words.txt", "")  # noqa: E731
    row = Row(
        "changes extra", golden("talk.yaml", "needs: How", "needs: Hello"), "case changed hello",
        "curt", both(PYTHON, without_words),
    )  # fmt: skip
    await check_good(replace(row, hides=""), project)
    judge = Judge(project)
    hidden = await judge.run("curt", accepted)
    assert hidden.comparison.exit_code == 0
    assert verdict(await judge.run("curt")) == WAITS


async def test_an_extra_that_nothing_reads_is_no_change(project: Project) -> None:
    project.edit("golden/talk.yaml", "{id: hello,", "{id: hello, extra: {needs: How},")
    report = await Judge(project).run()
    assert (verdict(report), changes_of(report)) == (PASSES, [])


async def test_a_new_metric_counts_at_once(project: Project) -> None:
    PYTHON(project)
    judge = Judge(project)
    report = await judge.run()
    assert "metric added metrics.polite" in list(map(told, changes_of(report)))
    assert verdict(report) == PASSES
    assert verdict(await judge.run("curt")) == RED


async def test_a_metric_whose_code_is_the_same_is_run_from_the_base(project: Project) -> None:
    await on_two_sides(Row("nothing", lambda _: None, "", base=PYTHON), project)
    suite = Judge(project).prepared()
    (polite,) = (metric for metric in suite.head.metrics if metric.name == "polite")
    assert polite._config.commit == head_of(project.folder)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "text", "passed"),
    [
        ("evals/metrics.py", ALWAYS, False),
        ("evals/helper.py", "def fine(said, words): return True\n", False),
        ("evals/shlex.py", "def split(text): return []\n", False),
        ("README.md", "words", True),
    ],
)
async def test_a_pull_request_that_changes_only_metric_code_is_not_passed_over(
    name: str, text: str, passed: bool, project: Project
) -> None:
    PYTHON(project)
    project.write("agents/a.txt", "")
    project.edit("agent-gate.yml", "undecided:", "when: {changed: [agents]}\nundecided:")
    project.commit()
    base = head_of(project.folder)
    project.write(name, text)
    reason = passed_over(Path(project.config), Sides(base=Revision(commit=base)))
    assert bool(reason) == passed


def editable(project: Project) -> None:
    """A metric that imports a package of the repository, which a workflow installed with `pip install -e`."""
    environment = project.folder.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = (environment / "lib").glob("python*/site-packages")
    (site / "editable.pth").write_text(f"{project.folder / 'src'}\nimport __editable__finder\n")
    (site / "__editable__finder.py").write_text(FINDER.format(project.folder / "flat/other"))
    project.write(
        "src/kind/__init__.py", "def fine(said, words): return all(word in said for word in words)\n"
    )
    project.write("flat/other/__init__.py", "def same(value): return value\n")
    with_metric(
        f"{{type: python, module: metrics, in: evals, python: {environment}/bin/python, pass_at: 1}}"
    )(project)
    text = METRIC.replace("from helper import fine", "from kind import fine\nfrom other import same")
    project.write("evals/metrics.py", text.replace("fine(said", "same(fine)(said"))


FINDER = """\
import sys
from importlib.util import spec_from_file_location
MAPPING = {{"other": "{}"}}
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return spec_from_file_location(name, MAPPING[name] + "/__init__.py") if name in MAPPING else None
sys.meta_path.append(Finder)
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/kind/__init__.py", "def fine(said, words): return True\n"),
        ("flat/other/__init__.py", "def same(value): return lambda said, words: True\n"),
    ],
    ids=["path", "finder"],
)
async def test_what_is_installed_from_the_work_tree_is_imported_from_the_base(
    name: str, text: str, project: Project
) -> None:
    await on_two_sides(Row("changes a package", writes(name, text), "", base=editable), project)
    judge = Judge(project)
    assert verdict(await judge.run()) == PASSES
    assert verdict(await judge.run("curt")) == RED


async def test_a_folder_of_the_pull_request_on_path_has_no_program_for_a_metric(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{project.folder / 'bin'}:{os.environ['PATH']}")
    lying = "#!/bin/bash\n" + SCRIPT.replace("score=0", "score=1")
    await on_two_sides(Row("brings a shell", writes("bin/sh", lying), "", base=COMMAND), project)
    (project.folder / "bin/sh").chmod(0o755)
    git(project.folder, "add", "bin")
    judge = Judge(project)
    assert verdict(await judge.run()) == PASSES
    assert verdict(await judge.run("curt")) == RED


async def test_a_program_that_is_named_by_its_whole_path_is_not_the_pull_requests(project: Project) -> None:
    script = f"{project.folder}/evals/score.sh"
    base = with_metric(f"{{type: command, command: [sh, {script}], pass_at: 1}}")
    lying = SCRIPT.replace("score=0", "score=1")
    await on_two_sides(Row("changes it", writes("evals/score.sh", lying), "", base=base), project)
    report = await Judge(project).run("curt")
    assert report.comparison.exit_code == 3
    (told_,) = (each.reason for each in report.comparison.rules if each.rule.metric == "polite")
    assert f"{script} is the pull request's" in told_
