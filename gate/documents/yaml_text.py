"""YAML text to a document: libyaml's events, the types of JSON, and nothing that runs code."""

import re
from collections.abc import Callable, Collection
from typing import Any, Final

import yaml

from gate.documents.document import At, Document, Spot, Unreadable, pack
from gate.documents.scalars import (
    CONSTANTS,
    MIGHT_SURPRISE,
    NUMBER_STARTS,
    NotJson,
    is_date,
    resolve,
    surprise,
)
from gate.documents.tree import MAX_DEPTH, Tree
from gate.model import Json

MAX_ALIASED: Final = 100_000
"""How many nodes (and 100 characters of text each) all aliases of a file together may stand for."""

_BREAKS: Final = frozenset({0x85, 0x2028, 0x2029})
# What YAML 1.2 (production 1) does not allow, and the breaks of YAML 1.1: https://yaml.org/spec/1.2.2/#51-character-set
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_SYNTAX: Final = {
    "mapping values are not allowed in this context": (
        "a ': ' stands where no key can be",
        "Quote the text if it contains ': ', or check the indentation.",
    ),
    "found character that cannot start any token": (
        "this character cannot start a value",
        "Quote the text; indent with spaces, not tabs.",
    ),
    "did not find expected key": ("a key is expected here", "Check the indentation and the quotes."),
    "did not find expected '-' indicator": ("a '- ' is expected here", "Check the indentation of the list."),
    "could not find expected ':'": (
        "a ':' is missing after a key",
        "Check the line before for a missing ':' or quote.",
    ),
    "found unexpected end of stream": ("the file ends inside of a quoted text", "Close the quote."),
    "exceeded maximum nesting depth": (f"the nesting is deeper than {MAX_DEPTH} levels", ""),
}


def parse_yaml(text: str, file: str, dates: Collection[str]) -> Document:
    """Read one YAML document; an unquoted ISO date is no surprise as the value of a key in `dates`."""
    reader = _Reader(text, file, dates)
    tree = reader.tree
    try:
        reader.read()
    except Unreadable as stop:
        return Document(file=file, value=None, findings=(*tree.findings, stop.finding), broken=True)
    return Document(file=file, value=tree.root, findings=tuple(tree.findings), spot=tree.root_spot)


class _Reader:
    """One pass over libyaml's events."""

    def __init__(self, text: str, file: str, dates: Collection[str]) -> None:
        self.tree = Tree(file)
        self.text = text
        self.dates = dates
        self.anchors: dict[str, tuple[Json, Spot] | None] = {}
        self.aliased = 0
        self.documents = 0
        self.done = False
        # types-PyYAML has no classes for libyaml's events: their handlers take what their key says.
        self.handlers: dict[type, Callable[[Any, At], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._begin,
            yaml.StreamEndEvent: self._end,
        }

    def read(self) -> None:
        """Read until the end of the stream or the first document, into the tree."""
        if hit := _REFUSED.search(self.text):
            raise self._refused(hit)
        handlers = self.handlers
        try:
            next_event: Callable[[], Any] = yaml.CSafeLoader(self.text).get_event
            while not self.done:
                event = next_event()
                handler = handlers.get(type(event))
                if handler is not None:
                    mark = event.start_mark
                    handler(event, mark.line << 32 | mark.column)
        except yaml.MarkedYAMLError as error:
            raise self._syntax(error) from None

    def _begin(self, _: yaml.DocumentStartEvent, at: At) -> None:
        self.documents += 1
        if self.documents > 1:
            what = "a second document begins here; a file holds one"
            self.tree.report("yaml-documents", at, what, fix="Give each document a file of its own.")
            self.done = True

    def _end(self, _: yaml.StreamEndEvent, at: At) -> None:
        if not self.documents:
            raise self.tree.stop("empty-file", at, "the file is empty")
        self.done = True

    def _close(self, _: yaml.CollectionEndEvent, __: At) -> None:
        frame = self.tree.close()
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (frame.value, frame.spot)

    def _open(self, event: yaml.CollectionStartEvent, at: At) -> None:
        tree = self.tree
        is_map = type(event) is yaml.MappingStartEvent
        if tree.wants_key():
            raise tree.stop(
                "key-not-text",
                at,
                f"a key must be text; this is a {'mapping' if is_map else 'list'}",
                why="An unquoted { or [ at the start of a value opens a mapping or a list.",
                fix="Quote the text.",
            )
        if event.tag is not None:
            self._tag(event.tag, at)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if is_map:
            tree.open_map(at, event.anchor)
        else:
            tree.open_list(at, event.anchor)

    def _scalar(self, event: yaml.ScalarEvent, at: At) -> None:
        tree = self.tree
        text = event.value
        value: Json = text
        if event.tag is not None:
            self._tag(event.tag, at)
        elif event.implicit[0] and (text in CONSTANTS or text[0] in NUMBER_STARTS or text in MIGHT_SURPRISE):
            value = self._plain(text, at)
        if tree.wants_key():
            self._key(text, value, event, at)
            return
        tree.add(value, at)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, at)

    def _plain(self, text: str, at: At) -> Json:
        if text in CONSTANTS:
            return CONSTANTS[text]
        try:
            value = text if text in MIGHT_SURPRISE else resolve(text)
        except NotJson as error:
            self.tree.report("not-json", at, str(error), fix="Quote it if it is text.")
            return None
        self._surprise(text, at)
        return value

    def _surprise(self, text: str, at: At) -> None:
        found = surprise(text)
        top = self.tree.top
        if found is None or (is_date(text) and top is not None and top.key in self.dates):
            return
        what = f"`{text}` reads as {found.elsewhere} in many YAML tools and as {found.here} here"
        self.tree.report("yaml-surprise", at, what, fix=found.fix, level="warn")

    def _key(self, text: str, value: Json, event: yaml.ScalarEvent, at: At) -> None:
        if text == "<<" and event.implicit[0]:
            raise self.tree.stop(
                "yaml-merge",
                at,
                "merge keys (<<) are not part of YAML 1.2",
                fix="Write the keys out, or use an alias for the whole value.",
            )
        if not isinstance(value, str):
            kind = "empty" if text == "" else f"`{text}`, which is no text"
            self.tree.report("key-not-text", at, f"this key is {kind}", fix=f'Quote it: "{text}".')
        self.tree.key(text, at)
        if event.anchor is not None:
            self.anchors[event.anchor] = (text, at)

    def _tag(self, tag: str, at: At) -> None:
        name = tag.replace("tag:yaml.org,2002:", "!!")
        self.tree.report(
            "yaml-tag",
            at,
            f"the tag `{name}` is not read",
            why="A golden file holds plain data: text, numbers, lists and mappings.",
            fix="Remove the tag; quote the value if it is text.",
        )

    def _alias(self, event: yaml.AliasEvent, at: At) -> None:
        tree, anchor = self.tree, event.anchor
        if anchor not in self.anchors:
            raise tree.stop("alias", at, f"the alias `*{anchor}` has no anchor `&{anchor}` before it")
        target = self.anchors[anchor]
        if target is None:
            raise tree.stop("alias", at, f"the alias `*{anchor}` stands inside of its own anchor")
        value, spot = target
        if tree.wants_key():
            if not isinstance(value, str):
                raise tree.stop("key-not-text", at, f"the key `*{anchor}` is no text")
            tree.key(value, at)
            return
        weight, height = _weigh(value, MAX_ALIASED - self.aliased)
        self.aliased += weight
        if self.aliased > MAX_ALIASED:
            raise tree.stop(
                "alias",
                at,
                f"the aliases of this file stand for more than {MAX_ALIASED:,} values",
                why="A few lines of aliases can grow to gigabytes.",
                fix="Write the values out.",
            )
        if len(tree.stack) + height > MAX_DEPTH:
            raise tree.stop("too-deep", at, f"with this alias the nesting is deeper than {MAX_DEPTH} levels")
        tree.add(value, spot)

    def _syntax(self, error: yaml.MarkedYAMLError) -> Unreadable:
        mark = error.problem_mark or error.context_mark
        at = 0 if mark is None else pack(mark.line, mark.column)
        problem = error.problem or "the YAML cannot be read"
        what, fix = _SYNTAX.get(problem, (problem, ""))
        rule = "too-deep" if problem == "exceeded maximum nesting depth" else "syntax"
        why = ""
        if error.context and error.context_mark is not None:
            why = f"It was found {error.context} that starts at line {error.context_mark.line + 1}."
        return self.tree.stop(rule, at, what, why=why, fix=fix)

    def _refused(self, hit: re.Match[str]) -> Unreadable:
        before = self.text[: hit.start()]
        lines = re.split("\r\n|[\r\n]", before)
        code = ord(hit.group())
        at = pack(len(lines) - 1, len(lines[-1]))
        if code in _BREAKS:
            why = "YAML 1.1 reads it as a line break, and YAML 1.2 does not."
            fix = f'Write it as an escape in double quotes: "\\u{code:04x}".'
            return self.tree.stop(
                "bad-text", at, f"the character U+{code:04X} cannot stand in a YAML file", why=why, fix=fix
            )
        return self.tree.stop(
            "bad-text", at, f"the character U+{code:04X} cannot stand in a YAML file", fix="Remove it."
        )


def _weigh(value: Json, budget: int) -> tuple[int, int]:
    """How many nodes a value has, counted until they pass the budget, and how deep it is."""
    weight = height = 0
    todo: list[tuple[Json, int]] = [(value, 0)]
    while todo and weight <= budget:
        node, depth = todo.pop()
        weight += 1
        height = max(height, depth)
        if isinstance(node, dict):
            weight += sum(len(key) // 100 for key in node)
            todo.extend((child, depth + 1) for child in node.values())
        elif isinstance(node, list):
            todo.extend((child, depth + 1) for child in node)
        elif isinstance(node, str):
            weight += len(node) // 100
    return weight, height
