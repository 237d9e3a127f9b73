"""Builds a value and its positions from what a scanner meets, without recursion."""

from gate.documents.document import At, ListSpot, MapSpot, Spot, Unreadable, place_of
from gate.model import Json
from gate.model.finding import Finding, Level

MAX_DEPTH = 100
"""Deeper nesting than any golden file has; what walks a value may then recurse."""


class Frame:
    """An open mapping or list; `key` is the key whose value comes next."""

    __slots__ = ("anchor", "key", "spot", "value")

    def __init__(
        self, value: "dict[str, Json] | list[Json]", spot: MapSpot | ListSpot, anchor: str | None
    ) -> None:
        self.value = value
        self.spot = spot
        self.anchor = anchor
        self.key: str | None = None


class Tree:
    """The value that grows; `findings` collects what does not stop the reading."""

    __slots__ = ("file", "findings", "root", "root_spot", "stack", "top")

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.root: Json = None
        self.root_spot: Spot | None = None
        self.stack: list[Frame] = []
        self.top: Frame | None = None

    def wants_key(self) -> bool:
        """Whether the next thing is a mapping's key."""
        top = self.top
        return top is not None and top.key is None and type(top.value) is dict

    def key(self, key: str, at: At) -> None:
        """Take a mapping's key; a second one of the same name is a finding, and its value counts."""
        top = self.top
        if top is None or not isinstance(top.spot, MapSpot):
            raise TypeError("a key outside of a mapping")
        keys = top.spot.keys
        if key in keys:
            self.report(
                "duplicate-key",
                at,
                f"the key {key!r} is also at {place_of(self.file, keys[key])}",
                why="Only one of the two can count, and tools differ in which.",
                fix="Remove one, or join them.",
            )
        keys[key] = at
        top.key = key

    def add(self, value: Json, spot: Spot) -> None:
        """Put a finished or just opened value where it belongs."""
        top = self.top
        if top is None:
            self.root, self.root_spot = value, spot
        elif (key := top.key) is not None:
            top.value[key] = value  # type: ignore[call-overload]
            top.spot.values[key] = spot  # type: ignore[union-attr]
            top.key = None
        else:
            top.value.append(value)  # type: ignore[union-attr]
            top.spot.items.append(spot)  # type: ignore[union-attr]

    def open_map(self, at: At, anchor: str | None = None) -> None:
        """Begin a mapping."""
        self._open(Frame({}, MapSpot(at, {}, {}), anchor), at)

    def open_list(self, at: At, anchor: str | None = None) -> None:
        """Begin a list."""
        self._open(Frame([], ListSpot(at, []), anchor), at)

    def _open(self, frame: Frame, at: At) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self.stop("too-deep", at, f"the nesting is deeper than {MAX_DEPTH} levels")
        self.add(frame.value, frame.spot)
        self.stack.append(frame)
        self.top = frame

    def close(self) -> Frame:
        """End the innermost mapping or list."""
        frame = self.stack.pop()
        self.top = self.stack[-1] if self.stack else None
        return frame

    def report(
        self, rule: str, at: At, what: str, *, why: str = "", fix: str = "", level: Level = "error"
    ) -> None:
        """Note a finding and go on."""
        place = place_of(self.file, at)
        self.findings.append(Finding(rule=rule, level=level, place=place, what=what, why=why, fix=fix))

    def stop(self, rule: str, at: At, what: str, *, why: str = "", fix: str = "") -> Unreadable:
        """Make the exception that ends the reading with this finding."""
        place = place_of(self.file, at)
        return Unreadable(Finding.error(rule, place, what, why=why, fix=fix))
