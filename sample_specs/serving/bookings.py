"""What billing answers when it is told to do something. It says so and changes nothing."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, Handler, WrongState, need
from sample_specs.serving.company import NOW, Invoice, day, find, money
from sample_specs.serving.ledger import (
    PAYMENTS,
    basic,
    customer_of,
    invoice_of,
    summary,
    whole_invoice,
)
from sample_specs.serving.replies import Reply

Json = dict[str, Any]


def _in_state(arguments: Arguments, *allowed: str) -> Invoice:
    invoice = invoice_of(arguments)
    if invoice.status not in allowed:
        raise WrongState(f"{invoice.id} is {invoice.status}")
    return invoice


def _update_customer(arguments: Arguments) -> Json:
    changes = {k: v for k, v in arguments.items() if k in ("billing_email", "payment_terms_days")}
    return {**basic(customer_of(arguments)), **changes}


def _hold(arguments: Arguments) -> Reply:
    customer_of(arguments)
    return Reply(204)


def _create_invoice(arguments: Arguments) -> Reply:
    c = customer_of(arguments)
    given = need(arguments, "lines")
    net = sum(float(line["unit_price"]) * line["quantity"] for line in given)
    lines = [{"line_no": n, "tax_pct": 20, **line} for n, line in enumerate(given, 1)]
    head = {"invoice_id": "INV-24-0323", "customer_id": c.id, "status": "draft"}
    sums = {"net": money(net), "tax": money(net * 0.2), "total": money(net * 1.2)}
    return Reply(201, {**head, "issued_on": None, "due_on": None, "lines": lines, **sums})


def _issue(arguments: Arguments) -> Json:
    issued = {"status": "issued", "issued_on": day(0), "due_on": day(30)}
    return {**whole_invoice(_in_state(arguments, "draft")), **issued}


def _cancel(arguments: Arguments) -> Reply:
    _in_state(arguments, "draft")
    return Reply(204)


def _void(arguments: Arguments) -> Json:
    invoice = _in_state(arguments, "issued")
    need(arguments, "reason")
    return {**whole_invoice(invoice), "status": "void", "amount_due": "0.00"}


def _credit(arguments: Arguments) -> Reply:
    invoice = _in_state(arguments, "issued", "part_paid", "paid")
    note = {"credit_note_id": "CN-24-0041", "invoice_id": invoice.id}
    return Reply(201, {**note, "total": summary(invoice)["total"]})


def _mail(arguments: Arguments) -> Reply:
    invoice = invoice_of(arguments)
    to = arguments.get("to") or f"{invoice.customer.lower()}@accounts.example"
    return Reply(202, {"mailing_id": "ML-330", "to": to, "queued_at": NOW})


def _remind(arguments: Arguments) -> Reply:
    _in_state(arguments, "issued", "part_paid")
    return _mail(arguments)


def _record(arguments: Arguments) -> Reply:
    c = customer_of(arguments)
    amount = need(arguments, "amount")
    method = arguments.get("method", "bank_transfer")
    payment = {"payment_id": "PAY-9006", "customer_id": c.id, "method": method, "amount": amount}
    rest = {"received_on": day(0), "reference": None, "unallocated": amount, "allocations": []}
    return Reply(201, payment | rest)


def _allocate(arguments: Arguments) -> Json:
    payment = find(PAYMENTS, need(arguments, "payment_id"))
    return {**payment, "unallocated": "0.00", "allocations": need(arguments, "allocations")}


def _refund(arguments: Arguments) -> Reply:
    payment = find(PAYMENTS, need(arguments, "payment_id"))
    amount = arguments.get("amount") or payment["amount"]
    refund = {"refund_id": "RF-88", "payment_id": payment["payment_id"], "amount": amount}
    return Reply(201, {**refund, "expected_on": day(3)})


def _plan(arguments: Arguments) -> Reply:
    total = sum(invoice_of({"invoice_id": i}).due for i in need(arguments, "invoice_ids"))
    parts = int(need(arguments, "instalments"))
    rows = [{"due_on": day(30 * n + 15), "amount": money(total / parts)} for n in range(parts)]
    return Reply(201, {"plan_id": "PP-12", "instalments": rows})


def _payout(arguments: Arguments) -> Reply:
    need(arguments, "payee")
    payout = {"payout_id": "PO-73", "payee_name": "Glasfabriek Maas"}
    state = {"amount": need(arguments, "amount"), "status": "pending", "sent_on": None}
    return Reply(201, payout | state)


def _export(arguments: Arguments) -> Reply:
    need(arguments, "period")
    return Reply(202, {"export_id": "EX-502", "state": "running", "download_url": None})


WRITERS: dict[str, Handler] = {
    "update_customer": _update_customer,
    "set_dunning_hold": _hold,
    "create_invoice": _create_invoice,
    "issue_invoice": _issue,
    "cancel_invoice": _cancel,
    "void_invoice": _void,
    "credit_invoice": _credit,
    "send_reminder": _remind,
    "email_invoice": _mail,
    "record_payment": _record,
    "allocate_payment": _allocate,
    "refund_payment": _refund,
    "create_payment_plan": _plan,
    "create_payout": _payout,
    "export_ledger": _export,
}
