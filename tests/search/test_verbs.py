import pytest

from search.verbs import ONE_OF_MANY, OTHER_VERB, PARTIAL, nudges
from store.retrieval import Candidate


def tool(name, method="GET", path="/tags"):
    return Candidate(1, 1, "s", name, "rest", "", "", [], None, None, path, method, None, None)


@pytest.mark.parametrize(
    ("query", "given", "nudge"),
    [
        ("Retrieve the settings", tool("addSetting", "POST"), -OTHER_VERB),
        ("Retrieve the settings", tool("getSetting"), 0),
        ("the settings", tool("addSetting", "POST"), 0),
        ("Delete a tag", tool("tags", "DELETE"), 0),
        ("Get all tags", tool("getTag", path="/tags/{id}"), -ONE_OF_MANY),
        ("Get all tags", tool("getTags"), 0),
        ("Partially update a tag", tool("patchTag", "PATCH", "/tags/{id}"), PARTIAL),
        ("Partially update a tag", tool("updateTag", "PUT", "/tags/{id}"), 0),
    ],
)
def test_a_tool_that_does_another_thing_steps_back(query, given, nudge):
    assert nudges([query], [given]) == [nudge]


def test_in_a_list_of_intents_any_of_the_verbs_will_do():
    texts = ("Get a tag and delete it", "Get a tag", "delete it")

    assert nudges(texts, [tool("getTag"), tool("deleteTag", "DELETE")]) == [0, 0]
