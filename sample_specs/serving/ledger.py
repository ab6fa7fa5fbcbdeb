"""What billing answers when it is read."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, BadArgument, Handler, need
from sample_specs.serving.company import (
    CUSTOMERS,
    INVOICES,
    ITEMS,
    NOW,
    ORDERS,
    Customer,
    Invoice,
    day,
    find,
    money,
    number,
)
from sample_specs.serving.replies import Document, pdf

Json = dict[str, Any]
PAYMENTS: dict[str, Json] = {
    row[0]: {
        "payment_id": row[0],
        "customer_id": row[1],
        "method": row[2],
        "amount": money(row[3]),
        "received_on": day(row[4]),
        "reference": row[5],
        "unallocated": money(0 if row[5] else row[3]),
        "allocations": [{"invoice_id": row[5], "amount": money(row[3])}] if row[5] else [],
    }
    for row in (
        ("PAY-9001", "C-1003", "bank_transfer", 622.08, -70, "INV-24-0311"),
        ("PAY-9002", "C-1004", "card", 400.00, -50, "INV-24-0312"),
        ("PAY-9003", "C-1003", "bank_transfer", 622.08, -69, None),
        ("PAY-9004", "C-1007", "bank_transfer", 1332.00, -12, "INV-24-0318"),
        ("PAY-9005", "C-1006", "cheque", 150.00, -3, None),
    )
}


def customer_of(arguments: Arguments) -> Customer:
    return find(CUSTOMERS, need(arguments, "customer_id"))


def invoice_of(arguments: Arguments) -> Invoice:
    return find(INVOICES, need(arguments, "invoice_id"))


def basic(c: Customer) -> Json:
    return {
        "customer_id": c.id,
        "name": c.legal_name,
        "billing_email": f"accounts@{c.domain}",
        "currency": c.currency,
        "payment_terms_days": 14 if c.status == "BLOCKED" else 30,
    }


def _full(arguments: Arguments) -> Json:
    c = customer_of(arguments)
    address = {"street": c.street, "town": c.town, "postcode": c.postcode, "country": c.country}
    mandate = {"mandate_ref": f"M-{c.id}", "signed_on": day(-400), "iban_last4": "4417"}
    return {
        **basic(c),
        "tax_id": f"GB{number(c.id, 100000000, 999999999)}",
        "billing_address": address,
        "direct_debit_mandate": mandate if c.status == "ACTIVE" else None,
        "e_invoicing_address": f"0088:{c.account}" if c.country == "NL" else None,
        "dunning_level": 2 if c.status == "BLOCKED" else 0,
        "dunning_hold_until": None,
    }


def _with_orders(arguments: Arguments) -> Json:
    c = customer_of(arguments)
    since = str(arguments.get("since") or "")
    orders = [o for o in ORDERS.values() if o.customer == c.id and day(o.ordered) >= since]
    billed = {i.order: i for i in INVOICES.values() if i.status != "draft"}
    return {
        **basic(c),
        "orders": [
            {
                "order_no": o.no,
                "ordered_on": day(o.ordered),
                "order_total": money(o.total),
                "invoiced_total": money(o.total if o.no in billed else 0),
                "invoice_ids": [billed[o.no].id] if o.no in billed else [],
            }
            for o in orders
        ],
    }


def _balance(arguments: Arguments) -> Json:
    c = customer_of(arguments)
    open_ones = [i for i in INVOICES.values() if i.customer == c.id]
    return {
        "customer_id": c.id,
        "amount_owed": money(sum(i.due for i in open_ones)),
        "overdue": money(sum(i.due for i in open_ones if (i.issued or 0) < -30)),
        "unallocated_credit": money(
            sum(float(p["unallocated"]) for p in PAYMENTS.values() if p["customer_id"] == c.id)
        ),
        "as_of": NOW,
    }


def _statement(arguments: Arguments) -> Document:
    c = customer_of(arguments)
    rows = [
        {
            "booked_on": day(i.issued or 0),
            "document_no": i.id,
            "debit": money(i.total),
            "credit": money(i.paid),
            "running_total": money(i.due),
        }
        for i in INVOICES.values()
        if i.customer == c.id and i.status != "draft"
    ]
    closing = rows[-1]["running_total"] if rows else "0.00"
    table = "booked_on,document_no,debit,credit\n" + "".join(
        f"{r['booked_on']},{r['document_no']},{r['debit']},{r['credit']}\n" for r in rows
    )
    totals = {"opening_balance": "0.00", "bookings": rows, "closing_balance": closing}
    whole = {"customer_id": c.id, **totals}
    pages = pdf(f"Statement {c.id}")
    return Document({"application/json": whole, "application/pdf": pages, "text/csv": table})


def summary(i: Invoice) -> Json:
    return {
        "invoice_id": i.id,
        "customer_id": i.customer,
        "status": i.status,
        "issued_on": None if i.issued is None else day(i.issued),
        "due_on": None if i.issued is None else day(i.issued + 30),
        "total": money(i.total),
        "amount_due": money(i.due),
        "currency": CUSTOMERS[i.customer].currency,
    }


def whole_invoice(i: Invoice) -> Json:
    lines = [
        {
            "line_no": n,
            "sku": sku,
            "text": ITEMS[sku].text,
            "quantity": quantity,
            "unit_price": money(ITEMS[sku].price),
            "tax_pct": 20,
        }
        for n, (sku, quantity) in enumerate(ORDERS[i.order].lines, 1)
    ]
    return {
        **summary(i),
        "purchase_order_no": i.purchase_order,
        "order_no": i.order,
        "lines": lines,
        "net": money(i.net),
        "tax": money(i.total - i.net),
    }


def _page(rows: list[Json], arguments: Arguments) -> Json:
    try:
        first, limit = int(arguments.get("cursor") or 0), int(arguments.get("limit") or 50)
    except ValueError:
        raise BadArgument("limit and cursor are numbers") from None
    last = first + limit
    return {"items": rows[first:last], "next_cursor": str(last) if last < len(rows) else None}


def _customers(arguments: Arguments) -> Json:
    wanted = str(arguments.get("q") or "").lower()
    rows = [basic(c) for c in CUSTOMERS.values() if wanted in c.legal_name.lower()]
    return _page(rows, arguments)


def _invoices(arguments: Arguments) -> Json:
    return _page(_chosen(arguments), arguments)


def _chosen(arguments: Arguments) -> list[Json]:
    rows = [summary(i) for i in reversed(INVOICES.values())]
    for key in ("customer_id", "status"):
        rows = [r for r in rows if not arguments.get(key) or r[key] == arguments[key]]
    return rows


def _open_invoices(arguments: Arguments) -> Json:
    late = int(arguments.get("overdue_days_min") or 0)
    rows = [r for r in _chosen(arguments) if float(r["amount_due"]) > 0]
    if late:
        rows = [r for r in rows if r["due_on"] <= day(-late)]
    return _page(sorted(rows, key=lambda r: r["due_on"]), arguments)


def _search(arguments: Arguments) -> Json:
    text = str(arguments.get("text") or "").lower()
    low, high = (float(arguments.get(f"amount_{end}") or 0) for end in ("min", "max"))
    rows = [
        summary(i)
        for i in INVOICES.values()
        if text in str(whole_invoice(i)["lines"]).lower()
        and low <= i.total <= (high or i.total)
        and arguments.get("purchase_order_no") in (None, i.purchase_order)
    ]
    return _page(rows, arguments)


def _document(arguments: Arguments) -> Document:
    i = invoice_of(arguments)
    space = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    ubl = f'<?xml version="1.0"?><Invoice xmlns="{space}"><ID>{i.id}</ID></Invoice>'
    return Document({"application/pdf": pdf(i.id), "application/xml": ubl})


def _payments(arguments: Arguments) -> Json:
    rows = list(PAYMENTS.values())
    if arguments.get("customer_id"):
        rows = [r for r in rows if r["customer_id"] == arguments["customer_id"]]
    if arguments.get("unallocated") == "true":
        rows = [r for r in rows if r["unallocated"] != "0.00"]
    return _page(rows, arguments)


def _payouts(arguments: Arguments) -> Json:
    rows = [
        ("PO-71", "Glasfabriek Maas", "1200.00", "sent"),
        ("PO-72", "J. Kerr", "84.50", "returned"),
    ]
    keys = ("payout_id", "payee_name", "amount", "status", "sent_on")
    return _page([dict(zip(keys, (*row, day(-8)), strict=True)) for row in rows], arguments)


def _tax(arguments: Arguments) -> Json:
    rates = {"GB": (20, 5), "NL": (21, 9), "DE": (19, 7), "DK": (25, None)}
    standard, reduced = find(rates, need(arguments, "country"))
    country = arguments["country"]
    rows = {"standard_pct": standard, "reduced_pct": reduced, "valid_from": "2021-01-01"}
    return {"country": country, **rows}


def _ageing(arguments: Arguments) -> Json:
    rows = [_aged([i for i in INVOICES.values() if i.customer == c], c) for c in CUSTOMERS]
    as_of = arguments.get("as_of") or day(0)
    return {"as_of": as_of, "total": _aged(list(INVOICES.values()), None), "customers": rows}


def _aged(invoices: list[Invoice], customer: str | None) -> Json:
    names = ("not_due", "days_1_30", "days_31_60", "days_61_90", "over_90")
    sums = dict.fromkeys(names, 0.0)
    for i in invoices:
        late = -(i.issued or 0) - 30
        sums[names[min(max((late + 29) // 30, 0), 4)]] += i.due
    return {"customer_id": customer, **{name: money(value) for name, value in sums.items()}}


def _export(arguments: Arguments) -> Json:
    find({"EX-501": None}, need(arguments, "export_id"))
    link = "https://files.ledgerline.example/EX-501.csv"
    return {"export_id": "EX-501", "state": "done", "download_url": link}


READERS: dict[str, Handler] = {
    "list_customers": _customers,
    "get_customer": lambda a: basic(customer_of(a)),
    "get_customer_full": _full,
    "get_customer_with_orders": _with_orders,
    "get_customer_balance": _balance,
    "get_customer_statement": _statement,
    "list_invoices": _invoices,
    "search_invoices": _search,
    "list_open_invoices": _open_invoices,
    "get_invoice": lambda a: whole_invoice(invoice_of(a)),
    "download_invoice": _document,
    "list_payments": _payments,
    "get_payment": lambda a: find(PAYMENTS, need(a, "payment_id")),
    "list_payouts": _payouts,
    "get_tax_rate": _tax,
    "get_ageing_report": _ageing,
    "get_export": _export,
}
