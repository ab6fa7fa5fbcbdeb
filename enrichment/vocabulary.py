"""Words: which act, which say nothing of their own, which mean the same."""

from __future__ import annotations

from catalog.abbreviations import expanded, may_abbreviate, readings
from catalog.words import split_identifier

READING = frozenset(
    "get list find search fetch read show retrieve look lookup query check count view export "
    "download describe report return returns lists finds shows retrieves gives looks reads "
    "provide provides estimate calculate compare validate verify preview track watch stream "
    "monitor browse locate identify inspect explain summarize suggest recommend predict forecast "
    "detect classify evaluate measure poll discover".split()
)
WRITING = frozenset(
    "create add insert make register open submit post place book schedule update change modify "
    "edit set adjust correct move transfer rename delete remove cancel void close drop purge "
    "erase send notify email pay refund charge reserve release approve reject assign unassign "
    "start stop run reset import upload replace merge archive restore enable disable grant "
    "revoke lock unlock mark record receive issue apply write store save sync reverse credit "
    "terminate hire enroll withdraw confirm allocate attach detach link unlink connect put push "
    "commit accept decline deny decide hand ship dispatch pick pack sign subscribe unsubscribe "
    "trigger launch execute begin end finish complete append rebuild refresh renew extend suspend "
    "resume pause block unblock flag clear share invite join publish unpublish deploy configure "
    "install uninstall rotate activate deactivate reopen escalate settle order request clock log "
    "return rate claim".split()
) - {"return"}
NEUTRAL = frozenset("generate convert translate render test ping process parse compute".split())
"""Verbs that say nothing about whether anything is changed."""

_VERBS = {
    "lst": "list", "upd": "update", "del": "delete", "rm": "remove", "ins": "create",
    "crt": "create", "cre": "create", "chg": "change", "mod": "update", "chk": "check",
    "qry": "search", "fnd": "find", "srch": "search", "sel": "find", "retrieve": "get",
    "fetch": "get", "read": "get", "load": "get", "inq": "get", "rd": "get", "sav": "save",
    "snd": "send", "mv": "move", "xfer": "transfer", "res": "reserve", "rel": "release",
    "calc": "calculate", "cnt": "count", "reg": "register", "cncl": "cancel", "vrf": "verify",
    "mrg": "merge", "trf": "transfer", "rcv": "receive", "cpy": "copy", "rej": "reject",
    "asgn": "assign", "apr": "approve", "gen": "generate", "val": "validate",
}  # fmt: skip

GENERAL = frozenset(
    """
    a about above across action actual additional after agent all along also an and another any
    application applies apply are as asked asking asks at available back based basic be because
    been before being belonging belongs below between both but by call caller can case cases
    certain change changed changes changing code codes complete concerning connected contain
    containing contains content contents current currently data date dates day days defined
    description detail detailed details determine different do does each either element elements
    empty entire entry entries every exact exactly existing false field fields filter filtered
    filters first flag for form format found from full further general give given gives group
    has have having help helpful here how id identifier identifiers identified identifies if in
    include included includes including indicate indicates individual info information input
    instead into is it item items its itself just key kind kinds known last latest least like
    limit list listed lists look made main make makes many match matches matching may means more
    most must name named names need needed needs new next no none not note now number numbers of
    off on once one ones only operation optional optionally or original other others out output
    over overview own page pages part particular parts per person place plus point possible
    present previous process provide provided provides purpose query question range rather reads
    reason record records reference related relevant reply request requested requests response
    result results retrieved return returned returns same see service set several short show
    shows side single size so some someone something specific specified specify standard start
    started state stored such suitable summary system task text than that the their them then
    there these they this those time times to together tool total true two type types under
    unique until up use used user users uses using value values via version view want wants was
    way what when where whether which while who whole whose will with within without word words
    would yes you your much right yet figure figures company companies goods money sale sales room
    hour hours file files class everyday usual basic basics master profile terms roster suggestion
    suggestions dated balance overview condition conditions job jobs market account accounts
    progress position positions stage level levels today tonight tomorrow week month year years
    whom why someone's somebody something thing things few many little owe owes kept keep held hold
    holds hand back away long short old
    """.split()
)

DOMAIN = frozenset(
    """
    absence address agent agreement airline airport album allergy allowance amount
    appointment approval article artist asset attachment auction author backup badge bank
    batch benefit bill bin birthday bonus book booking box branch brand budget building bundle
    calendar campaign candidate capacity card cargo carrier cart cash catalog category certificate
    channel charge chat city claim client clinic colour comment commission complaint
    computer consent consignment contact contract conversation cost country coupon course credit
    currency customer database deadline dealer debt deduction delivery department deposit depot
    device diagnosis dimension discount disease distance district doctor document domain dose
    driver email employee employer engine equipment error event exam exchange expense experience
    feedback fee fine firmware flight fleet folder food forecast fuel game gateway gender
    grade guest holiday host hotel house image incident income ingredient inspection
    insurance interest interview inventory invoice issue journey judge keyboard language lawyer
    lead lease leave ledger lesson letter library licence license lien loan location lock login
    luggage machine mail manager manufacturer map margin material meal measurement medicine
    meeting member membership menu message meter mileage mobile model mortgage movement movie
    music network news note notification nurse offer office opportunity order organization owner
    package pallet parcel partner party passenger passport password patient payment payroll
    pension permission pet phone photo picture pipeline plan plant player playlist policy
    post prescription price printer privilege procedure product profile profit programme project
    promotion property purchase quantity quota quote rating rebate receipt recipe refund region
    reminder rent repair representative reservation restaurant return review reward risk role
    route salary sample schedule school score seat secret security seller sensor server
    session shareholder shelf shift shipment shop signature site skill song sport staff stock
    storage store student subscription supplier survey symptom tax taxi teacher team temperature
    tenant test theme ticket token tournament track trade trainer training transaction transfer
    transport travel trip truck user vacation vehicle vendor venue video visa visitor voucher wage
    warehouse warranty weather website weight worker
    """.split()
)
"""Nouns that name what services deal in: a claim about one of these needs ground."""

_SAME = [
    "customer client buyer account",
    "invoice bill billing",
    "employee staff worker person colleague personnel",
    "order purchase",
    "shipment delivery parcel consignment",
    "warehouse storage depot stock inventory site location",
    "lot batch",
    "truck vehicle lorry",
    "vacancy opening position job recruitment",
    "consent permission agreement",
    "quotation quote offer opportunity pipeline",
    "course training seminar class seat",
    "certificate licence permit qualification training",
    "campaign mailing marketing newsletter",
    "voucher coupon",
    "shift roster rota",
    "booking movement posting entry",
    "ledger bookkeeping accounting",
    "territory region area",
    "holiday vacation",
    "expense spending travel",
    "supplier vendor delivery purchase",
    "purchase order po",
    "receipt delivery purchase",
    "item article product goods sku",
    "manager representative owner supervisor responsible boss",
    "complaint claim grievance issue case ticket",
    "payment paid pay money",
    "price cost amount charge fee",
    "address location street",
    "phone telephone mobile contact",
    "salary wage pay compensation",
    "leave vacation holiday absence",
    "vendor supplier",
    "quantity amount count level",
    "status state progress stage",
    "department team unit",
    "history past previous log",
    "discount rebate reduction",
    "document file attachment",
    "due deadline",
    "balance outstanding",
]
_SYNONYMS: dict[str, frozenset[str]] = {}
for _line in _SAME:
    for _word in _line.split():
        _SYNONYMS[_word] = _SYNONYMS.get(_word, frozenset()) | frozenset(_line.split())


def verb_of(name: str) -> str:
    """The acting word that a name begins with, written out; "" where it has none."""
    first = next((word for word in split_identifier(name) if not word.isdigit()), "")
    verb = _VERBS.get(first, first)
    return verb if verb in READING | WRITING | NEUTRAL else ""


def stem(word: str) -> str:
    """A word without its inflection, crudely: enough to let `orders` meet `order`."""
    for ending, kept in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return _even(word[: -len(ending)] + kept)
    return _even(word)


def _even(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_DOMAIN_STEMS = frozenset(stem(word) for word in DOMAIN)


class Grounds:
    """The words that the evidence of one tool carries, short forms written out."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        raw = {word for text in texts for word in split_identifier(text)}
        self._own = {word for word in raw if len(word) > 2 and word not in GENERAL}
        self._short = {word for word in raw if len(word) <= 5}
        self._stems = {stem(word) for word in raw} | {stem(word) for word in readings(raw)}
        self._stems |= {stem(other) for word in raw for other in _synonyms(word)}

    def __len__(self) -> int:
        """Words that say something."""
        return len(self._own)

    def carry(self, word: str) -> bool:
        """Whether `word` is in the evidence, in any inflection, short form or synonym."""
        root = stem(word)
        if root in self._stems or word.isdigit():
            return True
        return any(may_abbreviate(short, word) for short in self._short)


def same_words(word: str) -> list[str]:
    """Other words for the same thing, the usual ones first."""
    return [
        other for line in _SAME if word in line.split() for other in line.split() if other != word
    ]


def _synonyms(word: str) -> frozenset[str]:
    whole = expanded(word)
    return _SYNONYMS.get(whole, frozenset()) | _SYNONYMS.get(whole.rstrip("s"), frozenset())


def names_a_thing(word: str) -> bool:
    return word in DOMAIN or stem(word) in _DOMAIN_STEMS


def things_without_ground(text: str, grounds: Grounds) -> list[str]:
    """Words for what services deal in that the evidence does not carry, each thing once."""
    found: list[str] = []
    for word in content_words(text):
        known = any(stem(word) == stem(other) or word in _synonyms(other) for other in found)
        if names_a_thing(word) and not known and not grounds.carry(word):
            found.append(word)
    return found


def content_words(text: str) -> list[str]:
    """Words of a text that claim something: no general words, no acting verbs, no numbers."""
    acting = {stem(verb) for verb in READING | WRITING}
    return [
        word
        for word in dict.fromkeys(split_identifier(text))
        if len(word) > 2 and not word.isdigit() and word not in GENERAL and stem(word) not in acting
    ]
