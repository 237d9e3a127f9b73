"""Run a small agent on OpenAI's client and write the spans of one of its instrumentations: `FILE NAME`.

The server answers a question with a call of a tool, and the tool's result with words.
"""

import base64
import json
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

INSTRUMENTS: Mapping[str, tuple[str, str]] = {
    "openinference": ("openinference.instrumentation.openai", "OpenAIInstrumentor"),
    "openllmetry": ("opentelemetry.instrumentation.openai", "OpenAIInstrumentor"),
    "opentelemetry": ("opentelemetry.instrumentation.openai_v2", "OpenAIInstrumentor"),
}
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]


class Server(BaseHTTPRequestHandler):
    """Chat completions of a script."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        done = asked[-1]["role"] == "tool"
        said = {"content": "14 degrees."} if done else {"content": None, "tool_calls": [CALL]}
        body = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m-1",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", **said},
                    "finish_reason": "stop" if done else "tool_calls",
                }
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main(target: str, name: str) -> None:
    """Record and write."""
    sdk = import_module("opentelemetry.sdk.trace")
    export = import_module("opentelemetry.sdk.trace.export")
    kept = import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(kept))
    logs_sdk = import_module("opentelemetry.sdk._logs")
    logs_export = import_module("opentelemetry.sdk._logs.export")
    logs = logs_export.InMemoryLogRecordExporter()
    logging = logs_sdk.LoggerProvider()
    logging.add_log_record_processor(logs_export.SimpleLogRecordProcessor(logs))
    module, instrumentor = INSTRUMENTS[name]
    instrument = getattr(import_module(module), instrumentor)()
    instrument.instrument(tracer_provider=provider, logger_provider=logging)
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _talk(provider.get_tracer("app"), f"http://127.0.0.1:{server.server_port}/v1")
    server.shutdown()
    _write(Path(target), kept.get_finished_spans(), logs.get_finished_logs())


def _talk(tracer: Any, url: str) -> None:
    client = import_module("openai").OpenAI(base_url=url, api_key="none")
    asked: list[Any] = [
        {"role": "system", "content": "You tell the weather."},
        {"role": "user", "content": "Weather?"},
    ]
    with tracer.start_as_current_span("POST /chat"):
        client.chat.completions.create(model="m", messages=asked, tools=TOOLS)
        asked += [
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"temp": 14}'},
        ]
        client.chat.completions.create(model="m", messages=asked, tools=TOOLS)


def _write(target: Path, spans: Any, logs: Any) -> None:
    to_json = import_module("google.protobuf.json_format").MessageToDict
    common = "opentelemetry.exporter.otlp.proto.common"
    lines = [to_json(import_module(f"{common}.trace_encoder").encode_spans(spans))]
    if logs:
        lines.append(to_json(import_module(f"{common}._log_encoder").encode_logs(logs)))
    target.write_text("\n".join(json.dumps(_hex(line)) for line in lines), encoding="utf-8")


def _hex(message: Any) -> Any:
    """OTLP/JSON has ids in hex, protobuf's own JSON in base64."""
    if isinstance(message, dict):
        return {
            key: base64.b64decode(held).hex() if key in {"traceId", "spanId", "parentSpanId"} else _hex(held)
            for key, held in message.items()
        }
    return [_hex(held) for held in message] if isinstance(message, list) else message


if __name__ == "__main__":
    main(*sys.argv[1:])
