"""JSON text (RFC 8259) to a document: an own scanner, because the standard library's knows no positions."""

import json
import re
from typing import Final

from gate.documents.document import At, Document, Unreadable, pack
from gate.documents.scalars import NotJson, finite, whole
from gate.documents.tree import Tree
from gate.model import Json

_TOKEN = re.compile(
    r"""([ \t\r\n]*)(?:
        (?P<text>"[^"\\\x00-\x1f]*")
      | (?P<escaped>"(?:[^"\\\x00-\x1f]|\\.)*")
      | (?P<number>-?(?:0|[1-9][0-9]*)(?P<float>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?![0-9.+eE-]))
      | (?P<mark>[{}\[\],:])
      | (?P<word>[-A-Za-z]+)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None}
_MAY_CLOSE: Final = frozenset({"comma", "first key", "first value"})
_NOT_JSON: Final = frozenset({"NaN", "Infinity", "-Infinity"})
HALF_SURROGATE = re.compile("[\ud800-\udfff]")
_EXPECTED: Final = {
    "value": "a value is expected here",
    "first value": "a value or ']' is expected here",
    "key": "a key in double quotes is expected here",
    "first key": "a key in double quotes or '}' is expected here",
    "colon": "a ':' is expected here",
    "comma": "a ',' or the end of the list or object is expected here",
    "end": "nothing more is expected after the value",
}


def parse_json(text: str, file: str) -> Document:
    """Read one JSON value; the first syntax error ends the reading."""
    scanner = _Scanner(text, file)
    tree = scanner.tree
    try:
        scanner.read()
    except Unreadable as stop:
        return Document(file=file, value=None, findings=(*tree.findings, stop.finding), broken=True)
    return Document(file=file, value=tree.root, findings=tuple(tree.findings), spot=tree.root_spot)


class _Scanner:
    """A loop over tokens; `expects` names what may come next."""

    def __init__(self, text: str, file: str) -> None:
        self.tree = Tree(file)
        self.text = text
        self.expects = "value"
        self.line = 0
        self.line_start = 0

    def read(self) -> None:
        """Read the whole text into the tree."""
        if not self.text.strip(" \t\r\n"):
            raise self.tree.stop("empty-file", 0, "the file is empty")
        position = 0
        while True:
            token = _TOKEN.match(self.text, position)
            if token is None:
                raise self._unexpected(position)
            start = token.end(1)
            self._count_lines(token.group(1), start)
            at = pack(self.line, start - self.line_start)
            position = token.end()
            kind = token.lastgroup
            if kind == "end":
                if self.expects != "end":
                    raise self.tree.stop("syntax", at, f"the file ends too early: {_EXPECTED[self.expects]}")
                return
            if kind == "mark":
                self._mark(token["mark"], at, start)
            else:
                self._token(token, at, start)

    def _count_lines(self, blank: str, end: int) -> None:
        if "\n" in blank:
            self.line += blank.count("\n")
            self.line_start = end - (len(blank) - blank.rfind("\n") - 1)

    def _token(self, token: re.Match[str], at: At, start: int) -> None:
        is_text = token["text"] is not None or token["escaped"] is not None
        if is_text and self.expects in {"key", "first key"}:
            self.tree.key(self._text(token, at), at)
            self.expects = "colon"
        elif self.expects in {"value", "first value"}:
            self.tree.add(self._text(token, at) if is_text else self._atom(token, at, start), at)
            self._after_value()
        else:
            raise self._unexpected(start)

    def _text(self, token: re.Match[str], at: At) -> str:
        plain = token["text"]
        if plain is not None:
            text: str = plain[1:-1]
        else:
            try:
                text = json.loads(token["escaped"])
            except json.JSONDecodeError as error:
                what = "this text has an escape that JSON does not know"
                fix = "Write \\\\ for a backslash."
                raise self.tree.stop("syntax", at + error.pos, what, fix=fix) from None
        if HALF_SURROGATE.search(text):
            self.tree.report(
                "bad-text", at, "this text holds half of a surrogate pair, which is no character"
            )
            return HALF_SURROGATE.sub("\ufffd", text)
        return text

    def _atom(self, token: re.Match[str], at: At, start: int) -> Json:
        number, word = token["number"], token["word"]
        if word in _WORDS:
            return _WORDS[word]
        if word in _NOT_JSON:
            self.tree.report("not-json", at, f"{word} is no JSON number")
            return None
        if number is None:
            raise self._unexpected(start)
        try:
            return finite(number) if token["float"] else whole(number)
        except NotJson as error:
            self.tree.report("not-json", at, str(error))
            return None

    def _mark(self, mark: str, at: At, start: int) -> None:
        tree, expects = self.tree, self.expects
        if mark in "{[" and expects in {"value", "first value"}:
            if mark == "{":
                tree.open_map(at)
            else:
                tree.open_list(at)
            self.expects = "first key" if mark == "{" else "first value"
        elif mark == ":" and expects == "colon":
            self.expects = "value"
        elif mark == "," and expects == "comma":
            self.expects = "key" if self._in_map() else "value"
        elif mark in "}]" and (mark == "}") == self._in_map() and expects in _MAY_CLOSE:
            tree.close()
            self._after_value()
        else:
            raise self._unexpected(start)

    def _in_map(self) -> bool:
        top = self.tree.top
        return top is not None and type(top.value) is dict

    def _after_value(self) -> None:
        self.expects = "end" if self.tree.top is None else "comma"

    def _unexpected(self, position: int) -> Unreadable:
        blank = re.compile(r"[ \t\r\n]*").match(self.text, position)
        start = position if blank is None else blank.end()
        self._count_lines(self.text[position:start], start)
        at = pack(self.line, start - self.line_start)
        what, fix = _explain(self.text[start : start + 2], self.expects)
        return self.tree.stop("syntax", at, what, fix=fix)


def _explain(found: str, expects: str) -> tuple[str, str]:
    if found[:1] == "'":
        return "JSON text stands in double quotes", "Write \" instead of '."
    if found in {"//", "/*"} or found[:1] == "#":
        return "JSON has no comments", "Remove it, or name the file .yaml."
    if found[:1] in {"]", "}"} and expects in {"value", "key"}:
        return f"a comma stands before this '{found[0]}'", "Remove the comma."
    if found[:1] == '"' and expects == "comma":
        return "a ',' is missing before this text", "Add the comma."
    if found[:1] == '"':
        return (
            "this text is not closed, or holds a raw control character",
            'Close it with ", and write \\n or \\t.',
        )
    return _EXPECTED[expects], ""
