"""Agent cards of A2A 1.0 and 0.3: the ways to reach an agent, as far as its card can be believed.

Cards lie about their version and their host. So the host is left out, and for each way of a card the other
generation's follows, to be tried where the first is not understood.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from gate.formats.adk_fields import field, is_mapping
from gate.frozen import frozen
from gate.model import Json

Version = Literal["1.0", "0.3"]
Binding = Literal["jsonrpc", "rest"]

_BINDINGS: Mapping[str, Binding] = {"JSONRPC": "jsonrpc", "HTTP+JSON": "rest"}
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(?P<path>/[^?#]*)?")
_MOST_WAYS = 16


@frozen
class Way:
    """One way to an agent: generation, binding, the path of its endpoint, and the tenant."""

    version: Version
    binding: Binding
    path: str = "/"
    tenant: str = ""


_USUAL = Way(version="1.0", binding="jsonrpc")


@frozen
class Card:
    """What a card says: its ways in the order of its preference, other bindings by name, and streaming."""

    ways: tuple[Way, ...] = ()
    others: tuple[str, ...] = ()
    streams: bool = False


def read_card(card: Json) -> Card:
    """Read a card of either generation, or one that mixes both; what is no card says nothing."""
    if not is_mapping(card):
        return Card()
    offered = list(_offers(card))
    capabilities = field(card, "capabilities")
    return Card(
        ways=tuple(dict.fromkeys(way for way in map(_way, offered) if way))[:_MOST_WAYS],
        others=tuple(dict.fromkeys(binding for binding, *_ in offered if binding not in _BINDINGS)),
        streams=is_mapping(capabilities) and capabilities.get("streaming") is True,
    )


def ways_to_try(
    card: Card, *, version: str = "auto", binding: str = "auto", path: str | None = None
) -> tuple[Way, ...]:
    """The ways in the order of trying: the card's, then those of the other generation.

    `version` and `binding` leave the others out; `path` replaces the card's.
    """
    known = [way for way in card.ways if binding in ("auto", way.binding)]
    if not known:
        of_choice: Binding = "rest" if binding == "rest" else "jsonrpc"
        known = [replace(way, binding=of_choice) for way in card.ways or (_USUAL,)]
    if path is not None:
        known = [replace(way, path=path or "/") for way in known]
    ways = dict.fromkeys([*known, *map(_other_generation, known)])
    return tuple(way for way in ways if version in ("auto", way.version))


def other_slash(way: Way) -> Way:
    """The same way with or without the slash at its end, which servers are strict about and cards are not."""
    path = way.path.rstrip("/")
    return replace(way, path=(path if way.path.endswith("/") else f"{path}/") or "/")


_Offer = tuple[str, str, str, str]


def _offers(card: Mapping[str, Json]) -> Iterator[_Offer]:
    """Binding, version, address and tenant of each interface: 1.0 lists them, 0.3 has a preferred one."""
    for each in _mappings(field(card, "supportedInterfaces")):
        yield (
            _word(each, "protocolBinding"),
            _word(each, "protocolVersion") or "1.0",
            _word(each, "url"),
            _word(each, "tenant"),
        )
    version = _word(card, "protocolVersion") or "0.3"
    if _word(card, "url"):
        yield _word(card, "preferredTransport") or "JSONRPC", version, _word(card, "url"), ""
    for each in _mappings(field(card, "additionalInterfaces")):
        yield _word(each, "transport"), version, _word(each, "url"), ""


def _way(offer: _Offer) -> Way | None:
    binding, version, url, tenant = offer
    if binding not in _BINDINGS:
        return None
    found = _URL.match(url)
    path = (found["path"] or "/") if found else url if url.startswith("/") else "/"
    return Way(
        version="1.0" if version.startswith("1") else "0.3",
        binding=_BINDINGS[binding],
        path=path,
        tenant=tenant,
    )


def _other_generation(way: Way) -> Way:
    return replace(way, version="0.3" if way.version == "1.0" else "1.0", tenant="")


def _mappings(value: Json) -> Iterable[Mapping[str, Json]]:
    return [each for each in value if is_mapping(each)] if isinstance(value, list) else []


def _word(record: Mapping[str, Json], name: str) -> str:
    value = field(record, name)
    return value if isinstance(value, str) else ""
