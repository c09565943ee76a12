"""Where a request comes from."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from flask import request


def network() -> str:
    """The address of the sender; of the sixth version the part that one household or office has."""
    sender = request.remote_addr or ""
    try:
        address = ip_address(sender)
    except ValueError:
        return sender
    return str(int(address) >> 64) if isinstance(address, IPv6Address) else sender
