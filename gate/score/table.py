"""A table of metrics whose modules are loaded when their rows are used: most suites use a few of them."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from gate.score.metric import Metric


class Table(Mapping[str, type[Metric]]):
    """Of each type its class, written as `module.Class`; to ask which types there are loads none."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows = rows

    def __getitem__(self, name: str) -> type[Metric]:
        module, _, made = self._rows[name].partition(".")
        return cast("type[Metric]", getattr(import_module(f"gate.score.{module}"), made))

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
