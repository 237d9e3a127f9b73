import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.http import HttpError
from gate.http.address import Origin, address_of

BUE = "xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("url", "origin", "host", "target"),
    [
        ("http://a", Origin("http", "a", 80), "a", "/"),
        ("https://A.example:443/x?y=1", Origin("https", "a.example", 443), "a.example", "/x?y=1"),
        ("http://127.0.0.1:8000?q", Origin("http", "127.0.0.1", 8000), "127.0.0.1:8000", "/?q"),
        ("http://[::1]:80/", Origin("http", "::1", 80), "[::1]", "/"),
        ("http://[::1]:81/a%2Fb", Origin("http", "::1", 81), "[::1]:81", "/a%2Fb"),
        ("http://bücher.example/ü b?ü#part", Origin("http", BUE, 80), BUE, "/%C3%BC%20b?%C3%BC"),
        ("http://u:p@a:0/{x}", Origin("http", "a", 0), "a:0", "/%7Bx%7D"),
    ],
)  # fmt: skip
def test_a_url_is_taken_apart(url: str, origin: Origin, host: str, target: str) -> None:
    address = address_of(url)
    assert (address.origin, address.host, address.target) == (origin, host, target)


@pytest.mark.parametrize(
    "url", ["", "/x", "a:80", "ftp://a/", "http://", "http://[::1", "http://a:99999/", "http://a:x/?key=1"]
)
def test_what_is_no_address_of_http_is_an_error_without_its_query(url: str) -> None:
    with pytest.raises(HttpError) as failure:
        address_of(url)
    assert "key" not in failure.value.reason


@given(st.text() | st.text().map("http://{}".format) | st.text().map("http://a/{}".format))
def test_any_text_is_an_address_fit_for_a_request_or_an_error(url: str) -> None:
    try:
        address = address_of(url)
    except HttpError:
        return
    for sent in (address.host, address.target, address.authorization):
        assert sent.isascii()
        assert sent.isprintable()
    assert " " not in address.target + address.host
