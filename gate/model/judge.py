"""A judge: which model is asked, what its anchors said in each run, and whether it can be believed."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Place

JudgeKind = Literal["rubric", "score", "trajectory"]
JudgeState = Literal["steady", "unknown", "changed", "unfit", "down"]


@frozen
class Price:
    """What a million tokens cost, in whatever money `budget.money` counts."""

    input: float
    output: float


@frozen
class JudgeBudget:
    """The most that one run may spend; None is unlimited."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None


@frozen
class JudgeConfig:
    """An OpenAI-compatible endpoint and the model that is asked there; durations are seconds.

    `headers` are literals; `headers_from`, `key` and `token_env` name variables whose values are secrets.
    `root` is the folder that the paths start from; `authorities` is the PEM text of `ca`. `withheld` says why
    it must not be asked at all, "" where it may; `fenced` that files of the work tree are not to be run,
    and `commit` whose files are run in their place.
    """

    name: str
    base_url: str
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_from: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    token_command: tuple[str, ...] = ()
    token_env: tuple[str, ...] = ()
    ca: str = ""
    authorities: str = ""
    temperature: float = 0.0
    seed: int | None = None
    body: Mapping[str, Json] = field(default_factory=dict)
    timeout_s: float = 60.0
    retries: int = 2
    rate_per_s: float | None = None
    concurrency: int = 4
    budget: JudgeBudget = field(default_factory=JudgeBudget)
    price: Price | None = None
    root: str = "."
    commit: str = ""
    withheld: str = ""
    place: Place

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it reads, each once."""
        named = (self.key, *self.headers_from.values(), *self.token_env)
        return tuple(dict.fromkeys(name for name in named if name))


@frozen
class Anchor:
    """An answer that people have judged: `label` is 1 and 0 for yes and no, or what it deserves of 0 to 1."""

    id: str
    response: str
    label: float
    prompt: str = ""
    reference: str = ""
    rubric: str = ""
    trajectory: str = ""
    state: str = ""
    place: Place


@frozen
class AnchorReading:
    """What the judge gave an anchor in one run; `value` None: it could not be judged.

    `key` is the digest of the anchor's texts and label: what makes two readings comparable.
    """

    anchor: str
    key: str
    label: float
    value: float | None = None


@frozen
class JudgeReading:
    """A metric's judge in one run: its settings, the names that the endpoint reported, what it cost.

    `key` is the digest of kind, model, prompt and settings, `at` the value from which it says yes. Without
    anchors `anchors` is empty. `agreement` is the mean share of samples that agree, 1 where one was taken.
    `calls` are requests, retries included, `cached` judgements of earlier runs, `failed` questions without a
    verdict; `money` is None where the judge has no price.
    """

    metric: str
    judge: str
    model: str
    key: str
    at: float
    kind: JudgeKind = "rubric"
    reported: tuple[str, ...] = ()
    anchors: tuple[AnchorReading, ...] = ()
    min_agreement: float | None = None
    samples: int = 1
    agreement: float = 1.0
    calls: int = 0
    cached: int = 0
    failed: int = 0
    tokens: int = 0
    money: float | None = None


@frozen
class Agreement:
    """On how many anchors a judge and people say the same; `kappa` is Cohen's, None where it is undefined."""

    judged: int
    agreed: int
    kappa: float | None = None


@frozen
class JudgeHealth:
    """What comparing makes of a judge: `state` says whether its verdicts count, and `reason` why not.

    `unknown`: it has no anchors, so that nobody can tell. `before` is the newest comparable run of the
    baseline; `flipped` anchors of `paired` were judged otherwise than there.
    """

    metric: str
    judge: str
    model: str
    state: JudgeState
    reason: str = ""
    reported: tuple[str, ...] = ()
    anchors: int = 0
    now: Agreement | None = None
    before: Agreement | None = None
    paired: int = 0
    flipped: int = 0


@frozen
class Disagreement:
    """A case of which rules and judge say different things in `trials` of `measured` trials."""

    case: str
    metric: str
    says: Literal["yes", "no"]
    trials: int
    measured: int
