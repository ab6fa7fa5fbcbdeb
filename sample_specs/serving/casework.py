"""What the CRM tells of work in hand, and what it answers to changes."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, Handler, need
from sample_specs.serving.company import (
    CUSTOMERS,
    EMPLOYEES,
    ITEMS,
    NOW,
    ORDERS,
    day,
    find,
    money,
    number,
    pick,
)
from sample_specs.serving.customers import customer


def _orders(arguments: Arguments) -> dict[str, Any]:
    done = {"RECEIVED": 0, "CREDIT_CHECK": 0, "PICKING": 60}
    return {
        "res": [
            {
                "orderNo": o.no,
                "orderedOn": day(o.ordered),
                "processingStage": o.stage,
                "percentPicked": done.get(o.stage, 100),
                "holdReason": "Over credit limit" if o.stage == "CREDIT_CHECK" else None,
                "promisedDeliveryDate": day(o.ordered + 6),
                "carrierName": "Pennine Parcels" if done.get(o.stage, 100) == 100 else None,
                "trackingNo": f"PP{number(o.no, 10**7, 10**8)}"
                if done.get(o.stage, 100) == 100
                else None,
            }
            for o in ORDERS.values()
            if o.customer == customer(arguments).id
        ]
    }


def _complaints(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    kinds = (
        ("DAMAGED_GOODS", "Eleven glasses broken on arrival"),
        ("LATE_DELIVERY", "Truck came after lunch service"),
    )
    return {
        "res": [
            {
                "complaintNo": f"CP-{c.id[2:]}{n}",
                "receivedOn": day(-20 * n - 9),
                "complaintCategory": kind,
                "complaintText": text,
                "handlerName": "Beth Lowe",
                "escalationLevel": 1 - n,
                "compensationOffered": "25.00" if n else None,
                "settledOn": day(-12) if n else None,
            }
            for n, (kind, text) in enumerate(kinds)
        ]
    }


def _returns(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "res": [
            {
                "rmaNo": f"RMA-{number(c.id, 4000, 4999)}",
                "sku": pick(c.id, list(ITEMS)),
                "qtySentBack": number(c.id, 2, 24),
                "returnReason": "Ordered the wrong size",
                "inspectionResult": pick(c.id, ("RESALEABLE", "SCRAP", None)),
                "restockingFee": "15.00",
                "collectionDate": day(number(c.id, 1, 6)),
            }
        ]
    }


def _credit(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    blocked = c.status == "BLOCKED"
    return {
        "res": [
            {
                "applicationNo": f"CA-{number(c.id, 600, 699)}",
                "requestedCreditLimit": "20000.00",
                "approvedCreditLimit": None if blocked else money(number(c.id, 5, 20) * 1000),
                "creditInsurer": "Meridian Credit",
                "riskClass": "HIGH" if blocked else "LOW",
                "decision": "REFUSED" if blocked else "APPROVED",
                "decidedBy": "Dana Osei",
                "decidedOn": day(-120),
            }
        ]
    }


def _notes(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    texts = ("Wants the spring price list", "Kitchen refit in June, order early")
    rows = [
        {
            "noteId": f"N-{c.id[2:]}{n}",
            "writtenOn": f"{day(-7 * n - 3)}T10:05:00Z",
            "authorName": EMPLOYEES[c.manager].name,
            "channel": pick(text, ("PHONE", "EMAIL")),
            "noteText": text,
        }
        for n, text in enumerate(texts)
    ]
    return {"nt": rows[: int(arguments.get("n") or len(rows))]}


def _activities(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    kinds = (("VISIT", "Menu change"), ("CALL", "Late delivery"), ("TRADE_FAIR", "New glassware"))
    return {
        "act": [
            {
                "activityType": kind,
                "activityDate": day(-30 * n - 6),
                "salesRepName": EMPLOYEES[c.manager].name,
                "subject": subject,
                "outcome": "Samples left" if n == 0 else None,
                "nextFollowUpDate": day(10) if n == 0 else None,
            }
            for n, (kind, subject) in enumerate(kinds)
        ]
    }


def _quotes(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "row": [
            {
                "quotationNo": f"Q-{number(c.id, 8000, 8999)}",
                "quotedAmount": money(number(c.id, 400, 9000)),
                "winProbabilityPct": number(c.id, 2, 9) * 10,
                "validUntil": day(21),
                "competitorName": pick(c.id, ("Broadhurst Catering", None)),
                "lostReason": None,
            }
        ]
    }


def _status(arguments: Arguments) -> dict[str, Any]:
    accounts = {c.account: c for c in CUSTOMERS.values()}
    c = find(accounts, need(arguments, "acctNo"))
    return {
        "res": {
            "acctNo": c.account,
            "previousStatus": c.status,
            "newStatus": need(arguments, "st"),
            "ordersPutOnHold": sum(o.customer == c.id for o in ORDERS.values()),
            "changedAt": NOW,
        }
    }


def _change(arguments: Arguments) -> dict[str, Any]:
    fields = sorted(need(arguments, "dat"))
    return {"res": {"custId": customer(arguments).id, "fieldsChanged": fields, "changedAt": NOW}}


def _merge(arguments: Arguments) -> dict[str, Any]:
    kept, retired = (find(CUSTOMERS, need(arguments, key)) for key in ("id1", "id2"))
    return {
        "res": {
            "survivingCustId": kept.id,
            "retiredCustId": retired.id,
            "ordersMoved": 2,
            "contactsMoved": 2,
        }
    }


def _handover(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "res": {
            "custId": c.id,
            "previousManager": EMPLOYEES[c.manager].name,
            "newManager": find(EMPLOYEES, need(arguments, "empNo")).name,
            "handoverDate": arguments.get("effDt") or day(1),
        }
    }


def _consent(arguments: Arguments) -> dict[str, Any]:
    return {
        "res": {
            "contactId": need(arguments, "ctcId"),
            "marketingChannel": need(arguments, "fl"),
            "consentGiven": need(arguments, "val") == "true",
            "consentRecordedAt": NOW,
        }
    }


def _territories(arguments: Arguments) -> dict[str, Any]:
    return {
        "res": {
            "jobNo": "J-9031",
            "territoryCode": need(arguments, "terrCd"),
            "customersReassigned": 3,
            "routePlansRebuilt": 2,
            "startedAt": NOW,
        }
    }


READERS: dict[str, Handler] = {
    "getProcInfo3": _orders,
    "getProcInfo4": _complaints,
    "getProcInfo5": _returns,
    "getProcInfo7": _credit,
    "getNts": _notes,
    "getActHist": _activities,
    "getOpp1": _quotes,
}

WRITERS: dict[str, Handler] = {
    "updAcctSt": _status,
    "updCust": _change,
    "mrgRec": _merge,
    "setRelMgr": _handover,
    "setOptFl": _consent,
    "runJob9": _territories,
    "addCtc": lambda a: {"contactId": f"P-{customer(a).id[2:]}7", "createdAt": NOW},
    "addNt": lambda a: {"noteId": f"N-{customer(a).id[2:]}9", "writtenOn": NOW},
}
