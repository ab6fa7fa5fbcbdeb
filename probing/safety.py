"""What may be probed at all: the rules, as a person responsible for security reads them.

1. REST: GET and HEAD. Everything else is left alone unless the user lists it by name.
2. gRPC: methods marked `idempotency_level = NO_SIDE_EFFECTS`, or whose name begins with a word of
   READING. SOAP: operations whose name begins with a word of READING.
3. Whatever the protocol says: nothing whose name or path has a word of CHANGING; whose name begins
   or ends with a word of CHANGING_ALONE, or whose path has one as a whole part; whose name begins
   with a word of CHANGING_FIRST; or whose text says that it does one of CHANGING_SENTENCES. That is
   so for GET too: `GET /jobs/purge` deletes.
4. No value of the spec or of an answer that is itself such a word (`?action=purge`), and no
   argument that asks for another method (`X-HTTP-Method-Override`, `_method`).
5. Nothing deprecated is an exception, and no pattern lists several: `probe.allow` in gloss.toml
   names operations one by one, and only that lifts rules 1 to 3 for just these.

Names are split into words (`flushCache` is flush, cache), short forms read in full (`delRec` is
delete, record). Words are compared whole: `open_invoices` and `sent_items` are no commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from catalog.abbreviations import expanded
from catalog.binding import GrpcBinding, HttpBinding
from catalog.spec import Operation
from catalog.words import split_identifier

MAX_COMMAND = 40
READING = frozenset(
    """get list find search query read fetch lookup look show view describe count check exists is
    has retrieve browse select inquire inquiry status info ping report return verify validate
    estimate calculate compare preview peek watch stream tail scan head stat summarize download
    suggest autocomplete resolve whoami version health echo fnd srch""".split()
)
CHANGING = frozenset(
    """delete remove erase purge wipe destroy drop truncate clear flush reset restart reboot
    shutdown kill terminate abort cancel void send resend notify dispatch publish trigger run rerun
    execute exec invoke enable disable activate deactivate approve reject revoke rotate regenerate
    unsubscribe unregister logout signout signoff synchronize reindex rebuild recalculate create
    insert update upsert modify rollback undeploy migrate cleanup invalidate undo redo consume
    dequeue ack acknowledge impersonate deprovision decommission unlink uninstall install
    reprocess replay kick evict vacuum overwrite unlock cleanse prune discard suspend unsuspend ban
    unban""".split()
)
CHANGING_ALONE = frozenset(
    """start stop pause resume import sync merge transfer refund charge deploy expire pop provision
    empty retry launch fire shrink restore trash""".split()
)
CHANGING_FIRST = (
    frozenset(
        """set put post patch add save write edit change assign move mark open close lock block
    archive book reserve release pay issue register grant upload submit accept decline claim
    subscribe follow unfollow like vote adjust allocate receive make do process apply push store
    record log login signin attach detach bind unbind link copy clone fork convert generate export
    schedule order buy sell return confirm complete finish commit begin join leave enter exit switch
    toggle request ask call increment decrement credit debit""".split()
    )
    - READING
)
_VERBS = (CHANGING | CHANGING_ALONE | CHANGING_FIRST | {"return"}) - {
    "format",
    "order",
    "report",
    "return",
}
CHANGING_SENTENCES = (
    # "Deletes all finished jobs": the verb of a sentence, wherever it begins
    "a sentence that begins with such a verb: `Deletes …`, `Delete …`, `Runs …`",
    # "Returns the next message and removes it", "An operation that resets the counter"
    "a verb after and, also, then, will, used to, that, which: `… and removes it`",
    # "Deletion of old jobs", "Performs a reset"
    "a noun for it: `deletion of …`, `performs a reset`, `triggers a rebuild`, `logs out`",
)
_UNMISTAKABLE = frozenset(
    """deletes removes erases purges wipes destroys truncates flushes reboots terminates aborts
    resends notifies invokes executes deactivates activates revokes regenerates unsubscribes
    unregisters reindexes rebuilds invalidates overwrites deploys empties consumes acknowledges
    löscht entfernt sendet verschickt startet supprime efface envoie elimina borra envía""".split()
)
_PHRASES = re.compile(
    r"\b(?:deletion|removal|purging|wiping|resetting|sending|erasure) of\b"
    r"|\b(?:performs?|does|triggers?|starts?|kicks? off|initiates?|causes?|forces?) an? (?:\w+ )?"
    r"(?:re(?:set|start|build|boot|fund|run)|purge|cleanup|clean-up|deletion|removal|sync|transfer|run"
    r"|job|build|deploy\w*|shutdown|update|import|payment|mail\w*|e-?mail|message|notification)\b"
    r"|\b(?:logs?|signs?) (?:\w+ )?(?:in|out)\b|\bshuts? down\b|\brolls? back\b|\btears? down\b"
    r"|\bmarks? \w+ (?:as|read)\b|\bchecks? (?:in|out)\b|\bside[ -]effects?\b(?<!no side effects)"
)
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_SENTENCE = re.compile(r"(?:^|[.!?:;•\n]\s*|[-*] )\W*([^\W\d_]+)\s+([^\W\d_]+)?", re.M)
_AFTER = re.compile(
    r"\b(?:and|also|then|will|automatically|immediately|permanently"
    r"|(?:used?|called?|allows?|serves?)(?: you| this| it)?(?: \w+)? to|lets you)\s+"
    r"(?:(?:also|then|automatically|immediately|permanently)\s+)?([^\W\d_]+)"
)
_RELATIVE = re.compile(r"\b(?:that|which|it|this|call|operation|method|endpoint)\s+(?=([^\W\d_]+))")
_SELF_DOING = frozenset(
    """clear reset restart send run cancel void kill trigger publish dispatch drop start stop reject
    approve rotate purge delete remove erase""".split()
)
_FUNCTION = re.compile(r"\binvoke function\b")  # OData: a function has no side effects
_STREAMED = frozenset({"send", "push", "publish", "notify"})
_ARTICLES = frozenset("a an the all this that these your one every each it them new".split())
_PARTS = frozenset("set schedule archive order record link book store log post request".split())
_NOUNS = frozenset(
    """start stop pause import merge transfer refund charge trash open lock block archive book
    release issue grant claim log link copy clone fork post patch change move mark store record
    process order request call exit switch credit debit like push format""".split()
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the rules let an operation be called, and the reason in words."""

    allowed: bool
    reason: str


def verdict(operation: Operation, allow: Set[str] = frozenset(), level: str = "") -> Verdict:
    """`allow` are the user's own names; `level` is gRPC's idempotency_level, "" when not said."""
    if listed(operation, allow):
        return Verdict(True, "listed in probe.allow")
    changing = _named_change(operation) or _told_change(operation)
    if changing:
        return Verdict(False, changing)
    return _by_protocol(operation, level)


def listed(operation: Operation, allow: Set[str]) -> bool:
    return bool({operation.name, operation.id, *operation.binding.wire_names} & allow)


def _by_protocol(operation: Operation, level: str) -> Verdict:
    binding = operation.binding
    if isinstance(binding, HttpBinding):
        if binding.method.upper() in ("GET", "HEAD"):
            return Verdict(True, binding.method.upper())
        return Verdict(False, f"{binding.method.upper()} is sent only when listed in probe.allow")
    if level == "NO_SIDE_EFFECTS":
        return Verdict(True, "idempotency_level = NO_SIDE_EFFECTS")
    if level == "IDEMPOTENT":
        return Verdict(False, "idempotency_level = IDEMPOTENT: it may change something")
    words = words_of(_own_name(operation))
    if words and words[0] in READING:
        return Verdict(True, f"its name begins with {words[0]}")
    return Verdict(False, "its name does not say that it reads")


def _own_name(operation: Operation) -> str:
    binding = operation.binding
    if isinstance(binding, HttpBinding):
        return binding.operation_id or operation.name
    if isinstance(binding, GrpcBinding):
        return binding.method.rpartition("/")[2]
    return binding.operation


def words_of(name: str) -> list[str]:
    return [expanded(word) for word in split_identifier(name)]


def _named_change(operation: Operation) -> str:
    for name in (_own_name(operation), operation.name):
        words = words_of(name)
        found = _changing_word(words, words[:1] + words[-1:]) or _first(words)
        if found:
            return f"the name says {found}"
    if isinstance(operation.binding, HttpBinding):
        return _changing_path(operation.binding.path)
    return ""


def _changing_word(words: Sequence[str], ends: Sequence[str]) -> str:
    alone = (word for word in ends if word in CHANGING_ALONE)
    return next((word for word in words if word in CHANGING), "") or next(alone, "")


def _first(words: Sequence[str]) -> str:
    """A name that begins with a command, unless it goes on to say that it reads: `order_list`."""
    if list(words[:2]) in (["check", "out"], ["check", "in"]):
        return " ".join(words[:2])
    is_command = bool(words) and words[0] in CHANGING_FIRST
    return words[0] if is_command and not READING & set(words[1:]) else ""


def _changing_path(path: str) -> str:
    parts = [words_of(part) for part in re.split(r"[/:]", _PLACEHOLDER.sub("", path)) if part]
    for words in parts:
        if found := _changing_word(words, words if len(words) == 1 else []):
            return f"the path says {found}"
    acts_on_one = re.search(r"\}[/:]([^/{}:]+)/?$", path)
    last = words_of(acts_on_one.group(1)) if acts_on_one else []
    acts = len(last) == 1 and last[0] in CHANGING_FIRST - _PARTS
    return f"the path says {last[0]}" if acts else ""


def _told_change(operation: Operation) -> str:
    streams = isinstance(operation.binding, GrpcBinding) and operation.binding.server_streaming
    for text in (operation.summary, operation.description):
        lower = _FUNCTION.sub("", text.replace("`", "").lower())
        for word in _told_verbs(lower):
            if not (streams and _base(word) in _STREAMED):
                return f"its text says {word}"
        if (phrase := _PHRASES.search(lower)) is not None:
            return f"its text says {phrase.group().strip()}"
    return ""


def _told_verbs(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        if _is_command(match.group(1), match.group(2) or ""):
            yield match.group(1)
    for match in _AFTER.finditer(text):
        if _base(match.group(1)) in (CHANGING | CHANGING_ALONE) - {"run"}:
            yield match.group(1)
    for match in _RELATIVE.finditer(text):
        word = match.group(1)
        if _base(word) in _SELF_DOING and word != _base(word):
            yield word
    for word in re.findall(r"[^\W\d_]+", text):
        if word in _UNMISTAKABLE:
            yield word


def _is_command(word: str, following: str) -> bool:
    """`Deletes …` always; `Opens the …` and `Submits …`, but not `Open invoices`, `Orders of …`."""
    base = _base(word)
    if base in CHANGING:
        return True
    if base not in _VERBS:
        return False
    return following in _ARTICLES or (word != base and base not in _NOUNS)


def _base(word: str) -> str:
    """`sends` → send, `purges` → purge, `flushes` → flush, `notifies` → notify, `running` → run."""
    for ending, instead in (("ies", "y"), ("es", "e"), ("es", ""), ("s", ""), ("s", "s")):
        if word.endswith(ending):
            base = word.removesuffix(ending) + instead
            if base in _VERBS:
                return base
    return word


def changing_value(value: object) -> str:
    """The command that a value is, "" for none: `?action=purge` deletes as well as a path does."""
    if not isinstance(value, str) or len(value) > MAX_COMMAND or " " in value.strip():
        return ""
    words = words_of(value)
    return next((word for word in words if word in CHANGING), "") if len(words) <= 3 else ""


def unknown_names(operations: Sequence[Operation], allow: Set[str]) -> list[str]:
    """Entries of `probe.allow` that name no operation: a slip of the pen, or an old name."""
    known = {n for op in operations for n in (op.name, op.id, *op.binding.wire_names)}
    return sorted(allow - known)
