"""nginx as the page about servers sets it up, with other ports, paths and a certificate of our own."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody trusts, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tasks.example.org")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    files = (folder / "fullchain.pem", folder / "privkey.pem")
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def configured(text: str, folder: Path, pair: tuple[Path, Path], ports: Mapping[str, int]) -> Path:
    """The block of the page in a whole configuration; `ports` has those that are listened at, and those of
    the servers behind it, by what the page says."""
    for written, real in zip(("fullchain.pem", "privkey.pem"), pair, strict=True):
        text = re.sub(rf"/etc/letsencrypt/\S+/{written}", str(real), text)
    text = text.replace("/var/log/nginx/leaderboard.log", str(folder / "nginx-errors"))
    for written, port in ports.items():
        text = re.sub(rf"(listen (?:\[::\]:)?|127\.0\.0\.1:){written}\b", rf"\g<1>{port}", text)
    # Loopback alone; tests listen to nobody else.
    text = re.sub(r"listen \[::\]:[^;]*;", "", text)
    text = re.sub(r"listen (\d)", r"listen 127.0.0.1:\1", text)
    file = folder / "nginx.conf"
    paths = "".join(
        f"{name}_temp_path {folder / name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file.write_text(
        f"daemon off;\npid {folder / 'nginx.pid'};\nerror_log {folder / 'nginx-main'};\n"
        f"events {{}}\nhttp {{\n{paths}{text}}}\n"
    )
    return file
