"""Whom the embedded server runs as: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import GlossError

# The first that exists. An administrator who wants a user of its own for the server makes
# "apigloss"; gloss itself creates no user.
_ACCOUNTS = ("apigloss", "postgres", "nobody")
_DAC_OVERRIDE, _DAC_READ_SEARCH, _SETGID, _SETUID = 1, 2, 6, 7  # linux/capability.h
_PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 8, 47, 2
_CAPABILITY_VERSION_3 = 0x20080522
_CLONE_NEWUSER = 0x10000000


@dataclass(frozen=True, slots=True)
class Account:
    uid: int
    gid: int
    name: str


def server_account(*folders: Path) -> Account | None:
    """The user to drop to, or None when this process may run the server itself.

    A folder that is a user's stays so: root may use the catalog of someone else.
    """
    if os.geteuid() != 0:
        return None
    owners = (folder.stat() for folder in folders if folder.exists())
    owner = next((about for about in owners if about.st_uid != 0), None)
    if owner is None:
        return _first_account()
    return Account(owner.st_uid, owner.st_gid, f"user {owner.st_uid}")


def owned_like_folder(file: int, path: Path) -> None:
    """What root makes in a user's folder is the user's."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(file, owner.st_uid, owner.st_gid)


def _first_account() -> Account:
    import pwd

    for name in _ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, name)
    raise GlossError(
        "PostgreSQL does not run as root, and there is no user to run it as",
        hint="run gloss as another user, add a user named apigloss, or set GLOSS_DATABASE_URL",
    )


def before_exec(account: Account | None, *paths: Path) -> Callable[[], None] | None:
    """What a child runs before it becomes the server: drop root, keep the way to `paths` open."""
    if account is None:
        return None
    _require_change_of_user(account)
    shut = next((path for path in paths if not _may_reach(account, path)), None)
    capability = None if shut is None else _capability(account, shut)
    return _dropper(account, capability)


def _require_change_of_user(account: Account) -> None:
    held = _permitted()
    if held is not None and not (held >> _SETUID & 1 and held >> _SETGID & 1):
        raise GlossError(
            f"PostgreSQL does not run as root, and this root may not become {account.name}",
            hint="run gloss as another user, or set GLOSS_DATABASE_URL",
        )


def _may_reach(account: Account, path: Path) -> bool:
    return all(_may_search(account, folder) for folder in (path, *path.parents))


def _may_search(account: Account, folder: Path) -> bool:
    about = folder.stat()
    if about.st_uid == account.uid:
        return bool(about.st_mode & stat.S_IXUSR)
    if about.st_gid == account.gid:
        return bool(about.st_mode & stat.S_IXGRP)
    return bool(about.st_mode & stat.S_IXOTH)


def _capability(account: Account, shut: Path) -> int:
    """The smallest right that lets the server pass a closed folder without opening it to others."""
    held = _permitted() or 0
    for number in (_DAC_READ_SEARCH, _DAC_OVERRIDE):
        if held >> number & 1:
            return number
    raise GlossError(
        f"the embedded server runs as {account.name}, who may not enter {shut}",
        hint="choose another data folder, for example GLOSS_DATA_DIR=/var/lib/apigloss",
    )


def _permitted() -> int | None:
    """Our capabilities as a bit set; None on a system that has none to show."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1], 16) for line in lines if line.startswith("CapPrm")), None)


def _dropper(account: Account, capability: int | None) -> Callable[[], None]:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def drop() -> None:
        if capability is not None:
            _checked(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
        os.setgroups([])
        os.setgid(account.gid)
        os.setuid(account.uid)
        if capability is not None:
            bit = 1 << capability
            header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
            sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)  # effective, permitted, inherited
            _checked(libc.capset(header, sets))
            _checked(libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0))

    return drop


def _checked(result: int) -> None:
    if result != 0:
        raise OSError("the kernel refused")


def name_for_initdb() -> Callable[[], None] | None:
    """What initdb needs when our user has no entry in the password file: a name, in a namespace.

    Containers often run as a bare number. initdb looks its own user up and gives up without a
    name; the server itself does not. So initdb alone runs in a user namespace in which our number
    goes by one that has an entry; on disk the files are ours.
    """
    import pwd

    if os.geteuid() == 0 or _has_entry(os.geteuid()):
        return None
    named = next((entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0), None)
    return None if named is None else _namespace(named)


def _has_entry(uid: int) -> bool:
    import pwd

    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _namespace(named: int) -> Callable[[], None]:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.geteuid(), os.getegid()

    def enter() -> None:
        with suppress(OSError):  # where namespaces are forbidden, initdb says what it misses
            _checked(libc.unshare(_CLONE_NEWUSER))
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{named} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")

    return enter
