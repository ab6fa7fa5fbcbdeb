"""What stands between a client and a PostgreSQL server, as far as a test needs it."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

REFUSAL = b"SFATAL\0VFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0"


@contextmanager
def pooler(socket_path: str, *, statements: bool = False) -> Iterator[int]:
    """A port that forwards to a server's socket and gives its own process number, as poolers do;
    with `statements` it refuses transactions too."""
    with _listening(lambda client: _forward(client, socket_path, statements)) as port:
        yield port


@contextmanager
def old_server(version: str) -> Iterator[int]:
    """A port that greets as a server of that version and says no more."""

    def greet(client: socket.socket) -> None:
        client.recv(4096)
        told = [b"server_version\0" + version.encode() + b"\0", b"server_encoding\0UTF8\0"]
        client.sendall(_message(b"R", struct.pack("!i", 0)))
        client.sendall(b"".join(_message(b"S", parameter) for parameter in told))
        client.sendall(_message(b"K", struct.pack("!ii", 1, 1)) + _message(b"Z", b"I"))
        client.recv(4096)

    with _listening(greet) as port:
        yield port


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


@contextmanager
def _listening(serve) -> Iterator[int]:  # type: ignore[no-untyped-def]
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                threading.Thread(target=_quietly, args=(serve, client), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        server.close()


def _quietly(serve, client: socket.socket) -> None:  # type: ignore[no-untyped-def]
    with client, suppress(OSError):
        serve(client)


def _forward(client: socket.socket, socket_path: str, statements: bool) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(socket_path)
        back = threading.Thread(target=_quietly_back, args=(server, client), daemon=True)
        back.start()
        while data := client.recv(1 << 16):
            if statements and data[:1] == b"Q" and b"BEGIN" in data:
                client.sendall(_message(b"E", REFUSAL))
                client.shutdown(socket.SHUT_RDWR)
            else:
                server.sendall(data)


def _quietly_back(server: socket.socket, client: socket.socket) -> None:
    rest = b""
    with suppress(OSError):
        while data := server.recv(1 << 16):
            rest += data
            whole, rest = _renumbered(rest)
            client.sendall(whole)


def _renumbered(data: bytes) -> tuple[bytes, bytes]:
    """Whole messages, the server's process number in them replaced, and what is left."""
    out = b""
    while len(data) >= 5 and len(data) >= 1 + struct.unpack("!i", data[1:5])[0]:
        end = 1 + struct.unpack("!i", data[1:5])[0]
        message, data = data[:end], data[end:]
        out += (
            _message(b"K", struct.pack("!i", 77) + message[9:]) if message[:1] == b"K" else message
        )
    return out, data
