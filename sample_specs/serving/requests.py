"""What HR answers when it is told to do something. It says so and changes nothing."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, Handler, need
from sample_specs.serving.company import EMPLOYEES, NOW, day, find, money, number
from sample_specs.serving.people import employee

Json = dict[str, Any]


def _request_leave(arguments: Arguments) -> Json:
    e = employee(arguments)
    kinds = {"A": "ANNUAL", "P": "PARENTAL", "U": "UNPAID"}
    return {
        "leaveRequestNo": "LR-3019",
        "leaveType": find(kinds, need(arguments, "typ")),
        "firstDayOff": need(arguments, "fr"),
        "lastDayOff": need(arguments, "to"),
        "approvalStatus": "PENDING",
        "approver": EMPLOYEES[e.boss or e.no].name,
    }


def _decide(arguments: Arguments) -> Json:
    decision = {"Y": "APPROVED", "N": "DECLINED"}
    return {
        "leaveRequestNo": need(arguments, "reqNo"),
        "leaveDecision": find(decision, need(arguments, "dec")),
        "decidedBy": need(arguments, "usr"),
        "decidedAt": NOW,
    }


def _clock(arguments: Arguments) -> Json:
    e = employee(arguments)
    return {
        "empNo": e.no,
        "clockingType": find({"I": "CLOCK_IN", "O": "CLOCK_OUT"}, need(arguments, "dir")),
        "clockedAt": NOW,
        "minutesWorkedToday": number(e.no, 0, 480),
    }


def _withdraw(arguments: Arguments) -> Json:
    return {
        "leaveRequestNo": need(arguments, "reqNo"),
        "leaveRequestWithdrawn": True,
        "daysReturned": 5,
    }


def _submit(arguments: Arguments) -> Json:
    e = employee(arguments)
    return {
        "clmNo": "CL-884",
        "claimant": e.name,
        "expenseCategory": need(arguments, "cat"),
        "claimedAmount": money(float(need(arguments, "amt"))),
        "reimbursementExpectedOn": day(14),
    }


WRITERS: dict[str, Handler] = {
    "doAct4": _request_leave,
    "doAct5": _decide,
    "doAct6": _clock,
    "doAct7": _withdraw,
    "doAct9": _submit,
}
