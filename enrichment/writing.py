"""One group of look-alikes from question to checked texts: ask, read, check, mend once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog.enrichment import Enrichment
from enrichment import shapes
from enrichment.checker import Fault, Surroundings, check
from enrichment.endpoint import Endpoint
from enrichment.evidence import Evidence
from enrichment.forms import ItemFailed, Reply
from enrichment.phrases import speaks_for_itself
from enrichment.planning import OUTPUT_TOKENS, Pending, counted, question
from enrichment.prompt import SCHEMA, Message, repair
from enrichment.replies import ReplyUnreadable, read_reply

_ROOM_PER_TOOL = 2 * OUTPUT_TOKENS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one tool: a text that passed, or the reason why there is none; or it was left
    as it is because its own text is clear. `rules` are those that it broke, the first time where
    it was mended."""

    pending: Pending
    enrichment: Enrichment | None = None
    reason: str = ""
    rules: tuple[str, ...] = ()
    left: bool = False


@dataclass(frozen=True, slots=True)
class GroupOutcome:
    """Outcomes of one request and its repair, with what they used (tokens)."""

    outcomes: tuple[Outcome, ...]
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(slots=True)
class _Tally:
    input_tokens: int = 0
    output_tokens: int = 0
    passed: dict[int, Enrichment] = field(default_factory=dict)
    faults: dict[int, tuple[Fault, ...]] = field(default_factory=dict)
    unreadable: str = ""

    def count(self, asked: Sequence[Message], reply: Reply) -> None:
        given, written = counted(asked, reply)
        self.input_tokens += given
        self.output_tokens += written


def with_model(
    group: Sequence[Pending],
    weights: Mapping[str, float],
    around: Surroundings,
    endpoint: Endpoint,
) -> GroupOutcome:
    """Raises a GlossError where the whole run has to end; all else is an outcome. A question that
    the endpoint will not take is asked again for each tool alone, so that one tool costs no other.
    """
    tally = _Tally()
    try:
        _conversation(group, weights, around, endpoint, tally)
    except ItemFailed as failure:
        if len(group) > 1 and not tally.input_tokens:
            return _one_by_one(group, weights, around, endpoint)
        tally.unreadable = str(failure)
    outcomes = tuple(_outcome(n, entry, tally) for n, entry in enumerate(group, 1))
    return GroupOutcome(outcomes, tally.input_tokens, tally.output_tokens)


def _conversation(
    group: Sequence[Pending],
    weights: Mapping[str, float],
    around: Surroundings,
    endpoint: Endpoint,
    tally: _Tally,
) -> None:
    """The question, and one repair where an entry is missing or was not accepted."""
    asked = question(group, weights)
    room = room_for(group)
    reply = _turn(asked, group, around, endpoint, room, tally)
    if len(tally.passed) < len(group) and not reply.refused:
        again = repair(asked, reply.text, _quoted(group, tally))
        _turn(again, group, around, endpoint, room, tally)


def from_reply(
    group: Sequence[Pending],
    weights: Mapping[str, float],
    around: Surroundings,
    reply: Reply,
) -> GroupOutcome:
    """What an answer that came some other way says of a group; there is no repair turn."""
    tally = _Tally()
    tally.count(question(group, weights), reply)
    _read(reply, group, around, tally)
    outcomes = tuple(_outcome(n, entry, tally) for n, entry in enumerate(group, 1))
    return GroupOutcome(outcomes, tally.input_tokens, tally.output_tokens)


def room_for(group: Sequence[Pending]) -> int:
    """Tokens that an answer about the group may take."""
    return _ROOM_PER_TOOL * len(group) + 100


def _one_by_one(
    group: Sequence[Pending],
    weights: Mapping[str, float],
    around: Surroundings,
    endpoint: Endpoint,
) -> GroupOutcome:
    parts: list[GroupOutcome] = []
    for entry in group:
        named = {o.enrichment.name for part in parts for o in part.outcomes if o.enrichment}
        beside = replace(around, taken=around.taken | named)
        parts.append(with_model([entry], weights, beside, endpoint))
    return GroupOutcome(
        tuple(outcome for part in parts for outcome in part.outcomes),
        sum(part.input_tokens for part in parts),
        sum(part.output_tokens for part in parts),
    )


def _turn(
    asked: Sequence[Message],
    group: Sequence[Pending],
    around: Surroundings,
    endpoint: Endpoint,
    room: int,
    tally: _Tally,
) -> Reply:
    reply = endpoint.ask(asked, SCHEMA, room)
    tally.count(asked, reply)
    _read(reply, group, around, tally)
    return reply


def _read(reply: Reply, group: Sequence[Pending], around: Surroundings, tally: _Tally) -> None:
    tally.unreadable = no_answer(reply)
    try:
        written = {} if tally.unreadable else read_reply(reply.text)
    except ReplyUnreadable as fault:
        tally.unreadable = str(fault)
        written = {}
    for number, entry in enumerate(group, 1):
        if number in written and number not in tally.passed:
            _judge(number, written[number], entry.evidence, around, tally)


def no_answer(reply: Reply) -> str:
    """Why there is nothing to read in a reply; empty where there is."""
    if reply.refused:
        return f"the model refused: {reply.refused}"
    return "the reply was cut off, also with more room" if reply.cut else ""


def _judge(
    number: int, text: Enrichment, evidence: Evidence, around: Surroundings, tally: _Tally
) -> None:
    names = {passed.name for passed in tally.passed.values()}
    faults = check(text, evidence, replace(around, taken=around.taken | names))
    if faults:
        tally.faults[number] = faults
    else:
        tally.passed[number] = text


def _quoted(group: Sequence[Pending], tally: _Tally) -> list[str]:
    if tally.unreadable:
        return [tally.unreadable]
    missing = [
        f"[{n}] is missing"
        for n in range(1, len(group) + 1)
        if n not in tally.passed and n not in tally.faults
    ]
    return missing + [f"[{n}] {f.message}" for n, faults in tally.faults.items() for f in faults]


def _outcome(number: int, entry: Pending, tally: _Tally) -> Outcome:
    faults = tally.faults.get(number, ())
    rules = tuple(dict.fromkeys(fault.rule for fault in faults))
    if number in tally.passed:
        return Outcome(entry, tally.passed[number], rules=rules)
    reason = "; ".join(fault.message for fault in faults) or tally.unreadable
    return Outcome(entry, reason=reason or "the reply says nothing about it", rules=rules)


def with_shapes(
    group: Sequence[Pending], weights: Mapping[str, float], around: Surroundings
) -> GroupOutcome:
    """The same without a model; nothing is spent, and clear tools are left alone."""
    taken = set(around.taken)
    outcomes = []
    for entry in group:
        if speaks_for_itself(entry.evidence):
            outcomes.append(Outcome(entry, left=True))
            continue
        beside = [other.evidence for other in group if other is not entry]
        text = shapes.write(entry.evidence, weights, taken, beside)
        faults = (
            check(text, entry.evidence, replace(around, taken=frozenset(taken))) if text else ()
        )
        if text is None or faults:
            reason = "; ".join(fault.message for fault in faults) or "the evidence says too little"
            outcomes.append(Outcome(entry, None, reason, tuple(fault.rule for fault in faults)))
            continue
        taken.add(text.name)
        outcomes.append(Outcome(entry, text))
    return GroupOutcome(tuple(outcomes))
