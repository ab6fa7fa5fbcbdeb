import pytest

from search.intents import understand, without_values


def test_a_list_of_things_to_do_is_taken_apart():
    request = understand(
        "Retrieve the open invoices, cancel order 7 and finally notify the customer by mail."
    )

    assert request.parts == (
        "Retrieve the open invoices",
        "cancel order 7",
        "notify the customer by mail.",
    )


def test_sentences_that_ask_are_parts_whatever_their_courtesies():
    request = understand(
        "Please create a project. After that, I would like to invite two people. "
        "Lastly, could you send me the link?"
    )

    assert [part.split()[0].lower() for part in request.parts] == ["create", "invite", "send"]


@pytest.mark.parametrize(
    "narrative",
    [
        "My nephew loves axolotls and wants to see them. Could you find images for him?",
        "who manages this customer's account",
        "weather in Chicago, Denver, and Las Vegas",
        "list customers and their orders",
        "",
        "-",
    ],
)
def test_a_narrative_stays_whole(narrative):
    assert understand(narrative).parts == ()


def test_a_pasted_page_gives_no_more_than_ten_parts():
    assert len(understand(". ".join(f"Delete item {n}" for n in range(500))).parts) == 10


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        (
            'Create a project called "Get, list and go" in workspace 778899',
            "Create a project called in workspace",
        ),
        ("Invite jo@example.com to the channel C12345678 of <team>", "Invite to the channel of"),
        ("what does getProcInfo3 give back", "what does getProcInfo3 give back"),
        ('movies like "Titanic"', 'movies like "Titanic"'),
        ("the client's and the firm's address", "the client's and the firm's address"),
    ],
)
def test_values_are_no_part_of_what_is_sought(query, kept):
    assert without_values(query) == kept


def test_a_quoted_list_is_not_a_list_of_intents():
    query = 'Rename the folder of the team to "copy this, delete that and add more"'

    assert understand(query).parts == ()
