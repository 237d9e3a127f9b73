"""`judges:` and `judge_cache:` to the model, and which judge a metric asks."""

from collections.abc import Iterator, Mapping, Sequence

from gate.config.units import number, per_second, seconds
from gate.documents import Document
from gate.model import Json
from gate.model.config import Config
from gate.model.judge import JudgeBudget, JudgeConfig, Price

Map = Mapping[str, Json]


def judges(top: Map, document: Document, root: str) -> tuple[JudgeConfig, ...]:
    """Every judge of a config that fits the schema."""
    return tuple(_judge(name, _map(given), document, root) for name, given in _map(top.get("judges")).items())


def asked(metric: Map, known: Sequence[JudgeConfig]) -> JudgeConfig | None:
    """The judge that a metric names, or the only one there is; None where that is none."""
    name = metric.get("judge")
    if name is None:
        return known[0] if len(known) == 1 else None
    return next((judge for judge in known if judge.name == name), None)


def cache_of(top: Map) -> str:
    """The file of earlier judgements, "" where none is kept."""
    return _text(top.get("judge_cache"))


def judge_files(config: Config) -> tuple[str, ...]:
    """The files that judges need, by their names from the config's folder, each once."""
    anchors = (anchors_file(metric.options) for metric in config.metrics if metric.judge)
    named = (*anchors, *(judge.ca for judge in config.judges), config.judge_cache)
    return tuple(dict.fromkeys(name for name in named if name))


def anchors_file(options: Map) -> str:
    """The file that a metric's `anchors` name; "" where it has none."""
    given = options.get("anchors")
    return _text(given) or _text(_map(given).get("file"))


def answer_key(top: Map) -> Iterator[str]:
    """The files that an agent must not see: anchors, and earlier judgements."""
    if cache := cache_of(top):
        yield cache
    for metric in _map(top.get("metrics")).values():
        if name := anchors_file(_map(metric)):
            yield name


def _judge(name: str, given: Map, document: Document, root: str) -> JudgeConfig:
    rate, seed, command = given.get("rate"), given.get("seed"), given.get("token_command")
    return JudgeConfig(
        name=name,
        base_url=_text(given["base_url"]).rstrip("/"),
        model=_text(given["model"]),
        headers=_texts(given.get("headers")),
        headers_from=_texts(given.get("headers_from")),
        key=_text(given.get("key")),
        token_command=_listed(command),
        token_env=_listed(given.get("token_env")),
        ca=_text(given.get("ca")),
        temperature=number(given.get("temperature", 0)),
        seed=None if seed is None else int(number(seed)),
        body=_map(given.get("body")),
        timeout_s=seconds(given.get("timeout", 60)),
        retries=int(number(given.get("retries", 2))),
        rate_per_s=per_second(_text(rate)) if rate is not None else None,
        concurrency=int(number(given.get("concurrency", 4))),
        budget=_budget(_map(given.get("budget"))),
        price=_price(_map(given.get("price"))),
        root=root,
        place=document.place(("judges", name), key=True),
    )


def _budget(given: Map) -> JudgeBudget:
    return JudgeBudget(
        calls=int(number(given["calls"])) if "calls" in given else None,
        tokens=int(number(given["tokens"])) if "tokens" in given else None,
        money=number(given["money"]) if "money" in given else None,
    )


def _price(given: Map) -> Price | None:
    return Price(input=number(given["input"]), output=number(given["output"])) if given else None


def _map(value: Json) -> Map:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> dict[str, str]:
    return {key: _text(item) for key, item in _map(value).items()}


def _listed(value: Json) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list) else ()
