"""What the CRM knows of a customer. Keys stand in the order of the schema."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, Handler, need
from sample_specs.serving.company import (
    CUSTOMERS,
    EMPLOYEES,
    Customer,
    day,
    find,
    money,
    number,
    pick,
)

Rows = list[dict[str, Any]]
_PAGE = 4
_PEOPLE = ("Ines Novak", "Ruth Okafor", "Karl Brandt", "Beth Lowe", "Aldo Nino", "Femke Bos")


def customer(arguments: Arguments) -> Customer:
    return find(CUSTOMERS, need(arguments, "custId"))


def _header(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "cust": {
            "custId": c.id,
            "acctNo": c.account,
            "legalName": c.legal_name,
            "tradingName": c.trading_name,
            "vatNo": f"GB{number(c.id, 100000000, 999999999)}",
            "acctStatus": c.status,
        }
    }


def _addresses(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    main = {"street": c.street, "town": c.town, "postcode": c.postcode, "countryCode": c.country}
    store = {**main, "street": f"Unit {number(c.id, 2, 19)}, Station Yard"}
    rows = (("HEAD_OFFICE", main, None, None), ("GOODS_IN", store, "06:30", "10:00"))
    return {
        "custId": c.id,
        "addr": [
            {
                "addrKind": kind,
                "address": address,
                "deliveryWindowFrom": start,
                "deliveryWindowTo": end,
                "unloadingInstructions": "Ring at the side gate" if start else None,
                "tailLiftNeeded": bool(start),
            }
            for kind, address, start, end in rows
        ],
    }


def _terms(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "custId": c.id,
        "terms": {
            "priceListCode": f"{c.currency}-{pick(c.id, 'ABC')}",
            "tradeDiscountPct": str(number(c.id + "d", 0, 15)),
            "volumeBonusPct": None,
            "freeDeliveryFrom": "250.00",
            "minimumOrderValue": "75.00",
            "agreementValidUntil": day(260),
        },
    }


def _found(arguments: Arguments) -> dict[str, Any]:
    wanted = str(arguments.get("srch") or "").lower()
    rows = [
        {
            "custId": c.id,
            "legalName": c.legal_name,
            "town": c.town,
            "postcode": c.postcode,
            "acctStatus": c.status,
        }
        for c in CUSTOMERS.values()
        if wanted in f"{c.legal_name} {c.trading_name} {c.town} {c.postcode}".lower()
    ]
    return _paged(rows, arguments)


def _asleep(arguments: Arguments) -> dict[str, Any]:
    territory = need(arguments, "terrCd")
    rows = [
        {
            "custId": c.id,
            "legalName": c.legal_name,
            "lastOrderDate": day(-number(c.id, 60, 300)),
            "daysWithoutOrder": number(c.id, 60, 300),
            "turnoverPreviousYear": money(number(c.id, 800, 40000)),
        }
        for c in CUSTOMERS.values()
        if c.territory == territory
    ]
    return _paged(rows, arguments)


def _paged(rows: Rows, arguments: Arguments) -> dict[str, Any]:
    first = (max(int(arguments.get("pg") or 1), 1) - 1) * _PAGE
    return {"row": rows[first : first + _PAGE], "more": len(rows) > first + _PAGE}


def _manager(arguments: Arguments) -> dict[str, Any]:
    e = EMPLOYEES[customer(arguments).manager]
    return {
        "res": {
            "managerName": e.name,
            "managerEmpNo": e.no,
            "managerPhone": f"+44 113 496 0{number(e.no, 100, 999)}",
            "managerEmail": e.email,
            "deputyName": "Owen Pryce" if e.no != "E-203" else None,
            "responsibleSince": e.started,
        }
    }


def _contacts(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    roles = (("Head chef", "DECIDES"), ("Accounts payable", "PAYS"))
    return {
        "pers": [
            {
                "contactId": f"P-{c.id[2:]}{n}",
                "personName": pick(c.id + job, _PEOPLE),
                "jobTitle": job,
                "directPhone": None if n else f"+44 113 496 1{number(c.id, 100, 999)}",
                "email": f"{job.split()[0].lower()}@{c.domain}",
                "buyingRole": role,
                "preferredLanguage": "nl" if c.country == "NL" else "en",
            }
            for n, (job, role) in enumerate(roles)
        ]
    }


def _segment(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "res": {
            "abcClass": pick(c.id, "ABC"),
            "loyaltyTier": pick(c.id + "t", ("GOLD", "SILVER", "NONE")),
            "industryName": pick(c.id, ("Restaurants", "Caterers", "Schools")),
            "numberOfOutlets": number(c.id, 1, 12),
            "annualTurnover": money(number(c.id, 4000, 90000)),
            "churnRisk": pick(c.id, ("LOW", "MEDIUM", "HIGH")),
        }
    }


def _campaigns(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "row": [
            {
                "campaignName": name,
                "mailingSentOn": day(-number(name, 10, 90)),
                "opened": bool(number(c.id + name, 0, 1)),
                "voucherCode": "SPRING10" if n else None,
                "voucherRedeemed": False,
            }
            for n, name in enumerate(("Winter clearance", "Spring table"))
        ]
    }


def _surveys(arguments: Arguments) -> dict[str, Any]:
    c = customer(arguments)
    return {
        "row": [
            {
                "surveyDate": day(-45),
                "npsScore": number(c.id, 3, 10),
                "deliveryRating": number(c.id + "r", 2, 5),
                "customerComment": pick(
                    c.id, ("Drivers are friendly", "Phone queue too long", None)
                ),
            }
        ]
    }


def _duplicates(arguments: Arguments) -> dict[str, Any]:
    wanted = str(need(arguments, "nm")).lower()
    return {
        "cand": [
            {
                "custId": c.id,
                "legalName": c.legal_name,
                "postcode": c.postcode,
                "matchScore": "0.92",
            }
            for c in CUSTOMERS.values()
            if wanted[:4] in c.legal_name.lower()
        ]
    }


READERS: dict[str, Handler] = {
    "getCust": _header,
    "getCust2": _addresses,
    "getCustX": _terms,
    "getCustLst": _found,
    "getCustLst2": _asleep,
    "getRelMgr": _manager,
    "getCtc": _contacts,
    "getSegInf": _segment,
    "getCmpgn": _campaigns,
    "getStat4": _surveys,
    "chkDup": _duplicates,
}
