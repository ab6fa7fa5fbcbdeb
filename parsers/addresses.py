"""Addresses as a spec gives them, fit to be kept and shown."""

from __future__ import annotations

import re

_USER_INFO = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#\\]*@")
HELD_CREDENTIALS = "an address holds a user or password: left out (give them as headers)"


def without_user(address: str) -> str:
    """The address without `user:password@`, which is nobody's business but the caller's."""
    return _USER_INFO.sub(r"\1", address)
