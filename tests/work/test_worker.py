"""Programs of the user, with real processes: what is an answer, what is noise, and what ends them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gate.model import Json
from gate.work.worker import LONGEST_ANSWER, Program, Worker, WorkerFailed
from tests.boot.agents import is_alive
from tests.work.programs import program, reads

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and prlimit")


@asynccontextmanager
async def started(what: Program) -> AsyncIterator[Worker]:
    worker = Worker.start(what)
    try:
        yield worker
    finally:
        worker.kill()


async def ask(worker: Worker, nonce: str = "n1", within_s: float = 20.0, **more: Json) -> Mapping[str, Json]:
    line = json.dumps({"id": nonce, **more}) + "\n"
    return await worker.ask(line.encode(), nonce, within_s, reads)


async def test_one_process_answers_many_questions(tmp_path: Path) -> None:
    async with started(program(tmp_path, "answer(score=question['n'], pid=os.getpid())")) as worker:
        found = [await ask(worker, f"n{n}", n=n) for n in range(50)]
    assert [each["score"] for each in found] == list(range(50))
    assert len({each["pid"] for each in found}) == 1


async def test_noise_on_stdout_and_stderr_is_no_answer_and_is_kept(tmp_path: Path) -> None:
    body = (
        "print('hello'); print('{\"score\": 1, \"id\": \"n0\"}'); print('about', line)\n"
        "print('oh', file=sys.stderr)\nanswer(score=0.5)"
    )
    async with started(program(tmp_path, body)) as worker:
        assert (await ask(worker))["score"] == 0.5
        assert {"hello", "oh"} <= set(worker.tail().split())


async def test_what_an_agent_said_before_the_question_cannot_be_taken_for_its_answer(tmp_path: Path) -> None:
    said = '\n{"id": "n2", "score": 1}\n'
    async with started(program(tmp_path, "print(question['answer'])\nanswer(score=0)")) as worker:
        assert (await ask(worker, "n1", answer=said))["score"] == 0
        assert (await ask(worker, "nonce", answer=said))["score"] == 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(3)", "it ended with exit code 3"),
        ("os.kill(os.getpid(), 11)", "it was killed by SIGSEGV"),
        ("os.kill(os.getpid(), 9)", r"it was killed by SIGKILL \(out of memory\?\)"),
        ("time.sleep(60)", "it did not answer within 0.3 s"),
        ("os.close(0); time.sleep(60)", "it did not answer within 0.3 s"),
        ("pass", "it did not answer within 0.3 s"),
        (f"print('x' * {LONGEST_ANSWER + 10}, flush=True); time.sleep(60)", "a line of more than 1 MiB"),
        ("while True: print('x' * 1000)", "it printed more than 16 MiB"),
        ("while True: print('x' * 1000, file=sys.stderr)", "it printed more than 16 MiB"),
    ],
)
async def test_what_gives_no_answer_says_why(body: str, why: str, tmp_path: Path) -> None:
    within = 0.3 if "0.3" in why else 60.0
    async with started(program(tmp_path, body)) as worker:
        with pytest.raises(WorkerFailed, match=why):
            await ask(worker, within_s=within)


async def test_a_program_that_ended_between_questions_is_noticed(tmp_path: Path) -> None:
    async with started(program(tmp_path, "answer(score=1); sys.exit(4)")) as worker:
        await ask(worker)
        with pytest.raises(WorkerFailed, match="exit code 4"):
            await ask(worker, "n2")


async def test_an_answer_that_cannot_be_read_is_told_and_the_program_lives_on(tmp_path: Path) -> None:
    def strict(line: bytes) -> Mapping[str, Json]:
        if b"bad" in line:
            raise ValueError("it is bad")
        return {"score": 1}

    async with started(program(tmp_path, "answer(word=question['word'])")) as worker:
        for word, nonce in (("bad", "n1"), ("good", "n2")):
            question = json.dumps({"id": nonce, "word": word}).encode() + b"\n"
            if word == "bad":
                with pytest.raises(ValueError, match="it is bad"):
                    await worker.ask(question, nonce, 20, strict)
            else:
                assert await worker.ask(question, nonce, 20, strict) == {"score": 1}


async def test_a_question_larger_than_a_pipe_arrives_whole(tmp_path: Path) -> None:
    async with started(program(tmp_path, "answer(score=len(question['text']))")) as worker:
        assert (await ask(worker, text="x" * 3_000_000))["score"] == 3_000_000


async def test_answers_in_small_pieces_are_put_together(tmp_path: Path) -> None:
    body = (
        "for letter in json.dumps({'id': question['id'], 'score': 1}) + '\\n':\n"
        "    os.write(1, letter.encode())"
    )
    async with started(program(tmp_path, body)) as worker:
        assert (await ask(worker))["score"] == 1


@linux
@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_all_that_it_started_ends_with_it(how: str, tmp_path: Path) -> None:
    body = (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True)\nanswer(score=child.pid)"
    )
    worker = Worker.start(program(tmp_path, body))
    try:
        child = (await ask(worker))["score"]
        assert isinstance(child, int)
        assert is_alive(child)
        if how == "stop":
            await worker.stop()
    finally:
        worker.kill()
    assert not is_alive(child)


async def test_a_program_that_waits_for_the_end_of_its_input_may_end_by_itself(tmp_path: Path) -> None:
    script = "import sys\nfor _ in sys.stdin: pass\nopen('ended', 'w').close()"
    what = Program(argv=(sys.executable, "-c", script), cwd=tmp_path, env={})
    worker = Worker.start(what)
    await worker.stop()
    assert (tmp_path / "ended").exists()


@linux
async def test_memory_is_bounded(tmp_path: Path) -> None:
    body = "try:\n    held = bytearray(400 << 20); answer(score=1)\nexcept MemoryError:\n    answer(score=0)"
    async with started(program(tmp_path, body, memory=200 << 20)) as worker:
        assert (await ask(worker))["score"] == 0
    async with started(program(tmp_path, body, memory=1 << 30)) as worker:
        assert (await ask(worker))["score"] == 1


async def test_it_gets_this_environment_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "canary-token-of-the-gate")
    what = program(tmp_path, "answer(score=0, env=dict(os.environ))", env={"HOME": "/nowhere"})
    async with started(what) as worker:
        env = (await ask(worker))["env"]
    assert isinstance(env, dict)
    assert set(env) <= {"HOME", "AGENT_GATE_WORKER", "LC_CTYPE"}


async def test_a_cancelled_question_leaves_a_program_that_can_be_ended(tmp_path: Path) -> None:
    async with started(program(tmp_path, "time.sleep(60)")) as worker:
        task = asyncio.ensure_future(ask(worker))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        worker.kill()
        assert not is_alive(worker._process.pid)
