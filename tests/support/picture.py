"""A comment as GitHub shows it: `python -m tests.support.picture GOLDEN.md PICTURE.png` (`make picture`).

The picture carries a digest of the page that it shows, so that a test can tell an old one without a browser.
"""

import hashlib
import re
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from tests.support import browser, png

WIDTH = 860
NOTE = "page"
"""Under which keyword the picture carries the digest."""
# The elements that GitHub's sanitizer leaves in a comment, https://github.com/gjtorikian/html-pipeline.
ALLOWED = re.compile(
    r"a|b|blockquote|br|caption|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|h1|h2|h3|"
    r"h4|h5|h6|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|rp|rt|ruby|s|samp|small|source|span|"
    r"strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|ul|var|wbr"
)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>|<!--.*?-->|<[?!][^<>]*>", re.DOTALL)
# What GitHub makes a link of wherever it stands in plain text (GFM 6.9, mentions, references, commits).
_LINKED = re.compile(
    r"(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.[\w.-]+|(?<!\w)@[A-Za-z0-9][\w-]*(?:/[\w-]+)?"
    r"|(?<!\w)(?:[\w-]+/[\w-]+)?#\d+\b|(?<!\w)GH-\d+\b|\b[0-9a-f]{7,40}\b"
)
STYLE = """
body { margin: 0; background: #fff; color: #1f2328;
  font: 14px/1.5 "Liberation Sans", "DejaVu Sans", sans-serif }
section { margin: 16px; border: 1px solid #d0d7de; border-radius: 6px }
header { padding: 8px 16px; border-bottom: 1px solid #d0d7de; border-radius: 6px 6px 0 0;
  background: #f6f8fa; color: #59636e }
header b { color: #1f2328 }
header span { margin-left: 4px; padding: 0 6px; border: 1px solid #d0d7de; border-radius: 2em;
  font-size: 12px }
article { padding: 16px }
article > :first-child { margin-top: 0 }
article > :last-child { margin-bottom: 0 }
h3 { margin: 20px 0 14px; font-size: 1.25em; line-height: 1.25 }
p, ul, table, pre, details { margin: 0 0 14px }
ul { padding-left: 2em }
li + li { margin-top: 3px }
table { border-collapse: collapse }
th, td { padding: 5px 12px; border: 1px solid #d0d7de }
tbody tr:nth-child(2n) { background: #f6f8fa }
code, pre { font: 12px/1.45 "Liberation Mono", "DejaVu Sans Mono", monospace }
code { padding: 2px 5px; border-radius: 6px; background: #eff1f3; white-space: break-spaces }
pre { padding: 14px; border-radius: 6px; background: #f6f8fa; overflow: hidden }
pre code { padding: 0; background: none }
summary { margin-bottom: 8px }
details:not([open]) summary { margin: 0 }
"""
_HEADER = "<header><b>github-actions</b> <span>bot</span> commented</header>"


class _Renderer(RendererHTML):
    """HTML as GitHub's own pipeline leaves it: raw HTML by the list of what is allowed, plain text linked."""

    def text(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        content, done, made = tokens[index].content, 0, ""
        for found in _LINKED.finditer(content):
            made += escape(content[done : found.start()])
            made += f'<a href="#">{escape(found[0])}</a>'
            done = found.end()
        return made + escape(content[done:])

    def html_block(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return _TAG.sub(_allowed, tokens[index].content)

    def html_inline(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return _TAG.sub(_allowed, tokens[index].content)


def _allowed(tag: re.Match[str]) -> str:
    if not tag[2]:
        return ""
    return tag[0] if ALLOWED.fullmatch(tag[2].lower()) else escape(tag[0])


def rendered(markdown: str) -> str:
    """The HTML that a comment becomes."""
    reader = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer)
    html: str = reader.enable(["table", "strikethrough"]).render(markdown)
    return html


def page(*comments: str) -> str:
    """A page with these comments below each other, each an `<article>`; nothing in it loads or runs."""
    shown = "\n".join(f"<section>{_HEADER}<article>{rendered(text)}</article></section>" for text in comments)
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-reader'"
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>{STYLE}</style><body>{shown}\n"
        f'<script nonce="reader">{browser.READER}</script>'
    )


def digest(comment: str) -> str:
    """What tells whether a picture shows this comment in this style."""
    return hashlib.sha256(page(comment).encode()).hexdigest()


def main(golden: str, picture: str) -> None:
    comment = Path(golden).read_text(encoding="utf-8")
    made = page(comment)
    (article,), _ = browser.read(made.replace("<style>", f"<style>body {{ width: {WIDTH}px }}"))
    file = Path(picture)
    browser.photograph(made, file, width=WIDTH, height=int(article.height) + 17)
    file.write_bytes(png.with_palette(file.read_bytes(), (NOTE, digest(comment))))


if __name__ == "__main__":
    main(*sys.argv[1:])
