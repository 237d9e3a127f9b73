"""Secrets are found in every form that they usually take, and nothing else is touched."""

import base64
import json
import re
import string
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.redact import CUT, MASK, Redactor, excerpt, quoted

SECRET = 'p4ss/wörd+with <odd> "chars" & more'

secrets = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40).filter(
    lambda text: len(text.strip()) >= 8 and text.strip("* ") != "" and MASK not in text
)
small_bytes = st.binary(max_size=7)


def aligned_base64(secret: str, before: bytes, after: bytes) -> tuple[str, str]:
    """The encoded blob, and the part of it that the secret alone decides."""
    raw = secret.encode()
    encoded = base64.b64encode(before + raw + after).decode()
    start, end = len(before) * 8, (len(before) + len(raw)) * 8
    return encoded, encoded[(start + 5) // 6 : end // 6]


def written_forms(secret: str) -> list[str]:
    return [
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote(secret, safe="!~*'()"),
        quote_plus(secret),
        re.sub("%..", lambda escape: escape[0].lower(), quote(secret)),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(secret).replace("/", "\\/")[1:-1],
    ]


def texts_of(value: object) -> list[str]:
    match value:
        case dict():
            return [text for key, item in value.items() for text in (key, *texts_of(item))]
        case list():
            return [text for item in value for text in texts_of(item)]
        case _:
            return [str(value)]


@given(secrets, st.text(max_size=20), st.text(max_size=20), st.data())
def test_a_secret_survives_in_no_written_form(
    secret: str, left: str, right: str, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(written_forms(secret)))
    redacted = Redactor([secret]).text(left + form + right)
    assert not [form for form in written_forms(secret) if form in redacted]


@given(secrets, small_bytes, small_bytes, st.booleans())
def test_a_secret_survives_in_no_alignment_of_base64(
    secret: str, before: bytes, after: bytes, urlsafe: bool
) -> None:
    encoded, core = aligned_base64(secret, before, after)
    if urlsafe:
        encoded, core = (text.replace("+", "-").replace("/", "_") for text in (encoded, core))
    redacted = Redactor([secret]).text(f"token={encoded};")
    assert MASK in redacted
    assert core not in redacted


@given(secrets, st.data())
def test_a_secret_survives_nowhere_in_a_json_value(secret: str, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(written_forms(secret)))
    leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just(f"a {form} b")
    keys = st.text(max_size=5) | st.just(form)
    value = data.draw(
        st.recursive(leaves, lambda more: st.lists(more) | st.dictionaries(keys, more), max_leaves=8)
    )
    redacted = Redactor([secret]).value(value)
    assert not [text for text in texts_of(redacted) if form in text]


@given(st.lists(secrets, max_size=4), st.text(max_size=80), st.data())
def test_redacting_twice_changes_nothing_more(known: list[str], text: str, data: st.DataObject) -> None:
    pieces = st.sampled_from(
        [*known, text, "Bearer abc12345", "https://u:p@h", "sk-" + "a1" * 10, "***", "**"]
    )
    mixed = "".join(data.draw(st.lists(pieces, max_size=6)))
    redactor = Redactor(known)
    once = redactor.text(mixed)
    assert redactor.text(once) == once


@given(st.text(string.ascii_letters + string.digits + " .,:-_*\n°é天", max_size=200))
def test_a_text_without_secrets_is_unchanged(text: str) -> None:
    assert Redactor(["never-in-the-text/"]).text(text) == text or any(
        word in text.lower()
        for word in ("sk-", "eyj", "bearer", "authorization", "gh", "akia", "asia", "xox", "aiza")
    )


@pytest.mark.parametrize(
    "token",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "sk-proj-abcDEF0123456789abcDEF0123456789",
        "sk-ant-api03-AbCdEfGhIjKlMnOpQrSt_uv-wx",
        "sk-abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_" + "aB3" * 12,
        "gho_" + "aB3" * 12,
        "ghs_" + "aB3" * 12,
        "ghu_" + "aB3" * 12,
        "github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdefABCDEF",
        "xoxp-123456789012-abcdefABCDEF",
        "xoxa-123456789012-abcdefABCDEF",
        "AIza" + "Sy0_-" * 7,
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIabc+/=\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXk\\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0B\n" * 4,
    ],
)
def test_a_well_known_token_is_masked_without_being_known(token: str) -> None:
    assert Redactor().text(f"it is '{token}' !").replace("\n", "").replace("***' !", "***'!") in (
        f"it is '{MASK}'!",
        f"it is '{MASK}' !",
    )


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Authorization: Bearer abcDEF123456", f"Authorization: {MASK}"),
        ("authorization=Basic dXNlcjpwYXNz", f"authorization={MASK}"),
        ('{\\"Authorization\\": \\"Token 0123456789\\"}', f'{{\\"Authorization\\": \\"{MASK}\\"}}'),
        ("curl -H 'Authorization: 0123456789abcdef'", f"curl -H 'Authorization: {MASK}'"),
        ("BEARER 0123456789abcdef, then", f"BEARER {MASK}, then"),
        ("postgres://app:hunter2@db/app", f"postgres://{MASK}@db/app"),
        ("redis://:hunter2@cache:6379", f"redis://{MASK}@cache:6379"),
    ],
)
def test_a_credential_is_masked_by_where_it_stands(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The task-oriented risk-based approach of 2024 uses sk-learn.",
        "sk-learn-classification-with-2024-data",
        "The bearer of good news; bearer responsibilities.",
        "Authorization: required for everybody",
        "http://localhost:8000/a@b and mail me@example.com: fine",
        "-----BEGIN CERTIFICATE-----",
        "eyJ.eyJ.eyJ and xox-games and AKIA alone",
    ],
)
def test_prose_that_resembles_a_token_is_unchanged(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize("short", ["", "1234567", "       1234567  ", "********"])
def test_what_is_too_short_or_only_stars_is_no_secret(short: str) -> None:
    assert Redactor([short]).text(f"<{short}>") == f"<{short}>"


def test_a_secret_inside_another_does_not_uncover_it() -> None:
    assert Redactor(["abcdefgh", "xx-abcdefgh-yy"]).text("xx-abcdefgh-yy abcdefgh") == f"{MASK} {MASK}"


def test_a_secret_that_comes_together_by_a_replacement_is_masked_too() -> None:
    redactor = Redactor(["left***right", "IN-BETWEEN"])
    assert redactor.text("leftIN-BETWEENright") == MASK


def test_a_trailing_newline_of_a_secret_does_not_hide_it() -> None:
    assert Redactor(["value-from-a-file\n"]).text("is value-from-a-file.") == f"is {MASK}."


def test_keys_that_become_equal_keep_their_values() -> None:
    redactor = Redactor(["secret-one", "secret-two"])
    once = redactor.value({"secret-one": 1, "secret-two": 2, "***#2": 3})
    assert once == {"***": 1, "***#2": 2, "***#2#2": 3}
    assert redactor.value(once) == once


def test_a_number_that_is_a_secret_is_masked() -> None:
    assert Redactor(["12345678"]).value({"pin": 12345678, "n": 1, "yes": True}) == {
        "pin": MASK,
        "n": 1,
        "yes": True,
    }
    assert Redactor(["abcdefgh"]).value([12345678, 1.5, None]) == [12345678, 1.5, None]


def test_a_header_in_an_object_is_masked_by_its_name() -> None:
    value = {"headers": {"Authorization": "0123456789abcdef", "Proxy-Authorization": "Basic dXNlcjpwYXNz"}}
    assert Redactor().value(value) == {"headers": {"Authorization": MASK, "Proxy-Authorization": MASK}}
    assert Redactor().value({"authorization": "approved", "x": 1}) == {"authorization": "approved", "x": 1}


@pytest.mark.parametrize(
    "unit",
    [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----" + "A" * 80,
        "eyJ",
        " eyJaaaaaaa.aaaaaaaa",
        "sk-",
        "sk-aaaaaaaaaaaaaaa_",
        " sk-a-a-a-a-a-a-a-a-a",
        "ghp_",
        "://:a",
        "://a:",
        "authorization:",
        "authorization: basic ",
        "bearer a",
        'Authorization\\"',
        "AKIAAKIA",
        "xoxb-",
    ],
)
@pytest.mark.timeout(30)
def test_no_text_makes_it_crawl(unit: str) -> None:
    """Linear work is far below a second here, quadratic work takes minutes: the timeout tells them apart."""
    text = unit * (400_000 // len(unit))
    redactor = Redactor(["known-secret"])
    assert redactor.text(redactor.text(text)) == redactor.text(text)


def test_the_long_secret_with_line_breaks_is_found_escaped_and_raw() -> None:
    key = '{"type": "service_account",\r\n "key": "abc/def"}\n'
    redactor = Redactor([key])
    assert redactor.text("env: " + key) == f"env: {MASK}"
    assert redactor.text(json.dumps({"k": key.strip()})) == f'{{"k": "{MASK}"}}'
    assert redactor.text(key.replace("\r\n", "\n")) == f"{MASK}\n"


def test_all_forms_of_one_awkward_secret() -> None:
    redactor = Redactor([SECRET])
    assert {redactor.text(form) for form in written_forms(SECRET)} == {MASK}


@pytest.mark.parametrize("length", range(4, 20))
def test_what_an_excerpt_left_of_a_secret_is_taken_out(length: int) -> None:
    secret = 'pa"ss/word+12345678'
    redact = Redactor([secret])
    said = f"it starts with {excerpt('x' * 10 + secret, 10 + length)!r}"
    assert secret[:4] not in redact.text(said)
    assert redact.text(redact.text(said)) == redact.text(said)
    assert redact.text("a word… and pa… more") == "a word… and pa… more"
    assert excerpt("abc", 3) == "abc"


@pytest.mark.parametrize("write", [json.dumps, repr, str])
def test_text_inside_of_json_text_is_found(write: Callable[[str], str]) -> None:
    secret = 'pa"ss\\word+ü12345'
    for form in (secret, json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        assert "12345" not in Redactor([secret]).text(write(form))


@given(secrets, st.binary(max_size=8), st.binary(max_size=8), st.integers(4, 60))
def test_what_a_quotation_cuts_shows_at_most_three_characters_of_a_secret(
    secret: str, before: bytes, after: bytes, most: int
) -> None:
    secret = " ".join(secret.split())
    redacted = Redactor([secret]).text(quoted(before + secret.encode() + after, most))
    assert len(secret) < 8 or secret[:4] not in redacted.replace(MASK, "")


@pytest.mark.parametrize(
    ("body", "quotation"),
    [
        (b"", ""),
        (b" two\r\n\twords ", "two words"),
        (b"0123456789", "0123456789"),
        (b"0123456789a", f"0123456789{CUT}"),
        (b" " * 637 + b"key", f"key{CUT}"[:3]),
        (b" " * 637 + b"key and more", f"key{CUT}"),
        ("é".encode() * 500, f"{'é' * 10}{CUT}"),
        (b" " * 639 + "é".encode(), CUT),
        (b"\xff", "\ufffd"),
    ],
)
def test_a_quotation_is_one_line_and_says_where_it_was_cut(body: bytes, quotation: str) -> None:
    assert quoted(body, 10) == quotation


def test_a_secret_of_several_lines_is_found_on_one() -> None:
    secret = "first half\n  and the second"
    assert Redactor([secret]).text(quoted(f"it is {secret}".encode(), 80)) == f"it is {MASK}"


@pytest.mark.parametrize("around", ["", '"', "'", "\"'"])
def test_a_secret_with_a_quote_is_found_in_pythons_spelling_of_any_text(around: str) -> None:
    assert "s-a-secret" not in Redactor(["it's-a-secret"]).text(repr(f"{around} it's-a-secret {around}"))


words = st.text(st.sampled_from('aA1"\\<>&/_- \nn\u2028é'), min_size=8, max_size=12)


@given(words, st.lists(st.text(st.sampled_from('aA1"\\<>&/_- \nn\u2028é'), max_size=6), max_size=4))
def test_json_that_is_swept_is_still_json_of_the_same_shape(secret: str, around: list[str]) -> None:
    value = {"texts": [f"{each}{secret}{each}" for each in around], secret: 12345678, "completed": True}
    for ascii_only in (True, False):
        swept = Redactor([secret, "12345678", "completed"]).sweep(json.dumps(value, ensure_ascii=ascii_only))
        read = json.loads(swept)
        assert read["completed"] is True
        assert len(read["texts"]) == len(around)
        assert 12345678 in read.values()


@pytest.mark.parametrize(
    "form", [str, lambda text: json.dumps(text)[1:-1], lambda text: quote(text, safe="")]
)
def test_a_known_value_is_swept_in_each_form(form: Callable[[str], str]) -> None:
    secret = "canary/Of+the=agent é"
    assert Redactor([secret]).sweep(f'{{"a": "x {form(secret)} y"}}') == '{"a": "x *** y"}'
