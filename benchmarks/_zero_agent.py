"""An agent that answers at once: a raw asyncio server whose answer is one constant. Prints its port."""

import asyncio

CALL = b'{"id":"1","name":"get_weather","arguments":{"city":"London"}}'
BODY = b'{"reply":"It is 14 C in London.","calls":[' + CALL + b"]}"
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
    + str(len(BODY)).encode()
    + b"\r\n\r\n"
) + BODY


class ZeroAgent(asyncio.Protocol):
    """Answers when a request's body is complete; requests on one connection do not overlap."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self._data = b""

    def data_received(self, data: bytes) -> None:
        """Count up to the end of the body."""
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end:
            return
        lowered = head.lower()
        at = lowered.find(b"content-length:")
        length = int(lowered[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(body) >= length:
            self._data = body[length:]
            self._transport.write(ANSWER)


async def main() -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(ZeroAgent, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
