-- Words that mean the same to the people who ask. By the service's name, so that they outlive its
-- removal and return; an empty name is every service. `key` holds the stems of `word` in order.
CREATE TABLE synonyms (
    service  text NOT NULL,
    word     text NOT NULL,
    synonym  text NOT NULL,
    key      text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (service, word, synonym)
);
CREATE INDEX synonyms_by_key ON synonyms (key);

-- The original's share that a mixed vector was made with: two mixes are never compared.
ALTER TABLE embeddings ADD COLUMN original_share real NOT NULL DEFAULT 0.3;
CREATE INDEX embeddings_by_share ON embeddings (model, original_share)
    WHERE enriched_hash IS NOT NULL;
