"""Porter's stemmer with NLTK's amendments, which is what rouge-score stems with.

M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980; the amendments are those of
nltk.stem.porter in its default mode. Words are lower-case ASCII letters and digits.
"""

from collections.abc import Callable, Sequence

IRREGULAR = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    **dict.fromkeys(("innings", "inning"), "inning"),
    **dict.fromkeys(("outings", "outing"), "outing"),
    **dict.fromkeys(("cannings", "canning"), "canning"),
    **{word: word for word in ("news", "howe", "proceed", "exceed", "succeed")},
}
"""Words that the rules would get wrong, and their stems."""

DERIVED = (
    *(
        ("ational", "ate"),
        ("tional", "tion"),
        ("enci", "ence"),
        ("anci", "ance"),
        ("izer", "ize"),
        ("bli", "ble"),
    ),
    *(("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate")),
    *(("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    *(("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful")),
)
"""Step 2: suffixes and what they become."""

GRADED = (
    *(
        ("icate", "ic"),
        ("ative", ""),
        ("alize", "al"),
        ("iciti", "ic"),
        ("ical", "ic"),
        ("ful", ""),
        ("ness", ""),
    ),
)
"""Step 3."""

ENDINGS = (
    *(
        "al",
        "ance",
        "ence",
        "er",
        "ic",
        "able",
        "ible",
        "ant",
        "ement",
        "ment",
        "ent",
        "ion",
        "ou",
        "ism",
        "ate",
    ),
    *("iti", "ous", "ive", "ize"),
)
"""Step 4: suffixes that go."""


def stem(word: str) -> str:
    """The stem of one word; words of one or two letters are their own."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:  # noqa: PLR2004
        return word
    for step in _STEPS:
        word = step(word)
    return word


def _shape(word: str) -> str:
    """The word as c and v: a y after a consonant is a vowel."""
    shape = ""
    last = "v"
    for letter in word:
        last = "v" if letter in "aeiou" or (letter == "y" and last == "c") else "c"
        shape += last
    return shape


def _measure(word: str) -> int:
    """Porter's m: how often a consonant follows a vowel."""
    return _shape(word).count("vc")


def _closed(word: str) -> bool:
    """Porter's *o, and a word of one vowel and one consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replaced(word: str, rules: Sequence[tuple[str, str]], above: int) -> str:
    """The first suffix that the word has is replaced where the rest measures more than `above`."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + replacement if _measure(rest) > above else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == len("dies") else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word.removesuffix("s")


def _participle(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == len("died") else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and "v" in _shape(rest):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """What lost its -ed or -ing gets an e back, or loses one of two letters."""
    if rest.endswith(("at", "bl", "iz")):
        return f"{rest}e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return f"{rest}e" if _measure(rest) == 1 and _closed(rest) else rest


def _final_y(word: str) -> str:
    rest = word.removesuffix("y")
    return f"{rest}i" if rest != word and len(rest) > 1 and _shape(rest)[-1] == "c" else word


def _derived(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _derived(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replaced(word, DERIVED, 0)


def _graded(word: str) -> str:
    return _replaced(word, GRADED, 0)


def _ending(word: str) -> str:
    suffix = next((ending for ending in ENDINGS if word.endswith(ending)), "")
    rest = word.removesuffix(suffix)
    kept = suffix == "ion" and not rest.endswith(("s", "t"))
    return word if kept or _measure(rest) <= 1 else rest


def _final_e(word: str) -> str:
    rest = word.removesuffix("e")
    measure = _measure(rest)
    return rest if rest != word and (measure > 1 or (measure == 1 and not _closed(rest))) else word


def _final_ll(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


_STEPS: tuple[Callable[[str], str], ...] = (
    _plural,
    _participle,
    _final_y,
    _derived,
    _graded,
    _ending,
    _final_e,
    _final_ll,
)
