"""A gate before a server: it lets everything through, or answers that the server is too busy, or is slow."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Literal
from urllib.parse import urlsplit

Mode = Literal["open", "closed", "busy", "cut", "slow"]

BUSY = (
    b"<?xml version='1.0' encoding='UTF-8'?><Error><Code>SlowDown</Code>"
    b"<Message>Please reduce your request rate.</Message></Error>"
)
PIECE = 1 << 16


class Gate:
    """`mode` may change at any moment, also for what is on its way.

    closed: no connection comes about, and those that are there end. busy: what a store of objects says that
    has too much to do. cut: everything ends after some bytes. slow: each piece is held up.
    """

    def __init__(self, url: str, delay: float = 0.2) -> None:
        self._server = urlsplit(url).hostname or "", urlsplit(url).port or 80
        self._delay = delay
        self.mode: Mode = "open"
        self.felt = 0
        self._closing = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                client, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._server, 60) as server:
            if self.mode == "closed":
                self.felt += 1
                return
            back = threading.Thread(target=self._pump, args=(server, client), daemon=True)
            back.start()
            self._requests(client, server)
            back.join(60)

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        sent = 0
        with suppress(OSError):
            while data := client.recv(PIECE):
                if self.mode == "busy":
                    self.felt += 1
                    head = (
                        f"HTTP/1.1 503 Slow Down\r\nContent-Length: {len(BUSY)}\r\nConnection: close\r\n\r\n"
                    )
                    client.sendall(head.encode() + BUSY)
                    break
                sent += len(data)
                if self.mode == "closed" or (self.mode == "cut" and sent > PIECE):
                    self.felt += 1
                    break
                if self.mode == "slow":
                    self.felt += 1
                    self._closing.wait(self._delay)
                server.sendall(data)
        for each in (client, server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(PIECE):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
