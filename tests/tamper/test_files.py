"""The tamper table: where config and golden files are, and how they are stored."""

import json
import shutil

import pytest

import gate.git.tree
from gate.errors import BadInput, BaseUnreadable
from gate.model.bar import Revision
from gate.suite import Selection, Sides, prepare
from tests.support.commands import git
from tests.support.tamper_table import (
    PASSES,
    WAITS,
    check_waits,
)
from tests.support.tampering import Judge, Project, accepted, changes_of, told, verdict

BASELINE = "golden/baseline.jsonl"


def renamed(project: Project, new: str = "gate.yml") -> None:
    (project.folder / "agent-gate.yml").rename(project.folder / new)


async def test_a_renamed_config_is_held_against_what_it_was(project: Project) -> None:
    renamed(project)
    project.edit("gate.yml", "min: 0.9, max_drop", "min: 0.1, max_drop")
    await check_waits(project, "rule loosened rules.calls !", config="gate.yml")


async def test_a_renamed_config_that_is_the_same_passes(project: Project) -> None:
    renamed(project)
    report = await Judge(project, "gate.yml").run()
    assert (verdict(report), changes_of(report)) == (PASSES, [])


async def test_a_config_that_moves_with_its_cases_is_held_against_what_it_was(project: Project) -> None:
    (project.folder / "sub").mkdir()
    renamed(project, "sub/agent-gate.yml")
    (project.folder / "golden").rename(project.folder / "sub/golden")
    project.edit("sub/golden/talk.yaml", "calls: none, ", "")
    await check_waits(project, "case loosened hello !", config="sub/agent-gate.yml")


async def test_of_two_configs_that_are_gone_none_is_guessed(project: Project) -> None:
    project.write("second.yml", project.text())
    project.commit()
    renamed(project)
    (project.folder / "second.yml").unlink()
    project.edit("gate.yml", "min: 0.9, max_drop", "min: 0.1, max_drop")
    await check_waits(project, "config changed agent-gate.yml !", config="gate.yml")


async def test_a_decoy_beside_the_renamed_config_changes_nothing(project: Project) -> None:
    renamed(project)
    project.write("decoy.yml", project.text("gate.yml"))
    project.edit("gate.yml", "mode: exactly", "mode: at_most")
    await check_waits(project, "metric loosened metrics.calls !", config="gate.yml", broken="no_tool")


async def test_a_config_split_in_two_has_lost_what_is_in_the_other(project: Project) -> None:
    project.write("second.yml", project.text().replace("golden/*.yaml", "golden/weather.yaml"))
    project.edit("agent-gate.yml", "golden/*.yaml", "[golden/talk.yaml, golden/orders.yaml]")
    report = await Judge(project).run()
    assert "case removed paris !" in list(map(told, changes_of(report)))
    assert verdict(report) in {WAITS, "regression 1"}


async def test_a_config_that_became_a_link_is_held_against_what_it_was(project: Project) -> None:
    renamed(project, "soft.yml")
    project.edit("soft.yml", "mode: exactly", "mode: at_most")
    project.config.symlink_to("soft.yml")
    await check_waits(project, "metric loosened metrics.calls !", broken="no_tool")


def in_folders(project: Project) -> None:
    """Two agents in one repository: `a` is strict, `b` has one easy case."""
    for name in ("a", "b"):
        (project.folder / name).mkdir()
        shutil.copytree(project.folder / "golden", project.folder / name / "golden")
        shutil.copy(project.config, project.folder / name)
    (project.folder / "b/golden/weather.yaml").unlink()
    project.edit("b/agent-gate.yml", "removed: 0", "removed: 9")
    shutil.rmtree(project.folder / "golden")
    project.config.unlink()
    project.commit()


@pytest.mark.parametrize("target", ["b", "c"])
async def test_a_folder_that_became_a_link_is_held_against_what_it_was(target: str, project: Project) -> None:
    in_folders(project)
    if target == "c":
        (project.folder / "b").rename(project.folder / "c")
    shutil.rmtree(project.folder / "a")
    (project.folder / "a").symlink_to(target)
    await check_waits(project, "case removed paris !", config="a/agent-gate.yml", broken="no_units")


async def test_a_link_by_whose_other_name_the_gate_is_started_hides_nothing(project: Project) -> None:
    """A `working-directory` whose links were followed before: the folder is told as gone."""
    in_folders(project)
    (project.folder / "b").rename(project.folder / "c")
    shutil.rmtree(project.folder / "a")
    (project.folder / "a").symlink_to("c")
    report = await Judge(project, "c/agent-gate.yml").run("no_units")
    assert report.comparison.exit_code == 3


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("agent-gate.yml", "rules:\n", "rules: {}\nrules:\n"),
        ("agent-gate.yml", "  calls: {min", "  calls: {min: 0}\n  calls: {min"),
        ("golden/talk.yaml", "calls: none,", "calls: none, calls: [x],"),
        ("golden/talk.yaml", "{id: hello,", "{id: paris,"),
        ("agent-gate.yml", "calls: {min: 0.9", "Calls: {min: 0.9"),
        ("agent-gate.yml", "mode: exactly", "mode: sometimes"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(name: str, old: str, new: str, project: Project) -> None:
    project.edit(name, old, new)
    with pytest.raises(BadInput):
        Judge(project).prepared(accepted)


@pytest.mark.parametrize("how", ["\ufeff", "\r\n"])
async def test_the_same_text_in_other_bytes_is_no_change(how: str, project: Project) -> None:
    for file in ("agent-gate.yml", "golden/talk.yaml", "golden/weather.yaml", BASELINE):
        text = project.text(file)
        project.write(file, how + text if how == "\ufeff" else text.replace("\n", how))
    report = await Judge(project).run()
    assert (verdict(report), changes_of(report)) == (PASSES, [])


async def test_golden_files_behind_a_link_are_read_at_the_base(project: Project) -> None:
    (project.folder / "golden").rename(project.folder / "cases")
    (project.folder / "golden").symlink_to("cases")
    project.commit()
    project.edit("cases/talk.yaml", "calls: none, ", "")
    await check_waits(project, "case loosened hello !")


async def test_a_golden_file_that_became_a_link_is_held_against_what_it_was(project: Project) -> None:
    project.write("soft.yaml", project.text("golden/talk.yaml").replace("calls: none, ", ""))
    (project.folder / "golden/talk.yaml").unlink()
    (project.folder / "golden/talk.yaml").symlink_to("../soft.yaml")
    await check_waits(project, "case loosened hello !")


async def test_a_golden_folder_that_became_a_link_is_held_against_what_it_was(project: Project) -> None:
    (project.folder / "golden").rename(project.folder / "cases")
    (project.folder / "golden").symlink_to("cases")
    project.edit("cases/talk.yaml", "calls: none, ", "")
    await check_waits(project, "case loosened hello !")


async def test_links_in_a_golden_folder_that_repeat_its_files_are_no_second_cases(project: Project) -> None:
    project.edit("agent-gate.yml", "golden/*.yaml", "golden/**/*.yaml")
    (project.folder / "golden/again").symlink_to(".")
    project.commit()
    report = await Judge(project).run()
    assert (verdict(report), changes_of(report)) == (PASSES, [])


@pytest.mark.parametrize(
    "name", ["[a].yaml", 'quote".yaml', "new\nline.yaml", "é.yaml", "tab\t.yaml", " .yaml"]
)
async def test_a_golden_file_of_any_name_is_read_at_the_base(name: str, project: Project) -> None:
    (project.folder / "golden/talk.yaml").rename(project.folder / "golden" / name)
    project.edit(
        "agent-gate.yml",
        "golden/*.yaml",
        f"[golden/weather.yaml, golden/orders.yaml, {json.dumps(f'golden/{name}')}]",
    )
    project.commit()
    project.edit(f"golden/{name}", "calls: none, ", "")
    await check_waits(project, "case loosened hello !")


async def test_a_golden_file_in_git_lfs_is_not_known_at_the_base(project: Project) -> None:
    good = project.text("golden/weather.yaml")
    project.write("golden/weather.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    project.commit()
    project.write("golden/weather.yaml", good)
    await check_waits(project, "config changed golden/weather.yaml !")


async def test_a_huge_golden_file_is_not_known_at_the_base(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("golden/weather.yaml", project.text("golden/weather.yaml") + "#" * 5000)
    project.commit()
    monkeypatch.setattr(gate.git.tree, "LARGEST", 4000)
    await check_waits(project, "config changed golden/weather.yaml !")


async def test_golden_files_in_a_submodule_are_not_known_at_the_base(project: Project) -> None:
    inner = project.folder.parent / "inner"
    (project.folder / "golden").rename(inner)
    baseline = (inner / "baseline.jsonl").read_text()
    (inner / "baseline.jsonl").unlink()
    git(inner, "init", "-q", "-b", "main")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "cases")
    git(project.folder, "rm", "-q", "--cached", "-r", "golden")
    git(
        project.folder,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner),
        "golden",
    )
    project.write("baseline.jsonl", baseline)
    project.edit("agent-gate.yml", "version: 1\n", "version: 1\nbaseline: baseline.jsonl\n")
    project.commit()
    project.edit("golden/talk.yaml", "calls: none, ", "")
    await check_waits(project, "config changed golden !")


async def test_a_replaced_object_is_not_what_the_commit_has(project: Project) -> None:
    before = project.text("golden/talk.yaml")
    project.edit("golden/talk.yaml", "calls: none, ", "")
    git(project.folder, "add", ".")
    for name, rev in (("old", "HEAD:golden/talk.yaml"), ("new", ":golden/talk.yaml")):
        git(project.folder, "tag", name, rev)
    git(project.folder, "replace", "old", "new")
    assert before != project.text("golden/talk.yaml")
    await check_waits(project, "case loosened hello !")


@pytest.mark.parametrize("new", ["version: 7\n", "version: 1\nsurprise: true\n"])
async def test_a_base_that_this_version_refuses_is_repaired_by_acceptance(new: str, project: Project) -> None:
    good = project.text()
    project.edit("agent-gate.yml", "version: 1\n", new)
    project.commit()
    project.write("agent-gate.yml", good)
    judge = Judge(project)
    assert verdict(await judge.run()) == WAITS
    assert verdict(await judge.run(ask=accepted)) == PASSES


async def test_a_base_with_a_metric_that_is_no_more_is_repaired_by_acceptance(project: Project) -> None:
    good = project.text()
    project.edit("agent-gate.yml", "type: rouge_1", "type: rouge_of_old")
    project.commit()
    project.write("agent-gate.yml", good)
    judge = Judge(project)
    assert verdict(await judge.run()) == WAITS
    assert verdict(await judge.run(ask=accepted)) == PASSES


def test_a_shallow_clone_says_what_to_fetch(project: Project) -> None:
    with pytest.raises(BaseUnreadable) as told_:
        prepare(project.config, Selection(), sides=Sides(base=Revision(commit="0" * 39 + "1")))
    assert "fetch-depth" in told_.value.hint
