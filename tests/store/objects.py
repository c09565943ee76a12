"""A server that speaks S3, for tests: moto's, as a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

PATIENCE = 60.0
NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION")


@dataclass
class S3:
    """The server, and a bucket in it."""

    url: str
    bucket: str
    process: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        """Who we are and where it is."""
        return dict(zip(NAMES, ("key", "secret", self.url, "us-east-1"), strict=True))

    def make_bucket(self) -> None:
        import fsspec

        fsspec.filesystem("s3", skip_instance_cache=True).mkdir(self.bucket)


@contextmanager
def s3_server() -> Iterator[S3]:
    """Starts the server; skips where moto is not installed, or fails where services are required."""
    if subprocess.run(
        [sys.executable, "-c", "import moto.server, s3fs"], capture_output=True, check=False
    ).returncode:
        if os.environ.get("LEADERBOARD_REQUIRE_SERVICES") == "1":
            pytest.fail("moto or s3fs is not installed")
        pytest.skip("needs moto and s3fs (requirements-dev.txt)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + PATIENCE
        while not _listens(port):
            assert process.poll() is None
            assert time.monotonic() < ends, "it must come up"
            time.sleep(0.1)
        yield S3(f"http://127.0.0.1:{port}", "leaderboard", process)
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
