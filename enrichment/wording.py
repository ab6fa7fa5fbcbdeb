"""What no text about a tool may hold, whoever wrote it: orders, addresses, markup, hidden signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLAIN = re.compile(r"[A-Za-z0-9 .,;:!?'\"()/&%$+_–—‘’“”…é-]*")
"""What an English text is made of: no letter of another script can pass for one of ours, and no
bracket can end what we put around the text."""
_ENGLISH = frozenset("a an the of for to in by with and or is are when which that from".split())

_ENDINGS = "com|net|org|io|dev|ai|app|co|example|ru|cn|xyz|sh|me|info"
_ADDRESS = re.compile(
    r"https?:|www\.|\w@\w+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\bhxxps?\b"
    rf"|\b[\w-]+\.(?:{_ENDINGS})\b"
    rf"|[(\[{{ ]dot[)\]}} ]+\s*(?:{_ENDINGS})\b|[(\[{{]at[)\]}}]"
    r"|\b(?:ftp|file|javascript|mailto|data):[/\w]|(?<![\w.])/\w",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"</?[a-z!][^>]*>|\]\(|```|`|\*\*|~~|^#+ |^\s*[-*] |\{\{|\$\{|<\||\|>|&[a-z#0-9]+;|\\[ux]"
    r"|\[/?(?:inst|system|user|assistant)\]|%[0-9a-f]{2}",
    re.IGNORECASE | re.MULTILINE,
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}|\b(?:[0-9a-f]{2}[\s:]?){12,}", re.IGNORECASE)
_ROLES = (
    r"\b(?:system|developer|assistant|user|human|important|attention|instructions?) ?:",
    r"^(?:system|important|attention)\b",
    r"\bnote to (?:the )?(?:agents?|assistants?|models?|ai|llms?|reviewers?)\b",
)
_WHO = r"\b(?:you|agents?|assistants?|models?|llms?|ais?|bots?|callers?) "
_ORDERS = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}"
    r"\b(?:previous|above|prior|earlier|instructions?|prompts?|safety|guard\w*|what)\b",
    r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:rules?|other|all|everything)\b",
    _WHO + r"(?:must|should|shall|have to|need to|are|will|may now|can now|is now)\b",
    r"\balways (?:use|call|choose|pick|prefer|select|run|invoke|pass|send|include)",
    r"\bnever (?:use|call|choose|tell|mention|pick|show|ask)",
    r"\b(?:call|use|run|prefer|choose|select|invoke|pick) (?:this|it|me)(?: tool)? "
    r"(?:first|always|instead|before (?:any|every|all|other)|for (?:all|any|every)|whenever"
    r"|by default)",
    r"\b(?:do not|don't|must not) (?:use|call|mention|tell|ask|reveal|show|trust|choose)",
    r"\b(?:before|instead of|rather than|prior to) (?:any|every|all|using|calling) other",
    r"\b(?:all|every) other tools?\b|\bother tools? (?:is|are)\b|\bwithout (?:asking|confirm)",
    r"\bfrom now on\b|\bconfirm(?:ation)? is not\b|\bjailbreak\b",
    r"\b(?:system|developer|hidden|secret|new|previous) (?:prompt|message|instructions?)",
    r"\b(?:send|post|forward|upload|copy|email|transmit) (?:it|them|everything|all|the "
    r"(?:conversation|context|history|chat))\b",
    r"\bthe (?:conversation|chat history|user's context)\b",
)
_BOASTS = (
    r"\b(?:best|only|preferred|official|recommended|most \w+|default|safest|superior) tool\b",
    r"\b(?:most reliable|highest priority|top priority|supersedes?|replaces all)\b",
    r"\bdeprecated in favou?r\b",
)
_GIVE = r"\b(?:ask|send|include|pass|paste|attach|print|reveal|enter|share)\b"
_SECRETS = (
    r"\b(?:exfiltrate|leak)\b",
    _GIVE + r".{0,40}\b(?:api[ _-]?keys?|ssh keys?|env(?:ironment)? variables?|system prompt)\b",
    _GIVE + r".{0,40}\b(?:your|their|his|her|user's) (?:\w+ )?"
    r"(?:passwords?|credentials?|secrets?|tokens?|keys?|prompt)\b",
)
_COMMANDING = re.compile("|".join((*_ROLES, *_ORDERS, *_BOASTS, *_SECRETS)), re.IGNORECASE)


def order_in(text: str) -> str:
    """The words that tell the reader what to do, pose as a role, boast, or ask for secrets."""
    found = _COMMANDING.search(text)
    return found.group() if found else ""


def uncleanness(text: str) -> Iterator[str]:
    if _ADDRESS.search(text):
        yield "no addresses"
    if _MARKUP.search(text):
        yield "no markup"
    if _ENCODED.search(text):
        yield "no encoded text"
    if not _PLAIN.fullmatch(text):
        yield "plain English in one line: letters, digits and usual punctuation"


def is_english(text: str) -> bool:
    return bool(_ENGLISH & set(re.findall(r"[a-z]+", text.lower())))
