"""Which files a Python metric is made of: its own, and those of the repository that it imports by name."""

import ast
import posixpath
import warnings
from collections.abc import Iterable, Iterator, Sequence

from gate.work.files import Files

_LARGEST = 1 << 20


def module_file(files: Files, module: str, folders: Iterable[str]) -> str:
    """The file of a module by its dotted name in the first of the folders that has it; "" for none."""
    path = module.replace(".", "/")
    for folder in folders:
        for name in (f"{path}.py", f"{path}/__init__.py"):
            if (full := posixpath.normpath(posixpath.join(folder, name))) in files.names:
                return full
    return ""


def closure(files: Files, begin: Iterable[str], folders: Sequence[str], code: str = "") -> frozenset[str]:
    """The files and all that they import of the repository; what only a run tells is not seen."""
    found: set[str] = set()
    todo = [name for name in begin if name in files.names]
    todo += _imported(files, parsed(code), "", folders)
    while todo:
        fresh = {name for name in todo if name not in found}
        found |= fresh
        contents = files.read(name for name in fresh if name.endswith(".py"))
        todo = [
            other
            for name, content in contents.items()
            if isinstance(content, bytes)
            for other in _imported(files, parsed(content), name, folders)
        ]
    return frozenset(found)


def parsed(source: str | bytes) -> ast.Module | None:
    """The syntax tree; None for what is no Python, or too large to look at."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source) if len(source) <= _LARGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imported(files: Files, tree: ast.Module | None, name: str, folders: Sequence[str]) -> Iterator[str]:
    own = posixpath.dirname(name)
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Import(names=names):
                for each in names:
                    yield from _with_parents(files, each.name, [own, *folders] if name else folders)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = own
                for _ in range(level - 1):
                    above = posixpath.dirname(above)
                where = [above] if level else ([own, *folders] if name else folders)
                for each in names:
                    dotted = ".".join(part for part in (module, each.name) if part)
                    yield from _with_parents(files, dotted, where)
            case _:
                pass


def _with_parents(files: Files, dotted: str, folders: Sequence[str]) -> Iterator[str]:
    """The module and the packages that it is in, as far as the repository has them."""
    parts = dotted.split(".")
    for length in range(1, len(parts) + 1):
        if found := module_file(files, ".".join(parts[:length]), folders):
            yield found
