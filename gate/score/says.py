"""`says`: the answer contains what it must, and nothing that it must not.

Both sides are brought into Unicode normal form C first, so that an accent is the same however it was typed.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from gate.model import Json
from gate.model.case import Expect
from gate.model.trace import Exposed
from gate.score.items import ExpectMetric, Level
from gate.score.spelling import normal
from gate.score.values import shown


class Says(ExpectMetric):
    """The share of `contains` and `excludes` that holds for the text of the turn, or of all turns."""

    reads = ("contains", "excludes")
    always = True
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"ignore_case": (False, True)}
    needs: ClassVar[Exposed] = "text"

    def wants(self, expect: Expect) -> Json:
        found: dict[str, Json] = {}
        if expect.contains:
            found["contains"] = sorted(expect.contains)
        if expect.excludes:
            found["excludes"] = sorted(expect.excludes)
        return found or None

    def measure(self, level: Level) -> tuple[float, str]:
        text = self._form(level.text)
        wanted, banned = level.expect.contains or (), level.expect.excludes or ()
        missing = [each for each in wanted if self._form(each) not in text]
        wrong = [why for each in banned if (why := self._excluded(each, text, level))]
        reasons = [_lacks(missing, level.text), *wrong] if missing else wrong
        total = len(wanted) + len(banned)
        return (total - len(missing) - len(wrong)) / total, "; ".join(reasons)

    def _excluded(self, banned: str, text: str, level: Level) -> str:
        """Why an excluded text does not hold, or ""."""
        found = self._form(banned)
        if found in text:
            return f"the answer contains {shown(banned)}, which it must not: {shown(_around(text, found))}"
        return f"nothing shows that the answer would not contain {shown(banned)}" if level.broken else ""

    def _form(self, text: str) -> str:
        composed = normal("NFC", text)
        return normal("NFC", composed.casefold()) if self.options["ignore_case"] else composed


def _lacks(wanted: Sequence[str], said: str) -> str:
    answer = f"it said {shown(said)}" if said else "it said nothing"
    return f"expected the answer to contain {' and '.join(map(shown, wanted))}; {answer}"


def _around(text: str, banned: str) -> str:
    """The part of the text that surrounds what it must not contain, as it was compared."""
    start = max(0, text.index(banned) - 60)
    return f"{'…' if start else ''}{text[start : start + 160]}"
