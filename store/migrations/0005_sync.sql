-- The nightly run: what was last done for each service, who holds a lease, which runs were killed.
CREATE TABLE synced_services (
  service_id bigint PRIMARY KEY REFERENCES services,
  succeeded_at timestamptz,                      -- SQL NULL: never yet
  probed text NOT NULL DEFAULT '',               -- of which operations, by which rules
  probe_tries int NOT NULL DEFAULT 0,            -- nights on which calls failed; 0: all went well
  enriched text NOT NULL DEFAULT '',             -- of which evidence, by which writer
  enrich_tries int NOT NULL DEFAULT 0            -- nights on which tools failed; 0: all went well
);

ALTER TABLE leases ADD COLUMN holder jsonb NOT NULL DEFAULT '{}';  -- the process that has it

ALTER TABLE runs DROP CONSTRAINT runs_state_check;
ALTER TABLE runs ADD CONSTRAINT runs_state_check CHECK
  (state IN ('running', 'done', 'partial', 'failed', 'killed'));   -- killed: it never said its end
