"""Judges of an experiment (`type: llm_judge`) to `judges:` and metrics of type `judge`.

The model's address is no part of such a file: the program that runs it brings its own. The gate's judge says
itself which form an answer has, so the scale is 0 to 1 whatever the prompt says of it.
"""

import re
from typing import Final

from gate.formats.foreign import Fields, Notes, Path
from gate.frozen import frozen
from gate.model import Json

ADDRESS: Final = "https://gateway.example/v1"
"""Stands where the address of a judge has to be written."""

_WORDS: Final = {
    "prompt": "prompt", "response": "response", "reference": "reference", "rubric": "rubric",
    "state": "state", "trajectory": "trajectory", "predicted_trajectory": "trajectory",
    "reference_trajectory": "reference",
}  # fmt: skip
_WORD: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]{0,40})\}")
_MOST: Final = {"temperature": 2, "seed": 10**9}
_BODY: Final = {
    "max_tokens": "max_tokens", "max_output_tokens": "max_tokens", "top_p": "top_p", "stop": "stop",
    "max_completion_tokens": "max_completion_tokens", "reasoning_effort": "reasoning_effort",
}  # fmt: skip
_PLAIN: Final = "What the user said:\n{prompt}\n\nWhat the assistant answered:\n{response}"


@frozen
class Judged:
    """A metric's options without its judge, and the judge that it asks."""

    options: dict[str, Json]
    judge: dict[str, Json]


def judged(fields: Fields, notes: Notes) -> Judged | None:
    """Read one judge; None where it cannot be asked anything."""
    model = fields.need("model", str)
    system, template = fields.take("system_prompt", str), fields.take("prompt_template", str)
    judge = {"base_url": ADDRESS, "model": model or "", **_params(fields, notes)}
    if model == "":
        notes.error(fields.at("model"), "bad-value", "the name of a model is not empty")
    if not (system or template):
        fix = 'Write "prompt_template": "… {prompt} … {response} …".'
        notes.error(fields.path, "missing-key", "'prompt_template' is missing", fix=fix)
    if not model or not (system or template):
        return None
    texts = [text for text in (system, template or _PLAIN) if text]
    at = fields.at("prompt_template" if template else "system_prompt")
    options = _prompt("\n\n".join(texts), at, notes)
    return Judged(options=options, judge=judge)


def part(found: dict[str, Judged], notes: Notes, at: Path) -> tuple[dict[str, Json], dict[str, Json]]:
    """`judges:`, one for each that differs, and the metrics that ask them."""
    distinct: list[dict[str, Json]] = []
    metrics: dict[str, Json] = {}
    for name, each in found.items():
        if each.judge not in distinct:
            distinct.append(each.judge)
        metrics[name] = {"type": "judge", **each.options, "judge": _name(distinct.index(each.judge))}
    if distinct:
        what = f"where its judges are is not in this file: `base_url` reads {ADDRESS}"
        fix = "Write the address of your gateway, and the variable with its key: `key: JUDGE_KEY`."
        notes.warn(at, "judge-address", what, why="A score is asked for from 0 to 1.", fix=fix, key=True)
    return {_name(index): judge for index, judge in enumerate(distinct)}, metrics


def _name(index: int) -> str:
    return f"judge_{index + 1}" if index else "main"


def _prompt(text: str, at: Path, notes: Notes) -> dict[str, Json]:
    """The prompt with the gate's placeholders, and whether it is of an answer or of a trajectory."""
    single = text.replace("{{", "{").replace("}}", "}")
    words = set(_WORD.findall(single))
    expects_calls = "reference_trajectory" in words
    if expects_calls and "reference" in words:
        what = (
            "a prompt with `{reference}` and `{reference_trajectory}` has the expected calls in both places"
        )
        notes.left_out(at, what, fix="Write two judges, or put one of the two texts into `rubric`.")
    for word in sorted(words - _WORDS.keys()):
        what = f"{{{word}}} of a prompt stands for nothing here, and is sent as it is written"
        notes.left_out(at, what, fix="{prompt}, {response}, {reference}, {trajectory}, {state} or {rubric}")
    prompt = _WORD.sub(lambda match: f"{{{_WORDS.get(match[1], match[1])}}}", single)
    return {"kind": "trajectory" if expects_calls else "score", "prompt": prompt}


def _params(fields: Fields, notes: Notes) -> dict[str, Json]:
    """`params` as keys of a judge; what only another endpoint knows is told."""
    params = fields.nested("params")
    own: dict[str, Json] = {}
    body: dict[str, Json] = {}
    for key in params.unread() if params is not None else ():
        path, value = (*fields.at("params"), key), params.value(key) if params is not None else None
        if key in _MOST:
            own |= {key: value} if _is_within(value, key, path, notes) else {}
        elif key in _BODY:
            body[_BODY[key]] = value
        else:
            notes.left_out(path, f"`{key}` of `params` is not carried over")
    return {**own, **({"body": body} if body else {})}


def _is_within(value: Json, key: str, path: Path, notes: Notes) -> bool:
    most, whole = _MOST[key], key == "seed"
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
    if is_number and (isinstance(value, int) or not whole):
        return True
    what = f"a {'whole ' if whole else ''}number from 0 to {most} is expected here"
    notes.error(path, "bad-value", what)
    return False
