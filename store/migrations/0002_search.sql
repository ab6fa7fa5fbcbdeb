-- What search reads. The service leads every key, so the tables shard by service.

-- One row a tool and kind of text. `terms` holds the lexemes of each field, for explanations and
-- for scoring candidates; its order is search.text.FIELDS.
CREATE TABLE documents (
    service_id   bigint NOT NULL,
    operation_id bigint NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('original', 'enriched')),
    content_hash text NOT NULL,
    text_hash    text NOT NULL,
    text_version integer NOT NULL,
    terms        text[] NOT NULL,
    PRIMARY KEY (service_id, operation_id, kind),
    FOREIGN KEY (service_id, operation_id)
        REFERENCES operations (service_id, operation_id) ON DELETE CASCADE
);

-- Weighted, length-normalised term frequencies of both texts; saturation and IDF join at query time.
CREATE TABLE postings (
    service_id   bigint NOT NULL,
    operation_id bigint NOT NULL,
    term         text NOT NULL,
    original     real NOT NULL,
    enriched     real NOT NULL,
    PRIMARY KEY (service_id, operation_id, term),
    FOREIGN KEY (service_id, operation_id)
        REFERENCES operations (service_id, operation_id) ON DELETE CASCADE
);
CREATE INDEX postings_by_term
    ON postings (term, service_id, operation_id) INCLUDE (original, enriched);

-- How many tools of a service hold a term.
CREATE TABLE terms (
    service_id bigint NOT NULL,
    term       text NOT NULL,
    tools      integer NOT NULL,
    PRIMARY KEY (service_id, term),
    FOREIGN KEY (service_id) REFERENCES services (service_id) ON DELETE CASCADE
);
CREATE INDEX terms_by_term ON terms (term, service_id) INCLUDE (tools);

-- The words of names and texts as written, for abbreviations and typing errors.
CREATE TABLE vocabulary (
    service_id bigint NOT NULL,
    word       text NOT NULL,
    term       text NOT NULL,
    in_names   boolean NOT NULL,
    PRIMARY KEY (service_id, word),
    FOREIGN KEY (service_id) REFERENCES services (service_id) ON DELETE CASCADE
);
CREATE INDEX vocabulary_by_word ON vocabulary (word text_pattern_ops, service_id);

-- Every text that was embedded, once a service and model: originals and enrichments alike.
CREATE TABLE vectors (
    service_id bigint NOT NULL,
    model      text NOT NULL,
    text_hash  text NOT NULL,
    vector     halfvec NOT NULL,
    PRIMARY KEY (service_id, model, text_hash),
    FOREIGN KEY (service_id) REFERENCES services (service_id) ON DELETE CASCADE
);

-- The one vector a tool is ranked by: original and enriched text mixed. No fixed width, since models
-- differ; an index for approximate search is made per model when a catalog is large.
CREATE TABLE embeddings (
    service_id    bigint NOT NULL,
    operation_id  bigint NOT NULL,
    model         text NOT NULL,
    original_hash text NOT NULL,
    enriched_hash text,
    mixed         halfvec NOT NULL,
    PRIMARY KEY (service_id, operation_id, model),
    FOREIGN KEY (service_id, operation_id)
        REFERENCES operations (service_id, operation_id) ON DELETE CASCADE
);

-- How far each service is indexed: `tools` counts documents; a dirty one has statistics to refresh.
CREATE TABLE indexed_services (
    service_id bigint PRIMARY KEY,
    tools      integer NOT NULL,
    dirty      boolean NOT NULL,
    FOREIGN KEY (service_id) REFERENCES services (service_id) ON DELETE CASCADE
);

-- One row: the model whose vectors are ranked, and what the postings were built with.
CREATE TABLE index_state (
    id           smallint PRIMARY KEY CHECK (id = 1),
    model        text NOT NULL,
    width        integer NOT NULL,
    text_version integer NOT NULL,
    weights      jsonb NOT NULL,
    indexed_at   timestamptz NOT NULL DEFAULT now()
);
