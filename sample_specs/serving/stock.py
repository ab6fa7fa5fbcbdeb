"""What the warehouse system answers, keyed by tool name. Requests come with JSON names."""

from __future__ import annotations

from typing import Any

from sample_specs.serving.calls import Arguments, BadArgument, Handler, need
from sample_specs.serving.company import (
    ITEMS,
    NOW,
    ORDERS,
    WAREHOUSES,
    Item,
    day,
    find,
    number,
    pick,
)

Json = dict[str, Any]


def _item(arguments: Arguments) -> Item:
    return find(ITEMS, need(arguments, "sku"))


def _warehouse(arguments: Arguments, key: str = "warehouseCode") -> str:
    code = str(need(arguments, key))
    find(WAREHOUSES, code)
    return code


def _on_hand(sku: str, warehouse: str) -> int:
    return number(sku + warehouse, 40, 900)


def _pieces(value: int) -> Json:
    return {"value": value, "unit": "PIECE"}


def _level(arguments: Arguments) -> Json:
    sku, code = _item(arguments).sku, _warehouse(arguments)
    there, kept = _on_hand(sku, code), number(sku, 0, 40)
    return {
        "sku": sku,
        "warehouse_code": code,
        "on_hand": _pieces(there),
        "reserved": _pieces(kept),
        "available": _pieces(there - kept),
        "counted_at": f"{day(-14)}T21:00:00Z",
    }


def _changes(arguments: Arguments) -> list[Json]:
    skus = [find(ITEMS, sku).sku for sku in arguments.get("skus") or ITEMS]
    return [_change(n, skus[n % len(skus)]) for n in range(int(arguments.get("maxChanges") or 3))]


def _change(n: int, sku: str) -> Json:
    return {
        "sku": sku,
        "warehouse_code": "LDS",
        "delta": (-12, 240, -40)[n % 3],
        "on_hand": _on_hand(sku, "LDS") + n,
        "reason": ("SALE", "RECEIPT", "TRANSFER")[n % 3],
        "changed_at": NOW,
    }


def _warehouses(arguments: Arguments) -> Json:
    page = arguments.get("page") or {}
    first = int(page.get("pageToken") or 0)
    last = first + int(page.get("pageSize") or 50)
    rows = [
        {
            "warehouse_code": code,
            "name": name,
            "city": city,
            "country": country,
            "dock_doors": number(code, 4, 12),
            "pallet_places": number(code, 10, 90) * 100,
            "chilled": chilled,
        }
        for code, (name, city, country, chilled) in WAREHOUSES.items()
    ]
    more = str(last) if last < len(rows) else ""
    return {"warehouses": rows[first:last], "next_page_token": more}


def _replenishment(arguments: Arguments) -> Json:
    item = _item(arguments)
    daily = number(item.sku, 4, 40)
    return {
        "sku": item.sku,
        "reorder_point": daily * 10,
        "safety_stock": daily * 4,
        "suggested_order_qty": daily * 30,
        "average_daily_sales": daily + 0.5,
        "days_of_cover": number(item.sku, 2, 45),
        "preferred_supplier": item.supplier,
        "supplier_lead_time_days": number(item.supplier, 3, 28),
    }


def _place(seed: str, warehouse: str) -> Json:
    aisle = number(seed, 1, 20)
    return {
        "warehouse_code": warehouse,
        "aisle": str(aisle),
        "bin": f"{aisle:02}-{number(seed, 1, 60):02}",
    }


def _lots(arguments: Arguments) -> Json:
    item = _item(arguments)
    return {
        "lots": [
            {
                "lot_no": f"L{number(item.sku + code, 1000, 9999)}",
                "best_before": f"{day(60 + 30 * n)}T00:00:00Z",
                "qty": _on_hand(item.sku, code),
                "location": _place(item.sku + code, code),
                "recalled": n == 2 and item.best_before,
            }
            for n, code in enumerate(WAREHOUSES)
        ]
    }


def _found(arguments: Arguments) -> Json:
    ean, text = arguments.get("ean"), str(arguments.get("text") or "").lower()
    number_of_supplier = arguments.get("supplierItemNo")
    rows = [
        item
        for item in ITEMS.values()
        if (ean and item.ean == ean)
        or (number_of_supplier and number_of_supplier.endswith(item.sku[3:]))
        or (not ean and not number_of_supplier and text in item.text.lower())
    ]
    return {"items": [_master(item) for item in rows]}


def _master(item: Item) -> Json:
    return {
        "sku": item.sku,
        "description": item.text,
        "ean": item.ean,
        "weight_kg": number(item.sku, 1, 60) / 10,
        "pieces_per_case": pick(item.sku, (6, 12, 24)),
        "hazardous": item.hazardous,
        "country_of_origin": pick(item.supplier, ("NL", "GB", "ES")),
        "attributes": {"colour": pick(item.sku, ("clear", "white")), "supplier": item.supplier},
        "on_hand_by_warehouse": {code: _on_hand(item.sku, code) for code in WAREHOUSES},
    }


def _substitutes(arguments: Arguments) -> Json:
    item = _item(arguments)
    others = [other for other in ITEMS.values() if other.supplier == item.supplier != other.sku]
    return {
        "substitutes": [
            {
                "sku": other.sku,
                "description": other.text,
                "similarity": 0.83,
                "available": _on_hand(other.sku, "LDS"),
                "price_difference": f"{other.price - item.price:+.2f}",
            }
            for other in others
            if other.sku != item.sku
        ]
    }


def _picking(arguments: Arguments) -> Json:
    order = find(ORDERS, need(arguments, "ono"))
    lines = [
        {
            "walk_sequence": n,
            "location": _place(sku, "LDS"),
            "sku": sku,
            "qty_to_pick": quantity,
            "qty_picked": quantity if order.stage == "DELIVERED" else 0,
        }
        for n, (sku, quantity) in enumerate(order.lines, 1)
    ]
    names = {"pick_list_no": f"PL-{order.no[3:]}", "picker_name": "Marta Zielinska"}
    return {**names, "pick_lines": lines, "cartons": len(lines) + 1}


def _expected(arguments: Arguments) -> Json:
    rows = [
        {
            "po_no": no,
            "supplier_name": supplier,
            "eta": f"{day(0)}T{hour}:00:00Z",
            "pallets": number(no, 1, 20),
            "dock_door": f"D{number(no, 1, 6)}",
            "state": state,
        }
        for no, supplier, hour, state in (
            ("PO-3301", "Glasfabriek Maas", "11", "IN_TRANSIT"),
            ("PO-3304", "Kelso Hygiene", "08", "LATE"),
        )
        if arguments.get("poNo") in (None, "", no)
    ]
    return {"expected_deliveries": rows}


READERS: dict[str, Handler] = {
    "GetStockLevel": _level,
    "WatchStockLevels": _changes,
    "ListWarehouses": _warehouses,
    "StockService_Qry1": _replenishment,
    "Qry2": _lots,
    "FndItm": _found,
    "GetSubst": _substitutes,
    "XPk": _picking,
    "InboundService_Qry1": _expected,
}


def _reserve(arguments: Arguments) -> Json:
    hold = number("hold", 1, 3)
    return {
        "reservation_id": "RSV-812",
        "order_no": need(arguments, "orderNo"),
        "reserved_lines": need(arguments, "lines"),
        "short_lines": [],
        "expires_at": f"{day(hold)}T18:00:00Z",
    }


def _adjust(arguments: Arguments) -> Json:
    before = _on_hand(_item(arguments).sku, _warehouse(arguments))
    after = before + int(need(arguments, "delta"))
    return {"old_qty": before, "new_qty": after, "journal_no": "IJ-5501"}


def _transfer(arguments: Arguments) -> Json:
    return {
        "transfer_no": "TR-220",
        "from_warehouse": _warehouse(arguments, "src"),
        "to_warehouse": _warehouse(arguments, "dst"),
        "expected_arrival": f"{day(2)}T07:00:00Z",
        "truck_reg": "YK24 TBT",
    }


def _counted(arguments: Arguments) -> Json:
    sheets = arguments["sheets"]
    if not sheets:
        raise BadArgument("no sheet was sent")
    bins = [entry for sheet in sheets for entry in sheet.get("bins", [])]
    wrong = {b["sku"]: b.get("countedQty", 0) - _on_hand(b["sku"], "LDS") for b in bins}
    return {
        "sheets": len(sheets),
        "bins_counted": len(bins),
        "bins_with_difference": sum(value != 0 for value in wrong.values()),
        "difference_by_sku": wrong,
    }


def _dock(arguments: Arguments) -> Json:
    code, arrival = _warehouse(arguments), need(arguments, "arrival")
    door = {"dock_door": f"D{number(code, 1, 6)}", "slot_start": arrival, "slot_end": arrival}
    return {"booking_ref": "DB-4471", **door}


def _receive(arguments: Arguments) -> Json:
    need(arguments, "poNo")
    short = {"qty_ordered": 40, "qty_received": 38, "qty_damaged": 2}
    differences = [{"sku": line.get("sku"), **short} for line in need(arguments, "ln")]
    return {"goods_receipt_no": "GR-9120", "discrepancies": differences, "quarantined": False}


WRITERS: dict[str, Handler] = {
    "ReserveStock": _reserve,
    "ReleaseReservation": lambda a: {
        "reservation_id": need(a, "reservationId"),
        "lines_released": 2,
    },
    "AdjustStock": _adjust,
    "MvTrf": _transfer,
    "UploadCountSheets": _counted,
    "BookDock": _dock,
    "Rcv": _receive,
}
