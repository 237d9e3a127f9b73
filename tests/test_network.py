import ssl
from pathlib import Path

import certifi
import pytest

from gate.errors import UsageError
from gate.http import Client
from gate.network import AUTHORITIES, check_proxies, own_authorities

PROXIES = (
    "NO_PROXY",
    "no_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
)


@pytest.fixture(autouse=True)
def _no_network_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*AUTHORITIES, *PROXIES):
        monkeypatch.delenv(name, raising=False)


def test_without_variables_nothing_is_ones_own() -> None:
    assert own_authorities() is None
    check_proxies()


@pytest.mark.parametrize("name", AUTHORITIES)
def test_a_bundle_of_ones_own_is_all_that_is_trusted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(certifi.where()).read_text(encoding="utf-8")
    end = "-----END CERTIFICATE-----\n"
    bundle = tmp_path / "own.pem"
    bundle.write_text(whole.partition(end)[0] + end, encoding="utf-8")
    monkeypatch.setenv(name, str(bundle))
    context = own_authorities()
    assert context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.cert_store_stats()["x509"] == 1


def test_a_folder_of_certificates_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert own_authorities()


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_bundle_that_cannot_be_read_names_its_variable(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "own.pem"
    if content is not None:
        bundle.write_text(content, encoding="utf-8")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with pytest.raises(UsageError, match=r"REQUESTS_CA_BUNDLE names .*own\.pem, which cannot be read"):
        own_authorities()


@pytest.mark.parametrize(
    "address", ["http://proxy:3128", "https://u:p@proxy", "proxy:3128", "http://[::1]:8"]
)
def test_a_usual_proxy_is_fine(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", address)
    Client(trust_env=True)


@pytest.mark.parametrize(
    "entries",
    [
        "",
        "*",
        "localhost, .corp",
        "10.0.0.0/8,10.1.2.3/24,::1,fd00::1,a.b:80",
        "http://x",
        "169.254.169.254,",
    ],
)
def test_what_needs_no_proxy_may_be_written_in_the_usual_forms(
    entries: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", entries)
    Client(trust_env=True)


@pytest.mark.parametrize(
    "entry", ["[::1]", "fd00::/8", "10.0.0.0/x", "a b", "b\u00fccher", "x:y", "http://x/y"]
)
def test_an_entry_that_cannot_be_used_is_named(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", f"localhost,{entry}")
    with pytest.raises(UsageError, match="NO_PROXY has the entry"):
        Client(trust_env=True)


@pytest.mark.parametrize(
    "address", ["gopher://proxy", "socks5://proxy", "http://", "http://proxy:x", "http://[x"]
)
def test_a_proxy_that_cannot_be_used_names_its_variable_but_not_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", address.replace("//", "//user:secret@"))
    with pytest.raises(UsageError, match="HTTPS_PROXY is not the address") as failure:
        Client(trust_env=True)
    assert "secret" not in failure.value.message
    Client()
