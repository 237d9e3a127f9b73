"""What a schema error means for a person: findings in words, narrowed to what was probably meant."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from gate.documents.document import Document
from gate.model import Json
from gate.model.finding import Finding

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Path: TypeAlias = tuple[str | int, ...]

_KINDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing (null)",
}
_LIMITS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
}


def findings_of(error: "ValidationError", document: Document, base: Path = ()) -> list[Finding]:
    """Every finding that one schema error stands for; `base` is the path of what was validated."""
    path = (*base, *error.absolute_path)
    match error.validator:
        case "anyOf" | "oneOf" if error.context:
            return _best_branch(error, document, base)
        case "additionalProperties" | "unevaluatedProperties":
            return [_unknown_key(key, error, document, path) for key in _extras(error)]
        case "required":
            return [_missing_key(error, document, path)]
        case "propertyNames":
            return [_bad_name(error.parent or error, document, path)]
    rule, what, fix = _explain(error, path)
    return [_finding(rule, document, path, what, fix)]


def _finding(
    rule: str, document: Document, path: Path, what: str, fix: str = "", *, key: bool = False
) -> Finding:
    return Finding(rule=rule, level="error", place=document.place(path, key=key), what=what, fix=fix)


def show(value: Json) -> str:
    """A value as one writes it, short enough for a line."""
    if isinstance(value, dict | list) and value:
        return "a mapping" if isinstance(value, dict) else "a list"
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of the known words, or "" where none is near."""
    near = difflib.get_close_matches(word, [*known], n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def _noun(schema: Mapping[str, Json], path: Path) -> str:
    title = schema.get("title")
    if isinstance(title, str):
        noun = title[:1].lower() + title[1:]
        return (
            noun
            if noun.startswith(("the ", "a ", "an "))
            else f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
        )
    return _subject(path)


def _subject(path: Path) -> str:
    names = [step for step in path if isinstance(step, str)]
    return f"'{names[-1]}'" if names else "this file"


def _extras(error: "ValidationError") -> list[str]:
    known = _known(error)
    instance = error.instance
    return [key for key in instance if key not in known] if isinstance(instance, dict) else []


def _known(error: "ValidationError") -> Mapping[str, Json]:
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    return properties if isinstance(properties, dict) else {}


def _unknown_key(key: str, error: "ValidationError", document: Document, path: Path) -> Finding:
    known = _known(error)
    open_keys = [name for name in known if name not in error.instance]
    what = f"'{key}' is not a key of {_noun(error.schema, path)}{did_you_mean(key, open_keys)}"
    fix = "" if "did you mean" in what or not open_keys else f"Known keys: {', '.join(known)}."
    return _finding("unknown-key", document, (*path, key), what, fix, key=True)


def _missing_key(error: "ValidationError", document: Document, path: Path) -> Finding:
    missing = [key for key in error.validator_value if key not in error.instance]
    named = [key for key in missing if f"'{key}'" in error.message]
    what = f"{_noun(error.schema, path)} needs '{(named or missing)[0]}'"
    return _finding("missing-key", document, path, what, key=True)


def _bad_name(error: "ValidationError", document: Document, path: Path) -> Finding:
    what = f"{show(error.instance)} cannot be a name here"
    return _finding("bad-value", document, path, what)


def _explain(error: "ValidationError", path: Path) -> tuple[str, str, str]:
    value, wanted, subject = error.instance, error.validator_value, _subject(path)
    match error.validator:
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else list(wanted)
            return (
                "wrong-type",
                f"{subject} must be {_one_of(kinds)}; {show(value)} is {_kind(value)}",
                _examples(error),
            )
        case "enum":
            hint = (
                did_you_mean(value, [w for w in wanted if isinstance(w, str)])
                if isinstance(value, str)
                else ""
            )
            allowed = ", ".join(w if isinstance(w, str) else json.dumps(w) for w in wanted)
            return "bad-value", f"{subject} cannot be {show(value)}{hint}", f"It is one of: {allowed}."
        case "const":
            return "bad-value", f"{subject} must be {show(wanted)}, not {show(value)}", ""
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" as limit:
            return "bad-value", f"{subject} is {show(value)}; it must be {_LIMITS[limit].format(wanted)}", ""
        case "minLength" | "minItems" | "minProperties" if not value:
            return "bad-value", f"{subject} is empty", _examples(error)
        case "uniqueItems":
            return "bad-value", f"{subject} lists something twice", ""
        case "dependentRequired":
            return "missing-key", f"{subject}: {error.message}", ""
    return "bad-value", f"{subject} cannot be {show(value)}", _examples(error)


def _examples(error: "ValidationError") -> str:
    examples = error.schema.get("examples", []) if isinstance(error.schema, dict) else []
    return (
        f"Write for example {', '.join(e if isinstance(e, str) else json.dumps(e) for e in examples)}."
        if examples
        else ""
    )


def _kind(value: Json) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "a mapping"
    return "a number"


def _one_of(kinds: Sequence[str]) -> str:
    words = [_KINDS[kind] for kind in kinds]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _best_branch(error: "ValidationError", document: Document, base: Path) -> list[Finding]:
    """The findings of the branch that fits best: the right type first, then the fewest and deepest errors."""
    branches: dict[int, list[ValidationError]] = {}
    for sub in error.context or ():
        branches.setdefault(int(sub.relative_schema_path[0]), []).append(sub)
    depth = len(error.absolute_path)
    fitting = {n: subs for n, subs in branches.items() if not any(_wrong_type(sub, depth) for sub in subs)}
    path = (*base, *error.absolute_path)
    if not fitting:
        kinds = dict.fromkeys(
            kind
            for subs in branches.values()
            for sub in subs
            if sub.validator == "type"
            for kind in (
                [sub.validator_value] if isinstance(sub.validator_value, str) else sub.validator_value
            )
        )
        what = f"{_subject(path)} must be {_one_of(list(kinds))}; {show(error.instance)} is {_kind(error.instance)}"
        return [_finding("wrong-type", document, path, what, _examples(error))]
    found = {n: [f for sub in subs for f in findings_of(sub, document, base)] for n, subs in fitting.items()}
    best = min(
        found,
        key=lambda n: sum(2 if len(sub.absolute_path) == depth else 1 for sub in fitting[n]) + len(found[n]),
    )
    return found[best]


def _wrong_type(error: "ValidationError", depth: int) -> bool:
    return error.validator == "type" and len(error.absolute_path) == depth
