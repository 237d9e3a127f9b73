"""`junit`: whether each of the project's own tests passed; what a track of the config is measured by."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from gate.model import Json
from gate.model.case import Case
from gate.score.metric import Metric


def _patterns(value: Json) -> str:
    return "" if value else "the names of JUnit files"


class JunitTests(Metric):
    """It comes from files, so that it applies to no case and no trace gives it a value."""

    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {"junit": _patterns}

    def expectation(self, case: Case) -> Json:  # noqa: ARG002 - a case of the suite is no test of the project
        return None
