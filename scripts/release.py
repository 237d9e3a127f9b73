"""A release, step by step; .github/workflows/release.yml runs it, RELEASING.md says when.

    check VERSION       the tag, the package and the changelog name the same version
    base IMAGE          prints IMAGE with the digest that its registry has for it today
    pin VERSION IMAGE   IMAGE is name@sha256:… : anyone can pull it, it holds this version. Then a commit on
                        top of the current one, whose action.yml names it, with the tag vVERSION

Standard library only, with `docker` and `git` from PATH. Nothing is pushed from here.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

VERSION = re.compile(r"\d+\.\d+\.\d+")
PINNED = re.compile(r"[a-z0-9][a-z0-9._:/-]*@sha256:[0-9a-f]{64}")
BUILT_ON_USE = "  image: Dockerfile\n"
GATE = "/opt/agent-gate/bin/agent-gate"
AUTHOR = {
    "GIT_AUTHOR_NAME": "github-actions[bot]",
    "GIT_AUTHOR_EMAIL": "41898282+github-actions[bot]@users.noreply.github.com",
}


class Refused(Exception):
    """Why there is no release; nothing was changed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one step in the current folder; 1, with the reason on stderr, where it is refused."""
    asked = _parser().parse_args(arguments)
    try:
        match asked.step:
            case "check":
                check(Path(), asked.version)
            case "base":
                print(with_digest(asked.image))
            case _:
                print(pin(Path(), asked.version, asked.image))
    except Refused as reason:
        print(f"release: {reason}", file=sys.stderr)
        return 1
    return 0


def check(root: Path, version: str) -> None:
    """Refuse a version that is not the package's own, or that the changelog does not tell about."""
    if not VERSION.fullmatch(version):
        raise Refused(f"the tag {version!r} is no version such as 1.2.3")
    found = re.search(r'^__version__ = "(.+)"$', _read(root / "gate" / "__init__.py"), re.MULTILINE)
    if found is None or found[1] != version:
        raise Refused(
            f"the tag says {version}, gate/__init__.py says {found[1] if found else 'nothing'}: correct one"
        )
    if not re.search(rf"^## {re.escape(version)}\b", _read(root / "CHANGELOG.md"), re.MULTILINE):
        raise Refused(
            f"CHANGELOG.md has no heading `## {version}`: rename `## Unreleased`, and begin a new one"
        )


def with_digest(image: str) -> str:
    """The image with the digest that its registry gives for it now."""
    told = _run("docker", "pull", image)
    found = re.search(r"^Digest: (sha256:[0-9a-f]{64})$", told, re.MULTILINE)
    if found is None:
        raise Refused(f"the registry of {image} gave no digest; docker pull said:\n{told}")
    return f"{image}@{found[1]}"


def pin(root: Path, version: str, image: str) -> str:
    """Make the commit and the tag of the release; the tag's name."""
    if not PINNED.fullmatch(image):
        raise Refused(f"{image!r} is not written name@sha256:… with 64 digits")
    check(root, version)
    _check_image(version, image)
    action = root / "action.yml"
    text = _read(action)
    if text.count(BUILT_ON_USE) != 1:
        raise Refused(
            f"action.yml has not one line `{BUILT_ON_USE.strip()}`: is this the source of a release?"
        )
    if _git(root, "status", "--porcelain", "--untracked-files=no"):
        raise Refused("the working tree has changes that are in no commit")
    action.write_text(text.replace(BUILT_ON_USE, f"  image: docker://{image}\n"), encoding="utf-8")
    tag = f"v{version}"
    _git(root, "commit", "--quiet", "--message", f"{version}: the action runs {image}", "--", "action.yml")
    _git(root, "tag", "--annotate", "--message", f"Agent Gate {version}", tag)
    return tag


def _check_image(version: str, image: str) -> None:
    """As someone without credentials: a package of a new repository is private until it is made public."""
    with tempfile.TemporaryDirectory() as nobody:
        env = {"DOCKER_CONFIG": nobody}
        try:
            _run("docker", "pull", "--quiet", image, env=env)
        except Refused as reason:
            raise Refused(f"{reason}\nEveryone must be able to pull it: is the package public?") from None
    told = _run("docker", "run", "--rm", "--network", "none", "--entrypoint", GATE, image, "--version")
    if told != f"agent-gate {version}":
        raise Refused(f"{image} says that it is `{told}`, not {version}")


def _git(root: Path, *arguments: str) -> str:
    who = {**AUTHOR, **{name.replace("AUTHOR", "COMMITTER"): value for name, value in AUTHOR.items()}}
    return _run("git", "-C", str(root), *arguments, env=who)


def _run(*command: str, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refused(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout.strip()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    for name, arguments in {"check": ("version",), "base": ("image",), "pin": ("version", "image")}.items():
        step = steps.add_parser(name)
        for argument in arguments:
            step.add_argument(argument)
    return parser


if __name__ == "__main__":
    sys.exit(main())
