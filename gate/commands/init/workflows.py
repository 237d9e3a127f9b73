"""The two workflows of a project: the check on pull requests, and the one that keeps the baseline fresh."""

import json
import re
from typing import Final

from gate.commands.init.look import Project

_ACTION: Final = "OWNER/agent-gate{}@0000000000000000000000000000000000000000  # the commit of a release"
_CHECKOUT: Final = """\
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1  # v7.0.1
        with:
          fetch-depth: 0  # {why}
          persist-credentials: false  # no token in .git, where the agent could read it
"""
_BASE_SIDE: Final = "the base side: what the pull request is compared with"
_BRANCHES: Final = "every branch: the baseline may have one of its own"
_PYTHON: Final = """\
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97  # v7.0.0
        with:
          python-version: "3.13"
"""
_KEY: Final = """\
        # env:
        #   GOOGLE_API_KEY: ${{ secrets.GOOGLE_API_KEY }}  # and `pass_env` in agent-gate.yml
"""
_UPLOAD: Final = """\
      - if: ${{{{ !cancelled() }}}}
        uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f  # v7.0.0
        with:
          name: agent-gate
          path: {out}
"""
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)


def files(project: Project) -> dict[str, str]:
    """Both workflows by their place in the repository; below its top they carry the folder's name."""
    suffix = f"-{_slug(project)}" if project.folder else ""
    folder = ".github/workflows"
    return {
        f"{folder}/agent-gate{suffix}.yml": check(project),
        f"{folder}/agent-gate-baseline{suffix}.yml": baseline(project),
    }


def check(project: Project) -> str:
    """The check on pull requests."""
    name = _name("agent-gate", project)
    steps = _step(project, {"comment-id": _slug(project)} if project.folder else {})
    return f"""\
# Boots the agent for each pull request, replays its golden cases and says what got worse.
name: {name}

on:
  pull_request:
    types: [opened, synchronize, reopened, labeled]

permissions: {{}}

concurrency:
  group: {name}-${{{{ github.ref }}}}
  cancel-in-progress: true

jobs:
  gate:
    name: {name}
    runs-on: ubuntu-latest
    timeout-minutes: 30
    permissions:
      contents: read  # checkout
      pull-requests: write  # the comment
    steps:
{_CHECKOUT.format(why=_BASE_SIDE)}{_toolchain(project)}{steps}"""


def baseline(project: Project) -> str:
    """The workflow of the default branch, whose good runs become evidence."""
    name = _name("agent-gate-baseline", project)
    steps = _step(project, {"baseline": "pull-request"}, _OPENER)
    return f"""\
# Measures what was merged, and keeps one pull request that adds the evidence to the baseline. It takes the
# setting "Allow GitHub Actions to create and approve pull requests" (Settings, Actions, General). Without
# pull requests: `baseline: branch` below, and `baseline: {{branch: agent-gate/baseline}}` in agent-gate.yml.
name: {name}

on:
  push:
    branches: [{_quoted(project.branch)}]
{_changes(project)}
  schedule:
    - cron: "23 4 * * *"  # agents change without a commit: models do
  workflow_dispatch:

permissions: {{}}

concurrency:
  group: {name}
  cancel-in-progress: false

jobs:
  baseline:
    name: {name}
    runs-on: ubuntu-latest
    timeout-minutes: 30
    permissions:
      contents: write  # the branch of the pull request
      pull-requests: write  # the pull request
    steps:
{_CHECKOUT.format(why=_BRANCHES)}{_toolchain(project)}{steps}"""


_OPENER: Final = """\
          # The checks of what the job's own token opens wait for "Approve workflows to run"; they start by
          # themselves with the token of an app or a person:
          # github-token: ${{ secrets.AGENT_GATE_OPENER }}
"""


def _changes(project: Project) -> str:
    """What starts a measurement; never the baseline itself, or each merge of it would bring another."""
    if not project.folder:
        return "    paths-ignore: [golden/baseline.jsonl]"
    return f"""\
    paths:
      - {_quoted(f"{project.folder}/**")}
      - {_quoted(f"!{project.folder}/golden/baseline.jsonl")}"""


def _toolchain(project: Project) -> str:
    """The set-up steps of an agent that runs on the runner itself."""
    if project.boxed:
        return ""
    steps = "" if project.install == ("npm ci",) else _PYTHON
    where = f"\n        working-directory: {_quoted(project.folder)}" if project.folder else ""
    runs = "".join(f"      - run: {command}{where}\n" for command in project.install)
    return steps + (runs or "      # here the steps that install what the agent needs\n")


def _step(project: Project, given: dict[str, str], notes: str = "") -> str:
    uses = _ACTION.format("" if project.boxed else "/on-runner")
    inputs = {**({"working-directory": project.folder} if project.folder else {}), **given}
    lines = "".join(f"          {name}: {_quoted(value)}\n" for name, value in inputs.items())
    out = _quoted(f"{project.folder}/out/" if project.folder else "out/")
    block = f"        with:\n{lines}{notes}" if lines else ""
    return f"      - uses: {uses}\n{block}{_KEY}{_UPLOAD.format(out=out)}"


def _name(name: str, project: Project) -> str:
    return f"{name}-{_slug(project)}" if project.folder else name


def _slug(project: Project) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", project.folder).strip("-") or "agent"


def _quoted(text: str) -> str:
    """A scalar of YAML: JSON's strings are."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
