-- The enriched text in pieces, each embedded by itself: what it does first, then its names.
ALTER TABLE embeddings ADD COLUMN phrase_hashes text[] NOT NULL DEFAULT '{}';
