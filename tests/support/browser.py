"""A headless browser, driven by its command line alone: what a page looks like, and what it became."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMANDS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # tests run as root, and the page is ours
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-lcd-text",
    "--hide-scrollbars",
    "--no-first-run",
)
_SEEN = re.compile(r'<script type="application/json" id="seen">(.*?)</script>', re.DOTALL)
READER = """
const seen = [...document.querySelectorAll("article")].map((article) => ({
  elements: [...article.querySelectorAll("*")].map((element) => [
    element.localName,
    Object.fromEntries(element.getAttributeNames().map((name) => [name, element.getAttribute(name)])),
  ]),
  text: article.innerText,
  height: article.getBoundingClientRect().bottom,
}));
const note = document.createElement("script");
note.type = "application/json";
note.id = "seen";
note.textContent = JSON.stringify({
  articles: seen,
  outside: [...document.body.querySelectorAll(":scope > *")].map((element) => element.localName),
}).replaceAll("<", "\\\\u003c");
document.head.append(note);
"""
"""What a page runs at its end, so that `read` learns what a reader sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One `<article>` as the browser has it: elements in order with their attributes, visible text."""

    elements: Sequence[tuple[str, dict[str, str]]]
    text: str
    height: float

    def count(self, name: str) -> int:
        return sum(element == name for element, _ in self.elements)


def installed() -> str:
    """The browser's path; "" where there is none."""
    return next(filter(None, map(shutil.which, COMMANDS)), "")


def read(page: str) -> tuple[list[Seen], list[str]]:
    """The articles of a page that ends with READER, and the names of what stands beside them in the body."""
    found = _SEEN.search(_run(page, "--dump-dom"))
    assert found, "the page's script did not run"
    told: dict[str, Any] = json.loads(found[1])
    return [Seen(**article) for article in told["articles"]], told["outside"]


def photograph(page: str, file: Path, *, width: int, height: int, scale: int = 2) -> None:
    """Write a picture of the page's first `width` by `height` CSS pixels."""
    _run(
        page,
        f"--screenshot={file.resolve()}",
        f"--window-size={width},{height}",
        f"--force-device-scale-factor={scale}",
    )


def _run(page: str, *flags: str) -> str:
    with tempfile.TemporaryDirectory(prefix="gate-browser-") as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        done = subprocess.run(
            [installed(), *FLAGS, f"--user-data-dir={folder}/profile", *flags, file.as_uri()],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
