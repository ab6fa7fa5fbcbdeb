"""Every rule is published, and breaks for what it says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.enrichment import Enrichment, Ground
from enrichment.checker import RULES, Surroundings, check
from enrichment.evidence import Evidence, Fact
from enrichment.vocabulary import Grounds

DOCS = Path(__file__).parents[2] / "docs" / "enrichment-rules.md"

TOOL = Evidence(
    tool_id="crm/getProcInfo4",
    name="getProcInfo4",
    protocol="soap",
    wire=("getProcInfo4",),
    given=(Fact("custId", "string"),),
    returned=(
        Fact("res[]", "object"),
        Fact("res[].complaintNo", "string"),
        Fact("res[].handlerName", "string"),
        Fact("res[].settledOn", "date"),
    ),
    returns_list=True,
    service="crm",
)
AROUND = Surroundings(
    taken=frozenset({"getProcInfo3", "get_order_progress"}),
    siblings=frozenset({"getProcInfo3", "getProcInfo4"}),
    services=frozenset({"payroll"}),
    spoken=Grounds(("orderNo", "orderStatus")),
)
GOOD = Enrichment(
    name="get_customer_complaints",
    description="Returns a customer's complaints with who handles them and when they were settled. "
    "Use it to see how a complaint is dealt with.",
    aliases=("complaint handling", "who deals with a complaint", "settled complaints"),
    not_for="orders",
    grounds=(Ground("complaint", "complaintNo"),),
)
BROKEN = {
    "form": replace(GOOD, aliases=("complaint handling",)),
    "own-name": replace(GOOD, name="get_proc_info_4"),
    "free-name": replace(GOOD, name="get_order_progress"),
    "known-identifiers": replace(GOOD, description="Returns the shoeSize of a complaint by id."),
    "cited-evidence": replace(GOOD, grounds=(Ground("shoe", "shoeSize"),)),
    "grounded-nouns": replace(GOOD, name="get_customer_invoices"),
    "verb-and-protocol": replace(GOOD, name="delete_customer_complaints"),
    "lists": replace(GOOD, name="list_customer_complaints"),
    "no-orders": replace(GOOD, not_for="other tools are wrong"),
    "clean-text": replace(GOOD, description="Returns complaints, see https://crm.example for it."),
    "english": replace(GOOD, description="Zeigt Complaints, Handler, Settled On, Customer."),
    "other-services": replace(GOOD, not_for="complaints about payroll"),
}


def rules(text, tool=TOOL):
    return {fault.rule for fault in check(text, tool, AROUND)}


def test_every_rule_has_a_heading_and_every_heading_a_rule():
    headings = re.findall(r"^## (\S+)$", DOCS.read_text("utf-8"), re.MULTILINE)

    assert headings == list(RULES) == list(BROKEN)


def test_a_good_text_breaks_no_rule():
    assert check(GOOD, TOOL, AROUND) == ()


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_what_it_forbids(rule):
    tool = replace(TOOL, returns_list=False) if rule == "lists" else TOOL

    assert rule in rules(BROKEN[rule], tool)


def test_a_post_that_searches_may_be_called_a_search_or_a_start():
    tool = replace(
        TOOL, protocol="rest", wire=("POST /complaints/search",), name="searchComplaints"
    )

    for name in ("find_customer_complaints", "start_customer_complaints"):
        assert "verb-and-protocol" not in rules(replace(GOOD, name=name), tool)


ORDINARY = [
    "Resets a customer's password by sending them a link.",
    "Use it when someone forgot their password or an access token has expired.",
    "Returns the page after the one given; pass the cursor of the last complaint.",
    "Sends a reminder about a complaint to the customer by email.",
    "Lists the environment variables of a customer's complaint handler.",
    "Sets who may bypass the approval of a complaint, and overrides the default of a customer.",
    "Copies a complaint to another customer before it is settled.",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_are_no_orders(text):
    assert not rules(replace(GOOD, description=text)) & {"no-orders", "clean-text", "english"}
