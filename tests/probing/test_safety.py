"""The rules of what may be called, case by case."""

from pathlib import Path

import pytest

from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.spec import Operation
from probing.outcomes import MEANING, OUTCOMES
from probing.safety import unknown_names, verdict


def rest(method="GET", path="/things", name="things", summary="", description=""):
    binding = HttpBinding(method, path, operation_id=name)
    return Operation("s", name, "rest", binding, summary, description)


def soap(name, description=""):
    return Operation("s", name, "soap", SoapBinding(name, "P"), description=description)


def grpc(name, description="", stream=False):
    binding = GrpcBinding(f"/p.S/{name}", "A", "B", server_streaming=stream)
    return Operation("s", name, "grpc", binding, description=description)


@pytest.mark.parametrize(
    "operation",
    [
        rest(),
        rest("HEAD"),
        rest(path="/store/inventory", name="getInventory", summary="Returns pets by status"),
        rest(path="/merge_requests", name="list_merge_requests", summary="List merge requests"),
        rest(path="/invoices/open", name="list_open_invoices", summary="Open invoices"),
        rest(path="/sent", name="sent_items", summary="Items that were sent or deleted"),
        rest(path="/search", name="search", summary="Performs a search, no side effects"),
        rest(path="/start-dates", name="getStartDate", summary="Gets the start date"),
        rest(path="/a", name="delta", summary="Invoke function delta"),
        rest(path="/b", name="app", description="An app that enables others to find it."),
        rest(path="/sets/{id}/set", name="members", description="The right to create is needed."),
        rest(path="/orders", name="orders", summary="Orders of a customer"),
        soap("getProcInfo3", "See documentation."),
        soap("chkDup", "Check before create."),
        soap("QryCust"),
        grpc("ListThings"),
        grpc("WatchLevels", "Sends a message for each change.", stream=True),
    ],
    ids=lambda operation: operation.name,
)
def test_what_reads_is_allowed(operation):
    assert verdict(operation).allowed, verdict(operation).reason


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"])
def test_other_methods_are_left_alone(method):
    assert not verdict(rest(method)).allowed


@pytest.mark.parametrize(
    "operation",
    [
        rest(path="/jobs/purge", name="j1"),
        rest(path="/jobs", name="purgeJobs"),
        rest(path="/cache/clear", name="c"),
        rest(path="/users/{id}/block", name="u"),
        rest(path="/jobs/{id}:run", name="r"),
        rest(path="/logout", name="bye"),
        rest(name="delRec"),
        rest(name="getAndReset"),
        rest(summary="Deletes all finished jobs"),
        rest(summary="Delete old ones"),
        rest(description="Restarts the service."),
        rest(description="Returns the next message and removes it from the queue."),
        rest(description="This will reset the counter."),
        rest(description="Kicks off a build"),
        rest(description="Logs the user out"),
        rest(description="Triggers a rebuild of the index"),
        rest(description="Sends a reminder to everybody"),
        rest(description="Deletion of old rows"),
        rest(description="Löscht alle Einträge"),
        rest(description="Runs the nightly job"),
        rest(description="An operation that resets the counter."),
        rest(description="Use this to purge the cache."),
        rest(description="Called to delete an account"),
        rest(path="/items/{id}/move", name="m"),
        soap("runJob9", "Nightly."),
        soap("mrgRec"),
        soap("getCust", "Sends the customer a letter."),
        soap("checkOut"),
        grpc("Rcv"),
        grpc("GetAndClear"),
        grpc("GetNext", "Returns a job and deletes it."),
    ],
    ids=lambda operation: f"{operation.name} {operation.summary}{operation.description}"[:40],
)
def test_what_changes_by_name_path_or_text_is_left_alone(operation):
    found = verdict(operation)

    assert not found.allowed
    assert found.reason


def test_grpc_heeds_what_the_method_says_of_itself():
    assert verdict(grpc("XPk"), level="NO_SIDE_EFFECTS").allowed
    assert not verdict(grpc("GetThing"), level="IDEMPOTENT").allowed
    assert not verdict(grpc("DeleteThing"), level="NO_SIDE_EFFECTS").allowed


@pytest.mark.parametrize("name", ["search", "s/search", "POST /search"])
def test_what_the_user_lists_one_by_one_is_allowed(name):
    assert verdict(rest("POST", "/search", "search"), frozenset({name})).allowed


@pytest.mark.parametrize("name", ["*", "sea*", "POST", "/search", "s"])
def test_nothing_lists_several_at_once(name):
    assert not verdict(rest("POST", "/search", "search"), frozenset({name})).allowed


def test_a_name_in_allow_that_is_none_is_told():
    assert unknown_names([rest(name="a")], frozenset({"a", "b"})) == ["b"]


def test_the_page_for_security_teams_lists_every_outcome():
    page = (Path(__file__).parents[2] / "docs" / "probing.md").read_text("utf-8")

    for outcome, meaning in MEANING.items():
        assert f"| `{outcome}` | {meaning} |" in page
    assert set(MEANING) == set(OUTCOMES)
