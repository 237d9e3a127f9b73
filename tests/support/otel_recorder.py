"""Run a real ADK agent and write what it exports as OTLP/JSON: `otel_recorder.py FILE AGENT MESSAGE...`.

A session for each message; with `a | b` a session of two turns. One ExportTraceServiceRequest a line, spans
in the order of their end, then one of the log records. The environment says how much is captured, so this is
a process of its own.
"""

import asyncio
import base64
import importlib.util
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from google.adk.runners import InMemoryRunner
from google.genai import types
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from opentelemetry import _logs, trace
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

AGENTS = Path(__file__).parents[1] / "fixtures" / "adk_agents"


def main(target: str, name: str, *talks: str) -> None:
    """Record and write."""
    spans = InMemorySpanExporter()
    logs = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    tracing, logging = TracerProvider(), LoggerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    logging.add_log_record_processor(SimpleLogRecordProcessor(logs))
    trace.set_tracer_provider(tracing)
    _logs.set_logger_provider(logging)
    asyncio.run(_talk(_agent(name), talks))
    lines = [json_form(MessageToDict(encode_spans([span]))) for span in spans.get_finished_spans()]
    if found := logs.get_finished_logs():
        lines.append(json_form(MessageToDict(encode_logs(found))))
    Path(target).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


async def _talk(agent: Any, talks: tuple[str, ...]) -> None:
    runner = InMemoryRunner(agent=agent, app_name="toys")
    for number, talk in enumerate(talks, start=1):
        await runner.session_service.create_session(
            app_name="toys", user_id="someone", session_id=f"session-{number}"
        )
        for turn in talk.split(" | "):
            message = types.Content(role="user", parts=[types.Part(text=turn)])
            with suppress(RuntimeError):  # the model of the toy agent explodes on request
                async for _ in runner.run_async(
                    user_id="someone", session_id=f"session-{number}", new_message=message
                ):
                    pass


def _agent(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, AGENTS / name / "agent.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.root_agent


def json_form(message: Any) -> Any:
    """OTLP/JSON of what protobuf's own JSON says: ids in hex instead of base64."""
    if isinstance(message, dict):
        return {
            key: base64.b64decode(held).hex()
            if key in {"traceId", "spanId", "parentSpanId"} and isinstance(held, str)
            else json_form(held)
            for key, held in message.items()
        }
    return [json_form(held) for held in message] if isinstance(message, list) else message


if __name__ == "__main__":
    main(*sys.argv[1:])
