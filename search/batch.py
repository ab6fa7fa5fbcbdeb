"""A batch of tools turned into documents, postings and vectors, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from psycopg import Connection

from catalog.hashing import digest
from catalog.spec import Operation, Schema
from search.encoder import Encoder
from search.fields import ENRICHED_FIELDS, FIELDS, enriched_weights, term_weights
from search.text import (
    TEXT_VERSION,
    EnrichedText,
    embedding_text,
    enriched_embedding_text,
    enriched_fields,
    lexical_fields,
    phrases,
    tool_text,
)
from store import index as stored
from store import index_saving as saving
from store.index import DocumentRow, EmbeddingRow, PendingTool, PostingRow, WordRow
from store.retrieval import Mix

if TYPE_CHECKING:
    from search.encoder import Vectors

_MIN_WORD, _MAX_WORD = 3, 24
_MAX_REMEMBERED = 50_000


@dataclass(slots=True)
class Tally:
    """What a run has done so far; `vectors` holds what it embedded, for texts that come again."""

    done: int = 0
    embedded: int = 0
    embedded_tools: int = 0
    vectors: dict[str, Vectors] = field(default_factory=dict)
    words: set[tuple[int, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A tool with its texts; `enriched` fields are empty when there is no live text."""

    tool: PendingTool
    fields: tuple[str, ...]
    enriched: tuple[str, ...]
    text: str
    enriched_text: str | None
    phrases: tuple[str, ...] = ()

    @property
    def hashes(self) -> tuple[str, str | None]:
        other = None if self.enriched_text is None else _hash(self.enriched_text)
        return _hash(self.text), other


@dataclass(frozen=True, slots=True)
class Batch:
    conn: Connection
    encoder: Encoder
    mix: Mix
    tally: Tally
    rebuild: bool = False

    def index(self, tools: Sequence[PendingTool], definitions: Mapping[str, Schema]) -> None:
        if not tools:
            return
        service_id = tools[0].service_id
        entries = [_entry(tool, definitions) for tool in tools]
        fresh, known = self._vectors(service_id, entries)
        counted = self._counted(entries)
        words = self._new_words(service_id, entries)
        with self.conn.transaction():
            alive = saving.claim_tools(self.conn, service_id, [t.operation_id for t in tools])
            kept = [
                (entry, terms)
                for entry, terms in zip(entries, counted, strict=True)
                if entry.tool.operation_id in alive
            ]
            saving.replace_documents(
                self.conn,
                [row for entry, terms in kept for row in _documents(entry, terms)],
                (row for entry, terms in kept for row in _postings(entry.tool, terms)),
            )
            saving.save_vectors(self.conn, service_id, self.encoder.model, fresh)
            rows = [_embedding(entry, known, self.mix) for entry, _ in kept]
            saving.save_embeddings(self.conn, self.encoder.model, rows)
            saving.save_words(self.conn, words)

    def _vectors(
        self, service_id: int, entries: Sequence[_Entry]
    ) -> tuple[dict[str, Vectors], dict[str, Vectors]]:
        """Vectors made now, and those with all that were known, by text hash."""
        texts = {_hash(text): text for entry in entries for text in _texts(entry)}
        known: dict[str, Vectors] = {}
        if not self.rebuild:
            known = stored.known_vectors(self.conn, service_id, self.encoder.model, list(texts))
        remembered = self.tally.vectors
        again = {key: remembered[key] for key in texts if key in remembered and key not in known}
        missing = [key for key in texts if key not in known and key not in again]
        made = dict(zip(missing, self.encoder.encode([texts[k] for k in missing]), strict=True))
        self._remember(made, entries)
        return again | made, known | again | made

    def _remember(self, made: dict[str, Vectors], entries: Sequence[_Entry]) -> None:
        self.tally.embedded += len(made)
        self.tally.embedded_tools += sum(
            any(key in made for key in entry.hashes) for entry in entries
        )
        if len(self.tally.vectors) < _MAX_REMEMBERED:
            self.tally.vectors.update(made)

    def _counted(self, entries: Sequence[_Entry]) -> list[list[dict[str, int]]]:
        """For each entry the lexemes of its fields, the enriched ones last."""
        flat = [text for entry in entries for text in (*entry.fields, *entry.enriched)]
        found = iter(stored.lexemes(self.conn, flat))
        return [
            [next(found) for _ in range(len(entry.fields) + len(entry.enriched))]
            for entry in entries
        ]

    def _new_words(self, service_id: int, entries: Sequence[_Entry]) -> list[WordRow]:
        named: dict[str, bool] = {}
        for entry in entries:
            for n, text in enumerate((*entry.fields, *entry.enriched)):
                for word in set(text.split()):
                    if _MIN_WORD <= len(word) <= _MAX_WORD and word.isalpha():
                        named[word] = named.get(word, False) or n < 2
        new = [word for word in named if (service_id, word) not in self.tally.words]
        self.tally.words.update((service_id, word) for word in new)
        lexemes = stored.stems(self.conn, new)
        return [
            WordRow(service_id, word, lexemes[word], named[word]) for word in new if word in lexemes
        ]


def _entry(tool: PendingTool, definitions: Mapping[str, Schema]) -> _Entry:
    text = tool_text(_with_shapes(tool), definitions)
    fields = lexical_fields(text)
    live = tool.enriched
    if live is None:
        return _Entry(tool, fields, (), embedding_text(text), None)
    enriched = EnrichedText(live.name, live.description, tuple(live.aliases))
    return _Entry(
        tool,
        fields,
        enriched_fields(enriched),
        embedding_text(text),
        enriched_embedding_text(enriched),
        phrases(enriched),
    )


def _with_shapes(tool: PendingTool) -> Operation:
    """The operation with the fields that calls returned beside those that the spec says."""
    if not tool.shapes:
        return tool.operation
    returned = [tool.operation.output_schema or True, *tool.shapes]
    return replace(tool.operation, output_schema={"anyOf": returned})


def _texts(entry: _Entry) -> Iterator[str]:
    yield entry.text
    if entry.enriched_text is not None:
        yield entry.enriched_text
    yield from entry.phrases


def _hash(text: str) -> str:
    return digest(text.encode())


def _documents(entry: _Entry, counted: Sequence[Mapping[str, int]]) -> Iterator[DocumentRow]:
    tool = entry.tool
    original, live = entry.hashes
    count = len(FIELDS)
    terms = tuple(" ".join(found) for found in counted)
    key = (tool.service_id, tool.operation_id)
    yield DocumentRow(*key, "original", tool.content_hash, original, TEXT_VERSION, terms[:count])
    if tool.enriched is not None and live is not None:
        yield DocumentRow(
            *key, "enriched", tool.enriched.text_hash, live, TEXT_VERSION, terms[count:]
        )


def _postings(tool: PendingTool, counted: Sequence[Mapping[str, int]]) -> Iterator[PostingRow]:
    """A tool without live text has one text, which counts in full whatever the shares."""
    own, live = counted[: len(FIELDS)], counted[len(FIELDS) :]
    original = term_weights(FIELDS, own)
    enriched = enriched_weights(own, live) if len(live) == len(ENRICHED_FIELDS) else original
    for term in original.keys() | enriched.keys():
        yield PostingRow(
            tool.service_id,
            tool.operation_id,
            term,
            original.get(term, 0.0),
            enriched.get(term, 0.0),
        )


def _embedding(entry: _Entry, vectors: Mapping[str, Vectors], mix: Mix) -> EmbeddingRow:
    original, live = entry.hashes
    mixed = vectors[original]
    if live is not None:
        mixed = mix.original * vectors[original] + mix.enriched * vectors[live]
    pieces = tuple(_hash(phrase) for phrase in entry.phrases)
    return EmbeddingRow(
        entry.tool.service_id,
        entry.tool.operation_id,
        original,
        live,
        mixed,
        pieces,
        mix.original,
    )
