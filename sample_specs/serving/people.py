"""What HR answers. Only here do its field names say what `x17` and the others are about."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, BadArgument, Handler, need
from sample_specs.serving.company import (
    EMPLOYEES,
    Employee,
    day,
    find,
    money,
    number,
    pick,
)

Json = dict[str, Any]
_PAGE = 5
_CLAIMS = {
    "CL-881": ("E-202", "Train to Rotterdam", 118.40, "SUBMITTED"),
    "CL-882": ("E-202", "Client dinner", 64.00, "PAID"),
    "CL-883": ("E-203", "Mileage, March", 201.15, "APPROVED"),
}


def employee(arguments: Arguments) -> Employee:
    return find(EMPLOYEES, need(arguments, "empNo"))


def _year(arguments: Arguments) -> int:
    try:
        return int(need(arguments, "yr"))
    except ValueError:
        raise BadArgument("yr is a number") from None


def _leave(arguments: Arguments) -> Json:
    e, year = employee(arguments), _year(arguments)
    taken, booked = number(f"{e.no}{year}", 3, 14), number(e.no, 0, 6)
    return {
        "empNo": e.no,
        "leaveYear": year,
        "annualLeaveEntitlementDays": 28,
        "daysCarriedOver": number(e.no, 0, 5),
        "leaveDaysTaken": taken,
        "leaveDaysBooked": booked,
        "leaveDaysRemaining": 28 - taken - booked,
    }


def _sickness(arguments: Arguments) -> Json:
    e, year = employee(arguments), _year(arguments)
    spell = {"firstDay": f"{year}-02-03", "lastDay": f"{year}-02-06", "doctorsNoteReceived": True}
    spells = [spell] if number(e.no, 0, 2) else []
    return {"empNo": e.no, "sickDaysTotal": 4 * len(spells), "sicknessAbsences": spells}


def _profile(arguments: Arguments) -> Json:
    e = employee(arguments)
    return {
        "empNo": e.no,
        "fullName": e.name,
        "jobTitle": e.title,
        "department": e.department,
        "officeLocation": e.site,
        "workEmail": e.email,
        "deskPhone": f"ext. {number(e.no, 200, 899)}",
        "employedSince": e.started,
    }


def _pay(arguments: Arguments) -> Json:
    e = employee(arguments)
    return {
        "empNo": e.no,
        "payGrade": f"G{number(e.no, 3, 9)}",
        "grossMonthlySalary": money(number(e.no, 2100, 5600)),
        "currency": "EUR" if e.site == "RTM" else "GBP",
        "bonusTargetPct": number(e.no, 0, 15),
        "lastPayRise": day(-number(e.no, 30, 500)),
    }


def _reporting(arguments: Arguments) -> Json:
    e = employee(arguments)
    boss = EMPLOYEES.get(e.boss or "")
    return {
        "empNo": e.no,
        "lineManager": {"empNo": boss.no, "fullName": boss.name} if boss else None,
        "directReports": [
            {"empNo": r.no, "fullName": r.name} for r in EMPLOYEES.values() if r.boss == e.no
        ],
    }


def _emergency(arguments: Arguments) -> Json:
    e = employee(arguments)
    contact = {
        "contactName": pick(e.no, ("Alex", "Robin", "Kim")) + " " + e.name.split()[-1],
        "relationship": pick(e.no, ("spouse", "parent", "sibling")),
        "homePhone": f"+44 7700 900{number(e.no, 100, 999)}",
    }
    return {"empNo": e.no, "emergencyContacts": [contact]}


def _contract(arguments: Arguments) -> Json:
    e = employee(arguments)
    new = e.started > "2024-10-01"
    return {
        "empNo": e.no,
        "contractType": "FIXED_TERM" if new else "PERMANENT",
        "weeklyHours": pick(e.no, (37.5, 37.5, 24)),
        "contractEndDate": "2025-11-03" if new else None,
        "probationEndDate": "2025-05-03" if new else None,
        "noticePeriodWeeks": 1 if new else number(e.no, 4, 12),
    }


def _staff(arguments: Arguments) -> Json:
    department = arguments.get("dept")
    rows = [
        {"empNo": e.no, "fullName": e.name, "jobTitle": e.title, "department": e.department}
        for e in EMPLOYEES.values()
        if department in (None, "", e.department)
    ]
    page = max(int(arguments.get("pg") or 1), 1)
    return {"employees": rows[(page - 1) * _PAGE : page * _PAGE], "totalEmployees": len(rows)}


def _vacancies(arguments: Arguments) -> Json:
    rows = [
        {
            "vacancyNo": f"V-{n}",
            "jobTitle": title,
            "department": department,
            "applicationsReceived": number(title, 0, 40),
            "closingDate": day(20),
            "hiringManager": "Helen Marsh",
        }
        for n, (title, department) in enumerate((("Driver", "WHSE"), ("Bookkeeper", "ACCT")), 61)
        if arguments.get("dept") in (None, "", department)
    ]
    return {"openVacancies": rows}


def _rota(arguments: Arguments) -> Json:
    site = need(arguments, "site")
    people = [e for e in EMPLOYEES.values() if e.site == site]
    shifts = (("EARLY", "06:00", "14:00"), ("LATE", "14:00", "22:00"))
    return {
        "site": site,
        "workDate": arguments.get("dt") or day(0),
        "shifts": [
            {
                "shiftName": name,
                "startTime": start,
                "endTime": end,
                "onDuty": [{"empNo": e.no, "fullName": e.name} for e in people[n::2]],
            }
            for n, (name, start, end) in enumerate(shifts)
        ],
    }


def _anniversaries(arguments: Arguments) -> Json:
    month = int(arguments.get("mth") or 1)
    born = {e.no: number(e.name, 1, 12) for e in EMPLOYEES.values()}
    jubilees = [e for e in EMPLOYEES.values() if int(e.started[5:7]) == month]
    return {
        "birthdays": [
            {"fullName": e.name, "dayOfMonth": number(e.name, 1, 28)}
            for e in EMPLOYEES.values()
            if born[e.no] == month
        ],
        "workAnniversaries": [
            {"fullName": e.name, "yearsOfService": 2025 - int(e.started[:4])} for e in jubilees
        ],
    }


def _certificates(arguments: Arguments) -> Json:
    e = employee(arguments)
    names = ("Forklift licence", "First aid", "Food hygiene level 2")
    return {
        "empNo": e.no,
        "certificates": [
            {
                "certificateName": name,
                "issuedOn": day(-number(e.no + name, 100, 700)),
                "validUntil": day(number(e.no + name, -30, 600)),
            }
            for name in names[: number(e.no, 1, 3)]
        ],
    }


def _courses(arguments: Arguments) -> Json:
    wanted = str(arguments.get("kw") or "").lower()
    names = ("Excel for beginners", "Forklift refresher", "Handling difficult calls")
    return {
        "trainingCourses": [
            {
                "courseCode": f"T{n}",
                "courseTitle": name,
                "startsOn": day(9 * n),
                "freePlaces": n % 3,
            }
            for n, name in enumerate(names, 1)
            if wanted in name.lower()
        ]
    }


def _payslips(arguments: Arguments) -> Json:
    e, year = employee(arguments), _year(arguments)
    slips = [
        {
            "psId": f"PS-{e.no[2:]}-{month:02}",
            "payDate": f"{year}-{month:02}-28",
            "netPay": money(number(e.no, 1700, 4100)),
        }
        for month in range(1, 4)
    ]
    return {"empNo": e.no, "payslips": slips}


def _payslip(arguments: Arguments) -> Json:
    slip = str(need(arguments, "psId"))
    owners = {f"PS-{no[2:]}-{month:02}": no for no in EMPLOYEES for month in range(1, 4)}
    e = EMPLOYEES[find(owners, slip)]
    gross, net = number(e.no, 2100, 5600), number(e.no, 1700, 4100)
    return {
        "psId": slip,
        "empNo": e.no,
        "grossPay": money(gross),
        "overtimePay": money(number(slip, 0, 120)),
        "deductions": [
            {"label": "Income tax", "amount": money((gross - net) * 0.6)},
            {"label": "National insurance", "amount": money((gross - net) * 0.4)},
        ],
        "netPay": money(net),
    }


def _claims(arguments: Arguments) -> Json:
    e = employee(arguments)
    rows = [
        {"clmNo": no, "purpose": purpose, "claimedAmount": money(amount), "claimStatus": status}
        for no, (owner, purpose, amount, status) in _CLAIMS.items()
        if owner == e.no
    ]
    return {"empNo": e.no, "expenseClaims": rows}


def _claim(arguments: Arguments) -> Json:
    no = str(need(arguments, "clmNo"))
    owner, purpose, amount, status = find(_CLAIMS, no)
    return {
        "clmNo": no,
        "claimant": EMPLOYEES[owner].name,
        "purpose": purpose,
        "expenseLines": [{"category": "TRAVEL", "amount": money(amount), "receiptAttached": False}],
        "receiptsMissing": 1 if status == "SUBMITTED" else 0,
        "approvedBy": None if status == "SUBMITTED" else "Helen Marsh",
        "reimbursedOn": day(-2) if status == "PAID" else None,
    }


def _holidays(arguments: Arguments) -> Json:
    year, site = _year(arguments), need(arguments, "site")
    dutch = [("04-27", "King's Day"), ("05-05", "Liberation Day")]
    british = [("05-05", "Early May bank holiday"), ("08-25", "Summer bank holiday")]
    rows = [("01-01", "New Year's Day"), *(dutch if site == "RTM" else british)]
    days = [{"date": f"{year}-{when}", "holidayName": name} for when, name in rows]
    return {"site": site, "publicHolidays": days, "companyClosures": [f"{year}-12-24"]}


READERS: dict[str, Handler] = {
    "x17": _leave,
    "x18": _sickness,
    "emp_q1": _profile,
    "emp_q2": _pay,
    "emp_q3": _reporting,
    "emp_q4": _emergency,
    "emp_q5": _contract,
    "lst01": _staff,
    "lst02": _vacancies,
    "lst03": _rota,
    "lst04": _anniversaries,
    "t7": _certificates,
    "t8": _courses,
    "ps0": _payslips,
    "ps1": _payslip,
    "k1": _claims,
    "k2": _claim,
    "k5": _holidays,
}
