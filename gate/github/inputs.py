"""What the workflow asks of the step: the inputs of action.yml, which set no bar."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeVar

from gate.errors import UsageError
from gate.frozen import frozen
from gate.github.comment import Mode

BaselineMode = Literal["compare", "pull-request", "branch"]

INPUTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "config": "agent-gate.yml",
        "working-directory": ".",
        "github-token": "",
        "comment": "on",
        "comment-id": "default",
        "baseline": "compare",
        "output-directory": "out",
        "publish": "",
    }
)
"""The inputs of action.yml and what an empty one means; the token's default is the job's own."""

BASELINE_MODES: Final[tuple[BaselineMode, ...]] = ("compare", "pull-request", "branch")
COMMENT_MODES: Final[tuple[Mode, ...]] = ("on", "changes", "off")
Value = TypeVar("Value", bound=str)
_WITHHELD_PREFIXES = ("INPUT_", "ACTIONS_")
_WITHHELD = frozenset(
    {"GITHUB_TOKEN", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}
)


@frozen
class Inputs:
    """What the workflow asks for, checked; paths are seen from the repository's root.

    `publish` is the folder of a run to publish, and then nothing is run.
    """

    config: Path
    out: Path
    token: str = field(repr=False)
    comment: Mode
    comment_id: str
    baseline: BaselineMode = "compare"
    publish: Path | None = None


def withhold(environ: MutableMapping[str, str]) -> dict[str, str]:
    """A copy of the environment; what only the runner and the gate may know is taken out of the original.

    So no `pass_env` can hand the job's token, its inputs or its command files on to the agent.
    """
    before = dict(environ)
    for name in before:
        if name in _WITHHELD or name.startswith(_WITHHELD_PREFIXES):
            del environ[name]
    return before


def read_inputs(environ: Mapping[str, str], workspace: Path) -> Inputs:
    """Read INPUT_*; raises UsageError for a value that means nothing, or a folder outside the repository."""
    given = {name: _input(environ, name) for name in INPUTS}
    mode = _one_of(COMMENT_MODES, "comment", given)
    folder = _as_written(workspace, "working-directory", Path(given["working-directory"]))
    out = _inside(workspace, "output-directory", folder / given["output-directory"])
    if out == Path():
        raise UsageError("the input `output-directory` names the repository itself; name a folder in it")
    return Inputs(
        config=Path(os.path.normpath(folder / given["config"])),
        out=out,
        token=given["github-token"],
        comment=mode,
        comment_id=given["comment-id"],
        baseline=_one_of(BASELINE_MODES, "baseline", given),
        publish=_unfollowed(workspace, "publish", folder / given["publish"]) if given["publish"] else None,
    )


def _one_of(values: tuple[Value, ...], name: str, given: Mapping[str, str]) -> Value:
    found = next((value for value in values if value == given[name]), None)
    if found is None:
        raise UsageError(f"the input `{name}` is '{given[name]}'; it can be {', '.join(values)}")
    return found


def _input(environ: Mapping[str, str], name: str) -> str:
    """The runner upper-cases an input's name and keeps its hyphens; YAML 1.1 made booleans of on and off.

    A shell drops variables with a hyphen: on-runner/step.sh gives them with underscores.
    """
    variable = f"INPUT_{name.upper()}"
    given = environ.get(variable) or environ.get(variable.replace("-", "_"), "")
    value = given.strip() or INPUTS[name]
    return {"true": "on", "false": "off"}.get(value.lower(), value) if name == "comment" else value


def _inside(workspace: Path, name: str, path: Path) -> Path:
    """The path seen from the workspace; links are followed first, so that none leads out."""
    real = (workspace / path).resolve()
    if not real.is_relative_to(workspace):
        raise UsageError(
            f"the input `{name}` leads out of the repository: {path}",
            hint="Name a folder inside it; later steps see nothing else of what is written here.",
        )
    return real.relative_to(workspace)


def _as_written(workspace: Path, name: str, path: Path) -> Path:
    """As `_inside`, but by its own name: a folder that became a link is held against what it was."""
    real = _inside(workspace, name, path)
    lexical = Path(os.path.normpath(workspace / path))
    return lexical.relative_to(workspace) if lexical.is_relative_to(workspace) else real


def _unfollowed(workspace: Path, name: str, path: Path) -> Path:
    """As `_inside`, but a link at the very end stays one: whoever reads it shall see that it is one."""
    _inside(workspace, name, path)
    lexical = Path(os.path.normpath(path))
    return _inside(workspace, name, lexical.parent) / lexical.name
