"""Values of a config as people write them."""

from collections.abc import Iterable, Mapping

from gate.model import Json
from gate.model.config import Amount, Rule

_MAP_LIMIT = 200


def number(value: float) -> str:
    """`0.9`, `3`."""
    return f"{value:g}"


def seconds(value: float) -> str:
    """`120s`."""
    return f"{value:g}s"


def size(value: int) -> str:
    """Bytes in the largest unit that divides them: `2g`, `64m`, `1500`."""
    for unit, power in (("g", 30), ("m", 20), ("k", 10)):
        if value and value % (1 << power) == 0:
            return f"{value >> power}{unit}"
    return str(value)


def amount(value: Amount) -> str:
    """`0.05`, `25%`."""
    return number(value.value) + ("%" if value.percent else "")


def listed(values: Iterable[str]) -> str:
    """`[A, B]`."""
    return f"[{', '.join(values)}]"


def rule(value: Rule) -> str:
    """A rule as the config writes it: `{min: 0.9, max_drop: 0.05}`."""
    keys: dict[str, str] = {name: str(bound) for name, bound in value.counts.items()}
    if value.aggregate != "mean":
        keys["aggregate"] = value.folded
    for name in ("at", "min", "max", "ignore_below", "coverage"):
        bound = getattr(value, name)
        if bound is not None:
            keys[name] = number(bound)
    for name, most in (("max_drop", value.max_drop), ("max_rise", value.max_rise)):
        if most is not None:
            keys[name] = amount(most)
    if value.by != "suite":
        keys["by"] = value.by
    if value.level != "block":
        keys["level"] = value.level
    return block(keys)


def block(keys: Mapping[str, Json]) -> str:
    """`{a: 1, b: x}`, cut where it is long."""
    text = ", ".join(f"{name}: {_value(value)}" for name, value in keys.items())
    return f"{{{text[:_MAP_LIMIT]}{'…' if len(text) > _MAP_LIMIT else ''}}}"


def _value(value: Json) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name}: {_value(item)}' for name, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return listed(map(_value, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
