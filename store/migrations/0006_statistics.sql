-- The log of searches made countable: hits as arrays in their order, "nothing fits" told from hits,
-- and which search asked again what another had asked before.
ALTER TABLE search_log
  ADD COLUMN session text,                       -- SQL NULL: not known; then nothing is "again"
  ADD COLUMN fits boolean NOT NULL DEFAULT true, -- false: "nothing fits", and tools are the nearest
  ADD COLUMN chance real,                        -- of the first to be right; SQL NULL: before 0006
  ADD COLUMN tools text[] NOT NULL DEFAULT '{}', -- tool ids, the first ranked first
  ADD COLUMN scores real[] NOT NULL DEFAULT '{}',
  ADD COLUMN stems text[] NOT NULL DEFAULT '{}', -- of the query, without stop words
  ADD COLUMN again_of uuid,                      -- the search that this one asks in other words
  ADD COLUMN chosen_rank int,                    -- SQL NULL with a choice: it was not among the hits
  ADD COLUMN context text;                       -- kept only where somebody labelled the search

UPDATE search_log SET
  tools = ARRAY(SELECT hit ->> 'id' FROM jsonb_array_elements(hits) AS hit
                ORDER BY (hit ->> 'rank')::int),
  scores = ARRAY(SELECT (hit ->> 'score')::real FROM jsonb_array_elements(hits) AS hit
                 ORDER BY (hit ->> 'rank')::int),
  stems = tsvector_to_array(to_tsvector('english', left(query, 4000)));
ALTER TABLE search_log DROP COLUMN hits;

COMMENT ON COLUMN search_log.chosen IS
  'the tool id that was used; empty: somebody said that no tool fits; SQL NULL: not known';
CREATE INDEX search_log_by_session ON search_log (origin, session, searched_at)
  WHERE session IS NOT NULL;
CREATE INDEX search_log_again ON search_log (again_of) INCLUDE (searched_at)
  WHERE again_of IS NOT NULL;
