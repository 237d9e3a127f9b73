"""The one list of dicts that a Python file assigns to a name, to a document; nothing of the file is run.

Only literals are read (https://docs.python.org/3/library/ast.html): texts, numbers, True, False, None, lists,
tuples (which become lists) and dicts with texts as keys. What would have to be run is a finding.
"""

import ast
import math
import warnings
from typing import Final

from gate.documents.document import At, Document, Unreadable, pack
from gate.documents.json_text import HALF_SURROGATE
from gate.documents.tree import Tree
from gate.model import Json

MAX_BYTES: Final = 1 << 20
"""Python's own parser needs some hundred bytes of memory for one of a file."""
_BITS: Final = 1023
"""A larger whole number may be more than a float can hold."""
_FORM: Final = 'CASES = [{"id": "…", "input": "…"}]'


def parse_python(text: str, file: str) -> Document:
    """Read the list; what cannot be read ends the reading with a finding."""
    reader = _Reader(text, file)
    tree = reader.tree
    try:
        reader.read(text)
    except Unreadable as stop:
        return Document(file=file, value=None, findings=(*tree.findings, stop.finding), broken=True)
    return Document(file=file, value=tree.root, findings=tuple(tree.findings), spot=tree.root_spot)


class _Reader:
    """From the file's syntax tree to a value with positions."""

    def __init__(self, text: str, file: str) -> None:
        self.tree = Tree(file)
        self._lines = text.split("\n")
        self._line = -1
        self._bytes = b""
        self._reached = (0, 0)

    def read(self, text: str) -> None:
        """Find the list, and read it into the tree."""
        if len(text) > MAX_BYTES:
            raise self.tree.stop("too-big", 0, f"a Python file may have {MAX_BYTES >> 20} MiB")
        if not text.strip():
            raise self.tree.stop("empty-file", 0, "the file is empty")
        self._value(self._found(self._parsed(text)))

    def _parsed(self, text: str) -> ast.Module:
        try:
            with warnings.catch_warnings(action="ignore"):
                return ast.parse(text)
        except SyntaxError as error:
            at = pack((error.lineno or 1) - 1, max((error.offset or 1) - 1, 0))
            raise self.tree.stop("syntax", at, f"this is not Python: {error.msg}") from None
        except (RecursionError, MemoryError):
            raise self.tree.stop("too-deep", 0, "an expression in this file is nested too deeply") from None
        except ValueError as error:
            raise self.tree.stop("syntax", 0, f"this is not Python: {error}") from None

    def _found(self, module: ast.Module) -> ast.List:
        """The only list at the file's top that holds dicts."""
        lists = [(name, value) for name, value in map(_assigned, module.body) if isinstance(value, ast.List)]
        dicts = [found for found in lists if any(isinstance(item, ast.Dict) for item in found[1].elts)]
        candidates = dicts or lists
        if len(candidates) == 1:
            return candidates[0][1]
        if not candidates:
            what = "no list of cases is assigned to a name at the top of this file"
            raise self.tree.stop("no-list", 0, what, fix=_FORM)
        names = ", ".join(name for name, _ in candidates)
        what = f"this file has {len(candidates)} lists of cases: {names[:100]}"
        raise self.tree.stop(
            "two-lists", self._at(candidates[1][1]), what, fix="Give each a file of its own."
        )

    def _value(self, node: ast.expr) -> None:
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                self.tree.open_list(self._at(node))
                for item in items:
                    self._value(item)
                self.tree.close()
            case ast.Dict(keys=keys, values=values):
                self.tree.open_map(self._at(node))
                for key, value in zip(keys, values, strict=True):
                    self.tree.key(self._key(key, value), self._at(key or value))
                    self._value(value)
                self.tree.close()
            case _:
                self.tree.add(self._scalar(node), self._at(node))

    def _key(self, key: ast.expr | None, value: ast.expr) -> str:
        match key:
            case ast.Constant(value=str(text)):
                return self._whole(text, key)
            case None:
                raise self._refused(value, "`**` would have to be run")
            case _:
                raise self._refused(key, "a key must be a text in quotes")

    def _scalar(self, node: ast.expr) -> Json:
        match node:
            case ast.Constant(value=str(text)):
                return self._whole(text, node)
            case ast.Constant(value=bool() | None as word):
                return word
            case ast.Constant(value=int() | float() as number):
                return self._finite(number, node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if (
                not isinstance(number, bool)
            ):
                return self._finite(-number, node)
            case ast.JoinedStr():
                raise self._refused(node, "an f-string would have to be run")
            case ast.Constant():
                raise self._refused(node, "this is a value that no golden file can hold")
            case _:
                raise self._refused(node, "this is code, which is not run")

    def _finite(self, number: float, node: ast.expr) -> float:
        fits = number.bit_length() <= _BITS if isinstance(number, int) else math.isfinite(number)
        if not fits:
            raise self._refused(node, "this number is too large")
        return number

    def _whole(self, text: str, node: ast.expr) -> str:
        if HALF_SURROGATE.search(text):
            raise self._refused(node, "this text holds half of a surrogate pair, which is no character")
        return text

    def _refused(self, node: ast.expr, what: str) -> Unreadable:
        why = "The file is read as data: texts, numbers, True, False, None, lists and dicts."
        return self.tree.stop("not-a-literal", self._at(node), what, why=why, fix="Write the value itself.")

    def _at(self, node: ast.expr) -> At:
        """Where a node stands: the parser counts the bytes of a line, people its characters."""
        line = node.lineno - 1
        if line != self._line:
            written = self._lines[line] if line < len(self._lines) else ""
            self._line, self._bytes = line, written.encode("utf-8", "surrogatepass")
            self._reached = (0, 0)
        # Nodes come in order: of a line that holds a whole list, only what is new is counted.
        start, characters = self._reached if self._reached[0] <= node.col_offset else (0, 0)
        characters += len(self._bytes[start : node.col_offset].decode("utf-8", "ignore"))
        self._reached = (node.col_offset, characters)
        return pack(line, characters)


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    """The name and the value of an assignment to one name."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
        case _:
            return "", None
