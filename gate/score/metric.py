"""What a metric promises."""

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import ClassVar, Literal, Self

from gate.errors import BadInput
from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.score import Score
from gate.model.trace import Trace
from gate.redact import Redactor


class Metric:
    """A named measurement of one trial; a subclass is one row of METRICS.

    Class facts: `version` changes whenever the same trial would get another value; `unit` is "" for a share,
    else `ms`, `tokens`, `calls`, `turns`, `cost`; `kind` is `quality` for values in 0..1 that can decide
    whether a case passes and `measure` for the rest; `default_pass_at` None means that the metric decides on
    no case unless `pass_at` is written; `reads` names the keys of `expect` that it scores; `always` metrics
    run without being configured; `foreign` ones run code of the user. `basis` is what beside its options sets
    its values apart: a judge, its anchors. `choices` maps each option to the values that it may take, the
    default first; `texts` names the options that take a text and must be given, `shapes` those of any other
    shape, each with a function that says what to write instead of a value ("" where it is fine). A
    constructor raises BadInput with a finding for each option that it cannot use.
    """

    version: ClassVar[str] = "1"
    unit: ClassVar[Literal["", "ms", "tokens", "calls", "turns", "cost"]] = ""
    kind: ClassVar[Literal["quality", "measure"]] = "quality"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    default_pass_at: ClassVar[float | None] = 1.0
    reads: tuple[str, ...] = ()
    always: ClassVar[bool] = False
    basis: object = None
    foreign: ClassVar[bool] = False
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {}
    texts: ClassVar[tuple[str, ...]] = ()
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {}

    def __init__(self, config: MetricConfig) -> None:
        if findings := tuple(self._findings(config)):
            raise BadInput(findings)
        self.redact = Redactor()
        self.name = config.name
        self.type = config.type
        self.pass_at = self.default_pass_at if config.pass_at is None else config.pass_at
        self.options: Mapping[str, Json] = {
            **{name: values[0] for name, values in self.choices.items()},
            **config.options,
        }

    @property
    def code(self) -> str:
        """The fingerprint of the user's code that is run; "" where none is."""
        return ""

    @property
    def deviations(self) -> dict[str, Json]:
        """The options that are not at their default: what sets its values apart from those of a plain one."""
        defaults = {name: values[0] for name, values in self.choices.items()}
        return {name: value for name, value in self.options.items() if defaults.get(name) != value}

    async def __aenter__(self) -> Self:
        """Acquire what the metric needs for a run: workers, judges, budgets."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release it."""

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        known = dict.fromkeys((*cls.choices, *cls.texts, *cls.shapes))
        for name, value in config.options.items():
            if name not in known:
                names = ", ".join(known) or "none"
                yield _wrong(config, "unknown-option", f"has no option '{name}'", f"one of: {names}")
            elif name in cls.shapes:
                if why := cls.shapes[name](value):
                    yield _wrong(config, "bad-option", f"cannot use this '{name}'", why)
            elif name in cls.choices and not any(
                value is v or (value, type(value)) == (v, str) for v in cls.choices[name]
            ):
                allowed = ", ".join(str(choice).lower() for choice in cls.choices[name])
                yield _wrong(config, "bad-option", f"cannot use this '{name}'", f"one of: {allowed}")
        for name in cls.texts:
            value = config.options.get(name)
            if not (isinstance(value, str) and value):
                yield _wrong(config, "bad-option", f"needs '{name}'", f"{name}: a text that is not empty")
        if config.pass_at is not None and cls.kind == "measure":
            what = f"is measured in {cls.unit} and decides on no case, so that it can have no 'pass_at'"
            yield _wrong(config, "bad-option", what, f"rules: {{{config.name}: {{max: {config.pass_at:g}}}}}")

    def expectation(self, case: Case) -> Json:
        """What of the case a trial is held against, as plain JSON; None where the metric does not apply."""
        raise NotImplementedError

    async def score(self, case: Case, trace: Trace) -> Score:
        """Measure one trial of a case that the metric applies to."""
        raise NotImplementedError


def _wrong(config: MetricConfig, rule: str, what: str, fix: str) -> Finding:
    subject = f"metric '{config.name}' of type '{config.type}'"
    return Finding.error(rule, config.place, f"{subject} {what}", fix=fix)
