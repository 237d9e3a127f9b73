"""Secrets out, where text enters the model: known values in every usual encoding, well-known token shapes."""

import base64
import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias
from urllib.parse import quote, quote_plus

from gate.model import Json

MASK = "***"
SHORTEST = 8
"""Values with fewer characters are not taken for secrets: they would mask half of every text."""

_Shape: TypeAlias = tuple[str, re.Pattern[str], str]

CUT = "…"
"""What stands where an excerpt ends: a secret may have lost its end there."""
_LEAST_OF_A_CUT = 4
_READ_PER_CHARACTER = 64
_NAMES_ONE = re.compile("auth|cookie|credential|key|pass|secret|token", re.IGNORECASE)


def excerpt(text: str, most: int) -> str:
    """The start of a text; where it is cut, CUT says so, to the reader and to the redactor."""
    return text if len(text) <= most else text[:most] + CUT


def quoted(body: bytes, most: int) -> str:
    """The start of a body as one line of text, cut like an excerpt; not all of a long body is looked at."""
    read = body[: _READ_PER_CHARACTER * most]
    # Not final: a character that the cut goes through is left out, so that a secret's start stays one.
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(read, final=read == body)
    words = " ".join(text.split())
    return words + CUT if len(words) <= most and read != body else excerpt(words, most)


def names_secret(name: str) -> bool:
    """Whether a name says that a secret stands under it."""
    return bool(_NAMES_ONE.search(name))


def credentials_of(headers: Mapping[str, Json]) -> Iterator[str]:
    """The values of headers that carry a credential by their name, each also without its scheme."""
    for name, value in headers.items():
        if _NAMES_ONE.search(name) and isinstance(value, str):
            yield value
            yield value.rpartition(" ")[2]


class Redactor:
    """Replaces secrets by `***`: `text` in a string, `value` anywhere in a JSON value, keys included.

    Known values are found raw, on one line, in base64 (any alignment, both alphabets), percent-encoded and
    escaped as JSON and Python do it, once or twice over.
    Applying it twice changes nothing more. Not found: values cut in two, wrapped base64, hex, compression.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets for form in _forms(secret)}
        self._forms = tuple(sorted(known, key=lambda form: (-len(form), form)))
        self._cut_ends = {
            form[end - _LEAST_OF_A_CUT : end]
            for form in self._forms
            for end in range(_LEAST_OF_A_CUT, len(form) + 1)
        }
        self._swept = tuple((form, _unescaped(form)) for form in self._forms if _is_no_markup(form))
        self._numeric = any(_NUMBER.fullmatch(form) for form in self._forms)

    def text(self, text: str) -> str:
        """The text without secrets; about ten microseconds for 2 KB without any."""
        before = ""
        while text != before:  # a replacement may bring the ends of another secret together
            before = text
            text = _without_shapes(self._without_known(text))
        return text

    def value(self, value: Json) -> Json:
        """The JSON value without secrets; keys that become equal are numbered, so that nothing is lost."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return self._mapping(value)
            case list() | tuple():
                return [self.value(item) for item in value]
            case int() | float() if self._numeric and not isinstance(value, bool):
                return self._number(value)
            case _:
                return value

    def sweep(self, text: str) -> str:
        """A file's text, JSON or XML, without known values: the last net, for what came by another way.

        Values that are ordinary words or numbers stay: they may be the file's own keys and counts.
        """
        for form, pattern in self._swept:
            if form in text:
                text = pattern.sub(MASK, text)
        return text

    def _without_known(self, text: str) -> str:
        for form in self._forms:
            while form in text:
                text = text.replace(form, MASK)
        return self._without_cut(text) if self._forms and CUT in text else text

    def _without_cut(self, text: str) -> str:
        """What is left of a known value where an excerpt ends; less than four characters say nothing."""
        *pieces, last = text.split(CUT)
        return CUT.join([*map(self._without_start, pieces), last])

    def _without_start(self, text: str) -> str:
        if text[-_LEAST_OF_A_CUT:] not in self._cut_ends:
            return text
        for form in self._forms:
            for length in range(min(len(form), len(text)), _LEAST_OF_A_CUT - 1, -1):
                if text.endswith(form[:length]):
                    return text[:-length] + MASK
        return text

    def _number(self, value: float) -> Json:
        written = repr(value)
        redacted = self._without_known(written)
        return value if redacted == written else redacted

    def _mapping(self, value: dict[str, Json]) -> dict[str, Json]:
        redacted: dict[str, Json] = {}
        for key, item in value.items():
            name = self.text(key)
            redacted[_unused(name, redacted)] = self._member(key, item)
        return redacted

    def _member(self, key: str, item: Json) -> Json:
        """A header's value says nothing by itself: it is read together with its name."""
        if isinstance(item, str) and key.lower().endswith("authorization"):
            written = f"authorization: {item}"
            if self.text(written) != written:
                return MASK
        return self.value(item)


def _unused(name: str, taken: dict[str, Json]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"


def _is_no_markup(form: str) -> bool:
    """Whether a file that loses the form is still JSON, or XML: it is no word, no number and ends no text."""
    return not (_ORDINARY.fullmatch(form) or _MARKUP.search(form))


def _unescaped(form: str) -> re.Pattern[str]:
    """The form where no backslash before it makes its first character another one."""
    return re.compile(rf"(?<!\\){re.escape(form)}")


def _forms(secret: str) -> Iterator[str]:
    for value in {secret, secret.strip(), secret.strip().replace("\r\n", "\n"), " ".join(secret.split())}:
        if len(value.strip()) >= SHORTEST and value.strip("*"):
            yield value
            yield from _percent(value)
            for form in (value, *_escaped(value)):
                yield from _escaped(form)  # JSON text inside of JSON text, as arguments of calls often are
                yield from _quoted(form)
            yield from _base64(value.encode("utf-8", "surrogatepass"))


def _quoted(form: str) -> Iterator[str]:
    """As Python's repr puts it, alone and in a text that has both kinds of quotes."""
    yield repr(form)[1:-1]
    yield repr(form + "\"'")[1:-4]


def _percent(value: str) -> Iterator[str]:
    raw = value.encode("utf-8", "surrogatepass")
    for form in (quote(raw, safe=""), quote(raw), quote(raw, safe="!~*'()"), quote_plus(raw)):
        yield form
        yield re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form)


def _escaped(value: str) -> Iterator[str]:
    """As JSON writers put it: with and without ASCII escapes, `/` escaped (PHP), `<>&` escaped (Go)."""
    for ascii_only in (True, False):
        form = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield form
        yield form.replace("/", "\\/")
        yield form.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _base64(raw: bytes) -> Iterator[str]:
    """The characters that `raw` alone decides, when 0, 1 or 2 bytes stand before it in its group of three."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw + bytes(2)).decode()
        core = encoded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _without_shapes(text: str) -> str:
    for anchor, pattern, instead in _SHAPES:
        if anchor in text:
            text = pattern.sub(instead, text)
    lowered = text.lower()
    for anchor, pattern, instead in _HEADERS:
        if anchor in lowered:
            text = pattern.sub(instead, text)
    return text


_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_ORDINARY = re.compile(r"[a-z_ ]+|[-+.eE0-9]+")
_MARKUP = re.compile(r"""[<>]|(?<!\\)"|(?<!\\)(?:\\\\)*\\$|&[a-z#0-9]*$""")

# Every pattern starts with a literal and has bounded repeats: a scan is quick, and no text makes it crawl.
# A lookbehind after the literal asks for the token's left edge: `task-` holds no `sk-`.
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----(?:END|BEGIN))){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[\s\\rn]{0,8}[A-Za-z0-9+/=]{16,80}){0,400}(?:[\s\\rn]{1,8}[A-Za-z0-9+/=]{1,80})?)"
)
_JWT = re.compile(
    r"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{5,4096}\.[A-Za-z0-9_-]{5,16384}\.[A-Za-z0-9_-]{0,4096}"
)
_API_KEY = re.compile(
    r"sk-(?<![A-Za-z0-9_-]sk-)(?=(?:[A-Za-z0-9]{0,40}[_-]){0,8}[A-Za-z0-9]{16})[A-Za-z0-9_-]{16,300}"
)
_GITHUB = re.compile(r"gh[pousr]_(?<![A-Za-z0-9]gh[pousr]_)[A-Za-z0-9_.-]{20,1024}")
_AWS = re.compile(r"A[KS]IA(?<![A-Za-z0-9]A[KS]IA)[A-Z0-9]{16}(?![A-Za-z0-9])")
_USERINFO = re.compile(r"://[^\s/?#@:\"'<>]{0,256}:[^\s/?#@\"'<>]{1,512}@")
_SHAPES: tuple[_Shape, ...] = (
    ("-----BEGIN", _PEM, MASK),
    ("eyJ", _JWT, MASK),
    ("sk-", _API_KEY, MASK),
    *((prefix, _GITHUB, MASK) for prefix in ("ghp_", "gho_", "ghs_", "ghu_", "ghr_")),
    ("github_pat_", re.compile(r"github_pat_[A-Za-z0-9_]{20,300}"), MASK),
    ("AKIA", _AWS, MASK),
    ("ASIA", _AWS, MASK),
    ("xox", re.compile(r"xox[abeoprs]-[A-Za-z0-9-]{10,300}"), MASK),
    ("AIza", re.compile(r"AIza[A-Za-z0-9_-]{35}"), MASK),
    ("://", _USERINFO, f"://{MASK}@"),
)

# A word in lower case alone is prose ("bearer of good news"), not a credential.
_CREDENTIAL = r"(?-i:(?=[a-z]{0,512}[^a-z\s\"',;*.)\]}\\])[^\s\"',;*\\]{8,8192})"
_SCHEME = r"(?:(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,4})?"
_HEADERS: tuple[_Shape, ...] = (
    (
        "authorization",
        re.compile(
            rf"(authorization\\?[\"']?\s{{0,4}}[:=]\s{{0,4}}\\?[\"']?){_SCHEME}{_CREDENTIAL}", re.IGNORECASE
        ),
        rf"\1{MASK}",
    ),
    ("bearer", re.compile(rf"(bearer\s{{1,4}}){_CREDENTIAL}", re.IGNORECASE), rf"\1{MASK}"),
)
