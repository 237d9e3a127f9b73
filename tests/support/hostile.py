"""Text that tries to be more than text, and what a Markdown reader makes of a document."""

import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gate.publish.escape import line

PIECES = (
    "`",
    "``",
    "```",
    "~~~",
    "|",
    "\\",
    "\\|",
    "\n",
    "\r\n",
    "\r",
    "\u2028",
    "\n\n",
    "\n# ",
    "\n- ",
    "\n> ",
    "\n---\n",
    "\n```\n",
    "\n    ",
    "::",
    "\n::error::x",
    "::stop-commands::x",
    "##[error]x",
    "##",
    "[",
    "##vso[task.setvariable variable=x]y",
    "@everyone",
    "#1",
    "https://evil.example/?q=1",
    "www.evil.example",
    "a@evil.example",
    "![x](https://evil.example/p.png)",
    "[x](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</details>",
    "<details>",
    "<!--",
    "-->",
    "<!-- agent-gate:default -->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#10;",
    "&lt;b&gt;",
    "**",
    "_",
    "*",
    "~~",
    "$x$",
    ":smile:",
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b]8;;https://evil.example\x1b\\",
    "\x1b",
    "\x9b2J",
    "\x00",
    "\x07",
    "\x08",
    "\x7f",
    "\x85",
    "\x0b",
    "\x0c",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\ud800",
    "\udfff",
    "\ufffe",
    "\uffff",
    "\U0001fffe",
    "\U000e0041",
    "\u00ad",
    "\u00a0",
    " ",
    "\t",
    "日本語",
    "e\u0301",
    "👩\u200d💻",
    "x",
)

texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.text(st.characters(codec=None), max_size=40),
    st.tuples(st.sampled_from(PIECES), st.text(max_size=10), st.sampled_from(PIECES)).map("".join),
)
"""Any text, surrogates included, mostly made of what has a meaning somewhere."""

visible = texts.filter(lambda text: line(text) and not re.fullmatch(r"[\w .-]+", text))
"""Hostile text of which something is left to show, and that is no word with a meaning in a report."""


def markdown(text: str) -> list[Token]:
    """The tokens of a document as GitHub reads it, as far as markdown-it-py knows."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def skeleton(text: str) -> list[tuple[Any, ...]]:
    """Every token of a document with its content, but for what stands in code."""
    return list(_bones(markdown(text)))


def _bones(tokens: list[Token]) -> Iterator[tuple[Any, ...]]:
    for token in tokens:
        if token.children is not None:
            yield from _bones(token.children)
        elif token.type in ("code_inline", "fence"):
            yield token.type, token.info
        else:
            yield token.type, token.tag, token.content, tuple(token.attrs.items())


def in_code(text: str) -> list[str]:
    """What stands in code spans and fences."""
    return [t.content for t in _flat(markdown(text)) if t.type in ("code_inline", "fence")]


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
