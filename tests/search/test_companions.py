import pytest

from search.companions import names_a_thing


@pytest.mark.parametrize(
    "query",
    [
        "Who directed the movie Twilight?",
        'keywords of the movie "titanic"',
        "I just finished watching Titanic",
    ],
)
def test_a_thing_by_name(query):
    assert names_a_thing(query)


@pytest.mark.parametrize(
    "query",
    [
        "Who directed the most popular movie?",
        "Get the file with ID F12345678 of Slack",
        "Delete the task 88991234 in Asana",
        "I think I'm late. Please list open orders",
        "GET /users",
        "",
    ],
)
def test_no_thing_by_name_or_an_id_at_hand(query):
    assert not names_a_thing(query)


def test_the_tool_that_finds_the_id_comes_with_the_one_that_needs_it(
    conn, save, index, encoder, make_operation
):
    from search.query import search

    def tool(name, description, path):
        return make_operation("films", name, description, path=path)

    save(
        "films",
        tool("credits", "Director and cast of a film.", "/film/{film_id}/credits"),
        tool("reviews", "Reviews of a film by viewers, director's too.", "/film/{film_id}/reviews"),
        tool("newest", "Director of the newest film.", "/film/newest"),
        tool("findFilm", "By title.", "/search/film"),
        tool("findActor", "By name.", "/search/actor"),
    )
    index()

    named = search(conn, "who is the director and cast of Twilight", encoder=encoder)
    unnamed = search(conn, "who is the director and cast of film id 7", encoder=encoder)

    assert [hit.name for hit in named.hits[:2]] == ["credits", "findFilm"]
    assert named.hits[1].why["finds_id_for"] == "films/credits"
    assert "findActor" not in [hit.name for hit in named.hits[:3]]
    assert [hit.name for hit in unnamed.hits].index("findFilm") > 1
