"""What a schema error means for a person: findings in words, narrowed to what was probably meant."""

import json
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from gate.documents.document import Document
from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Finding

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Path: TypeAlias = tuple[str | int, ...]

_LONGEST: Final = 60
_WORDS: Final = 20
_PLAIN: Final = re.compile(r"\.|[-./]*(?!(?i:yes|no|on|off|y|n|true|false|null|inf|nan)$)[A-Za-z_][\w./-]*")
"""Words that YAML reads as texts without quotes."""
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


@frozen
class Problem:
    """One schema error, in our types: `wanted` is the keyword's value, `schema` what it stands in."""

    keyword: str
    wanted: Json
    value: Json
    schema: dict[str, Json]
    path: Path
    text: str
    branches: tuple[tuple["Problem", ...], ...]


def problem_of(error: "ValidationError") -> Problem:
    """Take over an error of jsonschema."""
    branches: dict[object, list[Problem]] = {}
    for sub in error.context or ():
        branches.setdefault(sub.relative_schema_path[0], []).append(problem_of(sub))
    is_name = "propertyNames" in error.absolute_schema_path
    return Problem(
        keyword="propertyNames" if is_name else str(error.validator),
        wanted=error.validator_value,
        value=error.instance,
        schema=error.schema if isinstance(error.schema, dict) else {},
        path=tuple(error.absolute_path),
        text=error.message,
        branches=tuple(tuple(branch) for branch in branches.values()),
    )


def findings_of(problem: Problem, document: Document) -> list[Finding]:
    """Every finding that one problem stands for."""
    match problem.keyword:
        case "anyOf" | "oneOf" if problem.branches:
            return _best_branch(problem, document)
        case "additionalProperties" | "unevaluatedProperties":
            return [_unknown_key(key, problem, document) for key in _extras(problem)]
        case "required":
            needed = problem.text.removesuffix(" is a required property")
            meant = _meant(problem, needed.strip(chr(39)))
            what, fix = f"{_noun(problem)} needs {needed}{meant}", "" if meant else _examples(problem)
            return [_finding("missing-key", document, problem.path, what, fix, key=True)]
        case _:
            rule, what, fix = _explain(problem)
            return [_finding(rule, document, problem.path, what, fix)]


def _finding(
    rule: str, document: Document, path: Path, what: str, fix: str = "", *, key: bool = False
) -> Finding:
    return Finding.error(rule, document.place(path, key=key), what, fix=fix)


def _meant(problem: Problem, missing: str) -> str:
    """`; did you mean 'rouge_l'?` of a thing called `rougeL` that lacks its kind."""
    properties = problem.schema.get("properties")
    about = properties.get(missing) if isinstance(properties, dict) else None
    known = about.get("enum") if isinstance(about, dict) else None
    name = _letters(problem.path[-1]) if problem.path else ""
    same = [each for each in known if _letters(each) == name] if isinstance(known, list) else []
    return f"; did you mean '{same[0]}'?" if same else ""


def _letters(name: object) -> str:
    """A name without what differs between spellings."""
    return str(name).lower().replace("_", "").replace("-", "")


def show(value: Json) -> str:
    """A value as one writes it, short enough for a line."""
    if isinstance(value, dict | list) and value:
        return "a mapping" if isinstance(value, dict) else "a list"
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of the known words, or "" where none is near."""
    import difflib  # only a mistake pays for it

    near = difflib.get_close_matches(word, [*known], n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def _noun(problem: Problem) -> str:
    """The schema's title as a thing: `a turn`; without a title the key that it stands under."""
    title = problem.schema.get("title")
    if not isinstance(title, str) or not title:
        return _subject(problem.path)
    if title.lower().startswith(("the ", "a ", "an ")):
        return title[0].lower() + title[1:]
    return f"{'an' if title[0] in 'aeiouAEIOU' else 'a'} {title[0].lower()}{title[1:]}"


def _subject(path: Path) -> str:
    names = [step for step in path if isinstance(step, str)]
    if not names:
        return "this file"
    return f"an item of '{names[-1]}'" if isinstance(path[-1], int) else f"'{names[-1]}'"


def _known(problem: Problem) -> dict[str, Json]:
    properties = problem.schema.get("properties", {})
    return properties if isinstance(properties, dict) else {}


def _extras(problem: Problem) -> list[str]:
    known = _known(problem)
    return [key for key in problem.value if key not in known] if isinstance(problem.value, dict) else []


def _unknown_key(key: str, problem: Problem, document: Document) -> Finding:
    known = _known(problem)
    free = [name for name in known if isinstance(problem.value, dict) and name not in problem.value]
    hint = did_you_mean(key, free)
    what = f"{show(key)} is not a key of {_noun(problem)}{hint}"
    fix = "" if hint or not known else f"Its keys are: {', '.join(known)}."
    return _finding("unknown-key", document, (*problem.path, key), what, fix, key=True)


def _explain(problem: Problem) -> tuple[str, str, str]:
    """Rule id, what and fix of a problem that stands for one finding."""
    subject, shown, wanted = _subject(problem.path), show(problem.value), problem.wanted
    fix = _examples(problem)
    match problem.keyword:
        case "type":
            return "wrong-type", _must_be([problem], problem), _as_words(problem) or fix
        case "enum" if isinstance(wanted, list):
            words = list(
                dict.fromkeys(word if isinstance(word, str) else json.dumps(word) for word in wanted)
            )
            hint = did_you_mean(problem.value, words) if isinstance(problem.value, str) else ""
            return "bad-value", f"{subject} cannot be {shown}{hint}", f"It is one of: {', '.join(words)}."
        case "const":
            return "bad-value", f"{subject} must be {show(wanted)}, not {shown}", fix
        case "propertyNames":
            return "bad-value", f"{shown} cannot be a key of {subject}", fix
        case limit if limit in _LIMITS:
            return "bad-value", f"{subject} is {shown}; it must be {_LIMITS[limit].format(wanted)}", fix
        case "dependentRequired":
            return "missing-key", f"{subject}: {problem.text}", fix
        case _:
            return "bad-value", _size(problem) or f"{subject} cannot be {shown}", fix


def _size(problem: Problem) -> str:
    """What is wrong with how much there is, or "" where that is not the problem."""
    subject, wanted = _subject(problem.path), problem.wanted
    match problem.keyword:
        case "minLength" | "minItems" | "minProperties" if not problem.value:
            return f"{subject} is empty"
        case "minItems" | "minProperties":
            return f"{subject} needs at least {wanted} entries"
        case "maxItems" | "maxProperties":
            return f"{subject} takes at most {wanted} entries"
        case "uniqueItems":
            return f"{subject} lists something twice"
        case _:
            return ""


def _examples(problem: Problem) -> str:
    examples = problem.schema.get("examples", [])
    if not isinstance(examples, list) or not examples:
        return ""
    return f"Write for example {', '.join(e if isinstance(e, str) else json.dumps(e) for e in examples)}."


def _as_words(problem: Problem) -> str:
    """A command line that stands where a list of words is wanted, as that list; else ""."""
    text = problem.value
    if problem.wanted != "array" or problem.path[-1:] != ("command",) or not isinstance(text, str):
        return ""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    if not 0 < len(words) <= _WORDS or len(text) > _WORDS * _LONGEST or not text.isprintable():
        return ""
    quoted = (word if _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=False) for word in words)
    return f"Write [{', '.join(quoted)}]."


def _must_be(types: Sequence[Problem], problem: Problem) -> str:
    kinds: list[str] = []
    for sub in types:
        names = sub.wanted if isinstance(sub.wanted, list) else [sub.wanted]
        kinds += [_KINDS[str(name)] for name in names if _KINDS[str(name)] not in kinds]
    wanted = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    value, kind = show(problem.value), _kind(problem.value)
    got = kind if value in {kind, "null"} else f"{kind} ({value})"
    return f"{_subject(problem.path)} must be {wanted}, not {got}"


def _kind(value: Json) -> str:
    if value is None:
        return "nothing"
    names = {bool: "true or false", str: "text", list: "a list", dict: "a mapping"}
    return names.get(type(value), "a number")


def _best_branch(problem: Problem, document: Document) -> list[Finding]:
    """The findings of the branch that fits best: the right type, then the fewest and deepest problems."""

    def wrong_type(sub: Problem) -> bool:
        return sub.keyword == "type" and sub.path == problem.path

    fitting = [branch for branch in problem.branches if not any(wrong_type(sub) for sub in branch)]
    if not fitting:
        types = [sub for branch in problem.branches for sub in branch if wrong_type(sub)]
        what = _must_be(types, problem)
        return [_finding("wrong-type", document, problem.path, what, _examples(problem))]
    ranked = [
        (
            sum(len(findings_of(sub, document)) * (2 if sub.path == problem.path else 1) for sub in branch),
            index,
        )
        for index, branch in enumerate(fitting)
    ]
    return [finding for sub in fitting[min(ranked)[1]] for finding in findings_of(sub, document)]
