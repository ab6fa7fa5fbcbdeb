import pytest

from search.words import lexical, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getProcInfo3", ["get", "proc", "info", "3", "getprocinfo3"]),
        ("get_user_by_id", ["get", "user", "by", "id", "getuserbyid"]),
        ("GetUserByID", ["get", "user", "by", "id", "getuserbyid"]),
        ("/users/{id}/roles", ["users", "id", "roles"]),
        ("dog,cat", ["dog", "cat"]),
        ("Größe ändern", ["grosse", "andern"]),
        ("検索", ["検索"]),
        ("日本語", ["日本", "本語"]),
        ("日本語API", ["日本", "本語", "api"]),
        ("a & b | !c <-> d", ["a", "b", "c", "d"]),
        ("'", []),
        ("\\", []),
        ("C++ / C# (v2) :*", ["c", "c", "v", "2", "v2"]),
        ("", []),
    ],
)
def test_text_is_cut_the_same_for_tools_and_queries(text, expected):
    assert words(text) == expected


def test_two_spellings_of_a_name_share_their_one_piece_form():
    assert set(words("GetUserByID")) == set(words("get_user_by_id"))


def test_a_word_without_end_is_no_word_of_its_own():
    assert max(map(len, words("aB" * 500))) <= 64


def test_lexical_is_plain_words_and_blanks():
    assert lexical("what's the parcel's status?") == "what s the parcel s status"
