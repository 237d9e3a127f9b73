"""How a judge is reached: proxies, authorities, and tokens that a command prints."""

import ssl
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.judge import token as tokens
from gate.judge.answers import Failed
from gate.judge.endpoint import Answered, Endpoint
from gate.judge.token import Tokens
from gate.redact import Redactor
from tests.judge.test_endpoint import ask
from tests.support.authority import certificates
from tests.support.judge import Asked, Say, ScriptedJudge, a_judge


async def test_a_judge_elsewhere_is_reached_by_the_proxy_and_one_on_this_machine_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedJudge([Say("YES")]).running() as proxy, ScriptedJudge([Say("YES")]).running() as near:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        for url in ("http://judge.example/v1", near.url):
            async with Endpoint(a_judge(url, retries=0), redact=Redactor(), environ={}) as endpoint:
                assert isinstance(await ask(endpoint), Answered)
    assert [asked.headers[":path"] for asked in proxy.asked] == ["http://judge.example/v1/chat/completions"]
    assert len(near.asked) == 1


async def test_an_authority_of_the_config_is_trusted_and_no_other(tmp_path: Path) -> None:
    made = certificates(tmp_path / "tls", "IP:127.0.0.1")
    with ScriptedJudge([Say("YES")]).running() as judge:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made.server)
        judge._server.socket = context.wrap_socket(judge._server.socket, server_side=True)
        url = judge.url.replace("http:", "https:")
        pem = made.authority.read_text(encoding="utf-8")
        for authorities in (pem, ""):
            given = a_judge(url, retries=0, authorities=authorities)
            async with Endpoint(given, redact=Redactor(), environ={}) as endpoint:
                found = await ask(endpoint)
            if authorities:
                assert isinstance(found, Answered), found
            else:
                assert "cannot connect" in str(found)
                assert "certificate" in str(found).lower()


def printing(script: str, **fields: Any) -> Tokens:
    command = (sys.executable, "-c", script)
    environ = {"PATH": "/usr/bin:/bin", "KEY": "canary-key", "OTHER": "canary-other", "JUDGE": "x"}
    return Tokens(a_judge("http://x", token_command=command, **fields), environ)


@pytest.mark.parametrize(
    ("script", "token"),
    [
        ("print('abc')", "abc"),
        ("print('  abc\\n\\n')", "abc"),
        ('print(\'{"access_token": "abc", "expires_in": 60}\')', "abc"),
        ('print(\'{"token": "abc"}\')', "abc"),
    ],
)
async def test_a_token_is_what_its_command_prints(script: str, token: str) -> None:
    assert await printing(script).get() == token


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("", "printed no token"),
        ("print('two words')", "printed no token"),
        ("print('a\\nb')", "printed no token"),
        ("print('é')", "printed no token"),
        ("print('x' * 100000)", "printed no token"),
        ("print('{\"expires_in\": 3}')", "printed no token"),
        ("print('{\"token\": 3}')", "printed no token"),
        ("print('{')", "printed JSON that cannot be read"),
        ("import sys; sys.exit('no login')", "exited with 1: no login"),
    ],
)
async def test_a_command_that_prints_none_says_why(script: str, reason: str) -> None:
    with pytest.raises(Failed, match=reason):
        await printing(script).get()


async def test_a_command_that_is_not_there_or_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failed, match="cannot be started"):
        await Tokens(a_judge("http://x", token_command=("/no/such/program",)), {}).get()
    monkeypatch.setattr(tokens, "WITHIN_S", 0.2)
    with pytest.raises(Failed, match=r"gave nothing within 0\.2 s"):
        await printing("import time; time.sleep(60)").get()


async def test_a_command_gets_the_variables_that_are_named_and_no_others() -> None:
    script = "import os; print('-'.join(sorted(n for n in os.environ if n in ('KEY', 'OTHER', 'PATH'))))"
    assert await printing(script, token_env=("KEY",)).get() == "KEY-PATH"


async def test_a_token_is_asked_for_again_when_it_is_old(tmp_path: Path) -> None:
    now = [0.0]
    counter = tmp_path / "count"
    script = (
        f"import pathlib; p = pathlib.Path({str(counter)!r}); n = len(p.read_text()) if p.exists() else 0;"
        'p.write_text("x" * (n + 1)); print(f\'{{"token": "t{n}", "expires_in": 100}}\')'
    )
    made = Tokens(a_judge("http://x", token_command=(sys.executable, "-c", script)), {}, clock=lambda: now[0])
    assert [await made.get(), await made.get()] == ["t0", "t0"]
    now[0] = 79.0
    assert await made.get() == "t0"
    now[0] = 80.0
    assert await made.get() == "t1"
    made.forget("t0")
    assert await made.get() == "t1"
    made.forget("t1")
    assert await made.get() == "t2"


async def test_a_401_asks_for_another_token_at_once_and_no_token_is_in_a_reason(tmp_path: Path) -> None:
    counter = tmp_path / "count"
    script = (
        f"import pathlib; p = pathlib.Path({str(counter)!r}); n = len(p.read_text()) if p.exists() else 0;"
        'p.write_text("x" * (n + 1)); print(f"canary-token-{n}")'
    )

    def wants_the_second(asked: Asked) -> Say:
        if asked.headers["authorization"] == "Bearer canary-token-1":
            return Say("YES\nI know canary-token-1.")
        return Say(status=401, body="expired")

    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with ScriptedJudge(wants_the_second).running() as judge:
        given = a_judge(judge.url, token_command=(sys.executable, "-c", script), retries=1)
        async with Endpoint(given, redact=Redactor(), environ={}, sleep=sleep) as endpoint:
            found = await ask(endpoint)
    assert isinstance(found, Answered), found
    assert found.verdict.why == "I know ***."
    assert waited == [0.0]
