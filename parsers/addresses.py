"""Addresses as a spec gives them, fit to be kept and shown."""

from __future__ import annotations

import re

_USER_INFO = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)[^/?#\\]*@")
_SECRET_NAME = re.compile(
    r"(?:token|secret|password|passwd|pwd|signature|(?:api|access|auth)[_-]?key)\Z|^(?:sig|key)\Z",
    re.I,
)
HELD_CREDENTIALS = "an address holds a user, password or key: left out (give them as headers)"


def without_credentials(address: str) -> str:
    """The address without `user:password@` and `?token=…`: nobody's business but the caller's."""
    bare, mark, query = _USER_INFO.sub(r"\1", address).partition("?")
    kept = [pair for pair in query.split("&") if not _is_secret(pair)]
    return bare + mark + "&".join(kept) if kept else bare


def _is_secret(pair: str) -> bool:
    name, _, value = pair.partition("=")
    return bool(value) and "{" not in value and _SECRET_NAME.search(name) is not None
