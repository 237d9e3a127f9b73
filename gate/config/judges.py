"""`judges:` and `judge_cache:` to the model, and which judge a metric asks."""

from collections.abc import Iterator, Sequence

from gate.config.narrow import Map, map_of, text, text_map, texts
from gate.config.units import number, per_second, seconds
from gate.documents import Document
from gate.model.config import Config
from gate.model.judge import JudgeBudget, JudgeConfig, Price


def judges(top: Map, document: Document, root: str) -> tuple[JudgeConfig, ...]:
    """Every judge of a config that fits the schema."""
    return tuple(
        _judge(name, map_of(given), document, root) for name, given in map_of(top.get("judges")).items()
    )


def asked(metric: Map, known: Sequence[JudgeConfig]) -> JudgeConfig | None:
    """The judge that a metric names, or the only one there is; None where that is none."""
    name = metric.get("judge")
    if name is None:
        return known[0] if len(known) == 1 else None
    return next((judge for judge in known if judge.name == name), None)


def cache_of(top: Map) -> str:
    """The file of earlier judgements, "" where none is kept."""
    return text(top.get("judge_cache"))


def judge_files(config: Config) -> tuple[str, ...]:
    """The files that judges need, by their names from the config's folder, each once."""
    anchors = (anchors_file(metric.options) for metric in config.metrics if metric.judge)
    named = (*anchors, *(judge.ca for judge in config.judges), config.judge_cache)
    return tuple(dict.fromkeys(name for name in named if name))


def anchors_file(options: Map) -> str:
    """The file that a metric's `anchors` name; "" where it has none."""
    given = options.get("anchors")
    return text(given) or text(map_of(given).get("file"))


def answer_key(top: Map) -> Iterator[str]:
    """The files that an agent must not see: anchors, and earlier judgements."""
    if cache := cache_of(top):
        yield cache
    for metric in map_of(top.get("metrics")).values():
        if name := anchors_file(map_of(metric)):
            yield name


def _judge(name: str, given: Map, document: Document, root: str) -> JudgeConfig:
    rate, seed = given.get("rate"), given.get("seed")
    return JudgeConfig(
        name=name,
        base_url=text(given["base_url"]).rstrip("/"),
        model=text(given["model"]),
        headers=text_map(given.get("headers")),
        headers_from=text_map(given.get("headers_from")),
        key=text(given.get("key")),
        token_command=texts(given.get("token_command", [])),
        token_env=texts(given.get("token_env", [])),
        ca=text(given.get("ca")),
        temperature=number(given.get("temperature", 0)),
        seed=None if seed is None else int(number(seed)),
        body=map_of(given.get("body")),
        timeout_s=seconds(given.get("timeout", 60)),
        retries=int(number(given.get("retries", 2))),
        rate_per_s=per_second(text(rate)) if rate is not None else None,
        concurrency=int(number(given.get("concurrency", 4))),
        budget=_budget(map_of(given.get("budget"))),
        price=_price(map_of(given.get("price"))),
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
