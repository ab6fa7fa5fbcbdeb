"""XML from strangers: encodings, entities, depth, and what a refused file is told."""

from __future__ import annotations

from itertools import pairwise

import pytest

from parsers.wsdl.entities import MAX_EXPANSION, EntityRefused, expand
from parsers.wsdl.xml import Unreadable, load
from tests.parsers.wsdl.samples import ask, typed

TEXT = "<a>שלום Grüße</a>"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", TEXT),
        ("utf-16", TEXT),
        ("utf-32", TEXT),
        ("utf-8-sig", TEXT),
        ("windows-1255", "<a>שלום</a>"),
        ("iso-8859-1", "<a>Grüße</a>"),
        ("windows-1252", "<a>5 €</a>"),
    ],
)
def test_text_is_read_in_its_declared_encoding(encoding: str, text: str) -> None:
    declared = encoding.removesuffix("-sig")
    data = f'<?xml version="1.0" encoding="{declared}"?>\n{text}'.encode(encoding)
    tree = load(data)

    assert f"<a>{tree.root.text}</a>" == text
    assert tree.mended == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_byte_order_mark_is_told_by_its_zero_bytes(encoding: str) -> None:
    assert load(f'<?xml version="1.0"?>{TEXT}'.encode(encoding)).root.text == "שלום Grüße"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"<!DOCTYPE HTML><p>", "is an HTML page"),
        (b"just words", "line 1: Start tag expected"),
        (b"<a>\n<b></a>", "line 2: Opening and ending tag mismatch"),
        (b"<a>&nbsp;</a>", "Entity 'nbsp' not defined"),
        (b"<!DOCTYPE a [<!ENTITY x 'y'", "document type declaration"),
        (b"<a>" * 5000, "nested more than 256 levels deep"),
    ],
)
def test_a_refusal_says_what_the_file_is(data: bytes, word: str) -> None:
    with pytest.raises(Unreadable) as refused:
        load(data)

    assert word in str(refused.value)


def test_lines_keep_their_numbers_after_a_document_type_declaration() -> None:
    tree = load(b'<?xml version="1.0"?>\n<!DOCTYPE a [\n<!ENTITY x "y">\n]>\n<a>\n<b>&x;</b></a>')

    assert tree.root[0].sourceline == 6
    assert tree.root[0].text == "y"


def test_entities_nest_and_leave_cdata_comments_and_references_alone() -> None:
    text = (
        "<!DOCTYPE a [<!ENTITY in '&#x41;'><!ENTITY out '&in;&in; &lt;'>]>"
        "<a b='&out;'>&out;<![CDATA[&out;]]><!-- &out; -->&amp;</a>"
    )

    assert expand(text)[0] == ("<a b='AA &lt;'>AA &lt;<![CDATA[&out;]]><!-- &out; -->&amp;</a>")


def test_external_and_parameter_entities_are_never_read() -> None:
    text, words = expand(
        '<!DOCTYPE a PUBLIC "p" "http://h/x.dtd" [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;'
        '<!ENTITY e SYSTEM "file:///etc/passwd"><!ATTLIST a b CDATA "&e;">]><a>&e;</a>'
    )

    assert text == "<a></a>"
    assert words == ("the external entity &e; was not read",)


@pytest.mark.parametrize("reference", ["<a>&z;</a>", "<a b='&z;'/>"])
def test_a_bomb_is_refused_before_it_goes_off(reference: str) -> None:
    names = "abcdefghijklmnopqrstuvwxyz"
    entities = "".join(
        f'<!ENTITY {after} "{f"&{before};" * 10}">' for before, after in pairwise(names)
    )
    with pytest.raises(EntityRefused, match="bomb"):
        expand(f'<!DOCTYPE a [<!ENTITY a "x">{entities}]>{reference}')


def test_many_small_references_share_one_budget() -> None:
    size = 10_000
    text = f'<!DOCTYPE a [<!ENTITY x "{"y" * size}">]><a>{"&x;" * (MAX_EXPANSION // size + 1)}</a>'
    with pytest.raises(EntityRefused, match="bomb"):
        expand(text)


def test_forbidden_characters_are_replaced_and_counted() -> None:
    tree = load(b"<a b='\x00&#xFFFF;'>&#9;&#65;\x0c</a>")

    assert (tree.root.get("b"), tree.root.text) == ("\ufffd\ufffd", "\tA\ufffd")
    assert tree.mended == ("3 characters that XML forbids became U+FFFD",)


def test_particles_nested_without_end_cost_one_operation() -> None:
    nested = "<xs:choice>" * 100 + "</xs:choice>" * 100
    spec = typed(ask(f"<xs:sequence>{nested}</xs:sequence>"))

    [problem] = spec.problems
    assert (problem.level, spec.operations) == ("error", ())
    assert "nested more than 60 deep" in problem.message
    assert spec.operations_in_source == 1


@pytest.mark.parametrize("piece", ["<!---->", "<?p?>"])
@pytest.mark.timeout(20)
def test_a_prolog_of_many_pieces_is_read_at_once(piece: str) -> None:
    assert load(f"{piece * 3000}<a/>".encode()).root.tag == "a"


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY x "y">]><a>' + "<!--" * 200_000,
        "<!DOCTYPE a [" + '<!ENTITY x "' * 100_000,
        "<!DOCTYPE a [" + "<!--" * 100_000,
    ],
    ids=["open comments", "open entities", "open comments in a DTD"],
)
@pytest.mark.timeout(20)
def test_what_never_ends_is_refused_at_once(text: str) -> None:
    with pytest.raises(Unreadable):
        load(text.encode())
