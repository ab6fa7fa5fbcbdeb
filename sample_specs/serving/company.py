"""The people, customers, goods and papers that all four services agree on. Nothing changes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from sample_specs.serving.calls import UnknownId

TODAY = date(2025, 4, 15)
NOW = "2025-04-15T09:30:00Z"
T = TypeVar("T")


def number(seed: str, low: int, high: int) -> int:
    """A number from low to high that is always the same for the same seed."""
    return low + zlib.crc32(seed.encode()) % (high - low + 1)


def pick(seed: str, options: Sequence[T]) -> T:
    return options[number(seed, 0, len(options) - 1)]


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


def money(value: float | Decimal) -> str:
    return f"{value:.2f}"


def find(things: dict[str, T], key: object) -> T:
    try:
        return things[str(key)]
    except KeyError:
        raise UnknownId(f"{key} is not known") from None


@dataclass(frozen=True)
class Customer:
    id: str
    account: str
    legal_name: str
    trading_name: str | None
    street: str
    town: str
    postcode: str
    country: str
    territory: str
    manager: str  # an employee number
    status: str = "ACTIVE"
    currency: str = "GBP"

    @property
    def domain(self) -> str:
        return (self.trading_name or self.legal_name).split()[-2].lower() + ".example"


@dataclass(frozen=True)
class Employee:
    no: str
    name: str
    title: str
    department: str
    site: str
    boss: str | None
    started: str

    @property
    def email(self) -> str:
        return self.name.lower().replace(" ", ".") + "@tarnbrook.example"


@dataclass(frozen=True)
class Item:
    sku: str
    text: str
    ean: str
    price: float
    supplier: str
    hazardous: bool = False
    best_before: bool = False


@dataclass(frozen=True)
class Order:
    no: str
    customer: str
    ordered: int  # days from today
    stage: str
    lines: tuple[tuple[str, int], ...]

    @property
    def total(self) -> float:
        return sum(ITEMS[sku].price * quantity for sku, quantity in self.lines)


@dataclass(frozen=True)
class Invoice:
    id: str
    customer: str
    order: str
    status: str
    issued: int | None  # days from today; a draft has none
    paid: float = 0.0
    purchase_order: str | None = None

    @property
    def net(self) -> float:
        return ORDERS[self.order].total

    @property
    def total(self) -> float:
        return round(self.net * 1.2, 2)

    @property
    def due(self) -> float:
        return 0.0 if self.status in ("draft", "void", "credited") else self.total - self.paid


# fmt: off
# Tables: a row a line reads better than a field a line.
CUSTOMERS = {
    c.id: c
    for c in (
        Customer("C-1001", "5001001", "Bluebell Tearooms Ltd", "Bluebell Tearooms", "4 Park Row",
                 "Leeds", "LS1 5HD", "GB", "N1", "E-201"),
        Customer("C-1003", "5001003", "Hartley & Sons Catering Ltd", None, "22 Mill Lane",
                 "Harrogate", "HG1 2RQ", "GB", "N1", "E-201"),
        Customer("C-1004", "5001004", "Marlowe Hospitality Ltd", "The Copper Pot", "9 Quay Street",
                 "Bristol", "BS1 4UD", "GB", "S2", "E-203"),
        Customer("C-1005", "5001005", "Oakfield School Kitchens CIC", None, "1 Oakfield Road",
                 "York", "YO1 7HH", "GB", "N2", "E-201"),
        Customer("C-1006", "5001006", "Da Nino Ristorante Ltd", "Ristorante Nino", "31 High Street",
                 "Bath", "BA1 5AQ", "GB", "S2", "E-203", status="BLOCKED"),
        Customer("C-1007", "5001007", "Grachtenhuis Horeca BV", "Grachtenhuis Eten", "Singel 88",
                 "Amsterdam", "1015 AD", "NL", "NL1", "E-207", currency="EUR"),
    )
}

EMPLOYEES = {
    e.no: e
    for e in (
        Employee("E-200", "Helen Marsh", "Managing Director", "MGMT", "LDS", None, "2009-02-02"),
        Employee("E-201", "Priya Nair", "Account Manager", "SALES", "LDS", "E-200", "2016-05-09"),
        Employee("E-202", "Dan Whitlock", "Buyer", "PURCH", "LDS", "E-200", "2018-09-03"),
        Employee("E-203", "Owen Pryce", "Sales Rep", "SALES", "BRS", "E-201", "2020-01-13"),
        Employee("E-204", "Marta Zielinska", "Picker", "WHSE", "LDS", "E-205", "2021-05-17"),
        Employee("E-205", "Tom Ashworth", "Warehouse Lead", "WHSE", "LDS", "E-200", "2015-04-20"),
        Employee("E-207", "Joris de Wit", "Driver", "WHSE", "RTM", "E-205", "2024-11-04"),
        Employee("E-209", "Dana Osei", "Bookkeeper", "ACCT", "LDS", "E-200", "2019-04-01"),
    )
}

ITEMS = {
    i.sku: i
    for i in (
        Item("TB-4410", "Wine glass 35 cl", "5012345678900", 1.85, "Glasfabriek Maas"),
        Item("TB-4415", "Tumbler 30 cl, stackable", "5012345678917", 1.20, "Glasfabriek Maas"),
        Item("TB-5120", "Paper napkins, 2-ply, white", "5012345678924", 0.04, "Penrose Paper"),
        Item("TB-6001", "Olive oil 5 l", "5012345678931", 31.50, "Aceites Loma", best_before=True),
        Item("TB-7300", "Oven cleaner", "5012345678948", 4.10, "Kelso Hygiene", hazardous=True),
        Item("TB-8802", "Pepper mill, beech, 18 cm", "5012345678955", 12.40, "Dale Woodware"),
    )
}

WAREHOUSES = {
    "LDS": ("Leeds depot", "Leeds", "GB", False),
    "BRS": ("Bristol depot", "Bristol", "GB", False),
    "RTM": ("Rotterdam cold store", "Rotterdam", "NL", True),
}

ORDERS = {
    o.no: o
    for o in (
        Order("SO-70003", "C-1003", -96, "DELIVERED", (("TB-4410", 240), ("TB-8802", 6))),
        Order("SO-70005", "C-1004", -81, "DELIVERED", (("TB-6001", 24),)),
        Order("SO-70006", "C-1006", -75, "DELIVERED", (("TB-5120", 4000), ("TB-4415", 48))),
        Order("SO-70009", "C-1005", -40, "DELIVERED", (("TB-7300", 36), ("TB-5120", 9000))),
        Order("SO-70010", "C-1007", -33, "DELIVERED", (("TB-4410", 600),)),
        Order("SO-70012", "C-1003", -5, "PICKING", (("TB-4415", 96), ("TB-6001", 4))),
        Order("SO-70013", "C-1001", -4, "CREDIT_CHECK", (("TB-8802", 12),)),
        Order("SO-70014", "C-1004", -2, "DISPATCHED", (("TB-4410", 144), ("TB-7300", 12))),
        Order("SO-70015", "C-1007", -1, "RECEIVED", (("TB-4410", 480), ("TB-5120", 2000))),
    )
}

INVOICES = {
    i.id: i
    for i in (
        Invoice("INV-24-0311", "C-1003", "SO-70003", "paid", -90, 622.08, "4500-118"),
        Invoice("INV-24-0312", "C-1004", "SO-70005", "part_paid", -78, 400.00),
        Invoice("INV-24-0315", "C-1006", "SO-70006", "issued", -70),
        Invoice("INV-24-0317", "C-1005", "SO-70009", "issued", -35, purchase_order="OSK-77"),
        Invoice("INV-24-0318", "C-1007", "SO-70010", "paid", -30, 1332.00),
        Invoice("INV-24-0321", "C-1004", "SO-70014", "issued", -1),
        Invoice("INV-24-0322", "C-1001", "SO-70013", "draft", None),
    )
}
# fmt: on
