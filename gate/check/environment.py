"""What this machine lacks to start the agent: its program, folder and variables, or engine and context."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from gate.documents import Document
from gate.git import is_in_checkout
from gate.model.config import Build, CommandBoot, Config, ContainerBoot, NoBoot, UrlBoot
from gate.model.finding import Finding, Place

_INTERPRETER: Final = re.compile(r"python[\d.]*|node|deno|bun|ruby|sh|bash")
_SCRIPTS: Final = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".sh")
_CHECKOUT: Final = "The pull request writes this file; what else is on the machine is not its to build from."


def environment_findings(config: Config, document: Document, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Findings that another machine may not have; placeholders are not resolved but passed over."""
    root = Path(config.root)
    boot = config.agent.boot
    if isinstance(boot, CommandBoot):
        if "{" not in boot.cwd and not (root / boot.cwd).is_dir():
            yield _no_folder(boot, document)
        else:
            yield from _program(boot, root, document, environ)
            yield from _script(boot, root, document)
    if isinstance(boot, ContainerBoot):
        yield from _engine(document)
        if isinstance(boot.source, Build):
            yield from _build(boot.source, root, document)
    if not isinstance(boot, NoBoot):
        yield from _variables(boot, document, environ)
    traces = config.agent.options.get("traces")
    if config.agent.protocol == "replay" and isinstance(traces, str) and not (root / traces).is_file():
        yield Finding.error(
            "no-traces",
            document.place(("agent", "replay", "traces")),
            f"there is no file '{traces}'",
            fix="`agent-gate run` or `generate` writes one, or `import otel` of recorded spans.",
        )


def _engine(document: Document) -> Iterator[Finding]:
    from gate.boot.container import problem

    what, fix = problem()
    if what:
        yield Finding.error(
            "no-engine",
            document.place(("agent", "boot"), key=True),
            f"no Docker engine can be reached: {what}",
            why="The agent starts in a container.",
            fix=fix,
        )


def _build(build: Build, root: Path, document: Document) -> Iterator[Finding]:
    """What would stop the build; a context given as text has no key of its own."""
    place = document.place(("agent", "boot", "build"))
    if not (root / build.context).is_dir():
        fix = "It starts at the folder of this file."
        yield Finding.error("no-context", place, f"there is no folder '{build.context}'", fix=fix)
        return
    file = root / build.context / build.dockerfile
    if outside := next(
        (each for each in (root / build.context, file) if not is_in_checkout(root, each)), None
    ):
        what = f"'{outside.as_posix()}' is outside of the checkout"
        yield Finding.error("outside", place, what, why=_CHECKOUT, fix="Name a folder of this repository.")
        return
    if not file.is_file():
        what = f"there is no '{build.dockerfile}' in '{build.context}'"
        fix = "'dockerfile' starts at the context."
        yield Finding.error("no-dockerfile", place, what, fix=fix)
        return
    yield from _instructions(file.read_text(encoding="utf-8", errors="replace"), file.as_posix())


def _instructions(text: str, file: str) -> Iterator[Finding]:
    """What the engine's own builder cannot build, or passes over, at its line of the Dockerfile."""
    from gate.boot.container.dockerfile import RECIPE, asks_for_buildkit, buildkit_needs

    why = "The engine's own builder, which `boot.build` uses, has no BuildKit."
    needs = list(buildkit_needs(text))
    for line, name in needs:
        place = Place(file=file, line=line)
        yield Finding.error("needs-buildkit", place, f"{name} needs BuildKit", why=why, fix=RECIPE)
    if not needs and asks_for_buildkit(text):
        what, why = "the '# syntax=' line is passed over", f"{why} Nothing else here seems to need it."
        fix = f"Remove the line; or: {RECIPE}"
        yield Finding.warn("syntax-passed-over", Place(file=file, line=1), what, why=why, fix=fix)


def _no_folder(boot: CommandBoot, document: Document) -> Finding:
    return Finding.error(
        "no-folder",
        document.place(("agent", "boot", "cwd")),
        f"there is no folder '{boot.cwd}'",
        fix="'cwd' starts at the folder of this file.",
    )


def _program(
    boot: CommandBoot, root: Path, document: Document, environ: Mapping[str, str]
) -> Iterator[Finding]:
    program = boot.command[0]
    place = document.place(("agent", "boot", "command", 0))
    if "{" in program or "{" in boot.cwd:
        return
    if "/" in program:
        if not (root / boot.cwd / program).is_file():
            what, why = f"there is no program '{program}'", "It starts at 'cwd'."
            yield Finding.error("command-not-found", place, what, why=why)
        return
    import shutil  # only a command pays for it

    if shutil.which(program, path=boot.env.get("PATH") or environ.get("PATH", os.defpath)) is None:
        yield Finding.error(
            "command-not-found",
            place,
            f"`{program}` is not on PATH",
            why="The agent starts with the tools that the gate finds; the Docker action has none of yours.",
            fix="Install it before, and use the on-runner form; or run the gate in a container that has it.",
        )


def _script(boot: CommandBoot, root: Path, document: Document) -> Iterator[Finding]:
    """A script that an interpreter is to run and that is not there: the agent would not start."""
    program, *words = boot.command
    script = words[0] if words else ""
    known = _INTERPRETER.fullmatch(program.rpartition("/")[2]) and script.endswith(_SCRIPTS)
    if known and "{" not in script + boot.cwd and not (root / boot.cwd / script).is_file():
        yield Finding.warn(
            "no-script",
            document.place(("agent", "boot", "command", 1)),
            f"there is no file '{script}' for {program} to run",
            why="The agent would not start. The path begins at `cwd`, else at the folder of this file.",
            fix="Correct `command`, or write the file before the run.",
        )


def _variables(
    boot: CommandBoot | ContainerBoot | UrlBoot, document: Document, environ: Mapping[str, str]
) -> Iterator[Finding]:
    for index, name in enumerate(boot.pass_env):
        if not environ.get(name):
            yield Finding.error(
                "unset-variable",
                document.place(("agent", "boot", "pass_env", index)),
                f"the variable {name} is {'empty' if name in environ else 'not set'}",
                why="The agent would run without it, and fail for a reason that no pull request caused.",
                fix=f"In a workflow: env: {{{name}: ${{{{ secrets.{name} }}}}}}; forks get no secrets.",
            )
