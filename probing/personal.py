"""Values that identify a person or open a door, told by their form.

The second line of defence: shapes hold no values but enum-like ones, and these pass here first.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter

MAX_LOOKED_AT = 512
_EMAIL = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>().]{2,}")
_JWT = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}")
_BEARER = re.compile(r"\b(?:bearer|basic|token|digest)\s+[\w.~+/=-]{8,}", re.I)
_KEY = re.compile(
    r"-----BEGIN |\b(?:sk|pk|rk|whsec)[-_][\w-]{8,}|\bgh[pousr]_\w{10,}|\bgithub_pat_\w+"
    r"|\bglpat-[\w-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\bxox[abeoprs]-[\w-]{8,}"
    r"|\bya29\.[\w-]+|\b(?:npm|hf|dop_v1|shpat|shpss)_\w{10,}|\bpypi-\w{16,}|\bSG\.[\w-]{10,}"
)
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")
_IPV6 = re.compile(r"(?<![\w:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_PHONE = re.compile(r"\+?\(?\d[\d ()/.-]{5,18}\d")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKEN = re.compile(r"[\w+/=.~-]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)


def kind_of(text: str) -> str | None:
    """What a text gives away (email, phone, iban, card, ip, token, secret), or None."""
    text = text[:MAX_LOOKED_AT]
    if _JWT.search(text) or _BEARER.search(text) or _KEY.search(text):
        return "secret"
    if "@" in text and _EMAIL.search(text):
        return "email"
    if any(_luhn(match.group()) for match in _DIGITS.finditer(text)):
        return "card"
    if any(_iban(match.group()) for match in _IBAN.finditer(text)):
        return "iban"
    if _is_ip(text):
        return "ip"
    if _PHONE.fullmatch(text.strip()) and _is_phone(text.strip()):
        return "phone"
    return "token" if _has_token(text) else None


def _luhn(text: str) -> bool:
    digits = [int(letter) for letter in reversed(text) if letter.isdigit()]
    doubled = [d if i % 2 == 0 else (2 * d - 9 if d > 4 else 2 * d) for i, d in enumerate(digits)]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0


def _iban(text: str) -> bool:
    plain = text.replace(" ", "")
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def _is_ip(text: str) -> bool:
    found = [m.group() for m in _IPV4.finditer(text)] + [m.group() for m in _IPV6.finditer(text)]
    return any(_parses(word) for word in found if word.strip(":"))


def _parses(word: str) -> bool:
    try:
        ipaddress.ip_address(word)
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    """Seven digits or more, and written as people write numbers: +, a leading 0, or in groups."""
    digits = sum(letter.isdigit() for letter in text)
    if digits < 7 or _DATE.match(text):
        return False
    return text[0] in "+0(" or bool(re.search(r"\d[ ()/-]+\d", text))


def _has_token(text: str) -> bool:
    return any(_is_random(match.group()) for match in _TOKEN.finditer(text))


def _is_random(word: str) -> bool:
    """Letters and digits mixed as no word mixes them; identifiers in words and UUIDs are not."""
    if _UUID.fullmatch(word) or not re.search(r"\d", word) or not re.search(r"[A-Za-z]", word):
        return False
    if len(word) >= 32 and re.fullmatch(r"[0-9a-fA-F]+", word):
        return True
    changes = len(re.findall(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]|(?<=[a-z])[A-Z]", word))
    return changes >= 3 and _entropy(word) >= 3.2


def _entropy(word: str) -> float:
    counts = Counter(word).values()
    return -sum(n / len(word) * math.log2(n / len(word)) for n in counts)
