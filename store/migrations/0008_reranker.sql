-- The reranker that `gloss train` fitted for this catalog, and the cases it remembers.

-- One row at most: no row means the packaged ranking.
CREATE TABLE reranker (
    id         smallint PRIMARY KEY CHECK (id = 1),
    model      text NOT NULL,  -- the embedding model of its examples
    weights    jsonb NOT NULL,
    card       jsonb NOT NULL, -- data hash, seed, sizes, figures
    trained_at timestamptz NOT NULL DEFAULT now()
);

-- Vectors of questions whose right tool is known; the questions themselves stay with their owner.
CREATE TABLE reranker_examples (
    service_id   bigint NOT NULL,
    operation_id bigint NOT NULL,
    query_hash   text NOT NULL,
    vector       halfvec NOT NULL,
    PRIMARY KEY (service_id, operation_id, query_hash),
    FOREIGN KEY (service_id, operation_id)
        REFERENCES operations (service_id, operation_id) ON DELETE CASCADE
);
