-- Texts that fit no more, what the gate asked, and questions drafted for it.
ALTER TABLE enrichments DROP CONSTRAINT enrichments_state_check;
ALTER TABLE enrichments ADD CONSTRAINT enrichments_state_check CHECK
  (state IN ('proposed', 'applied', 'replaced', 'rejected', 'reverted', 'failed',
             'withdrawn'));                      -- was live; the operation has changed under it
ALTER TABLE enrichments ADD COLUMN gate text NOT NULL DEFAULT '';   -- the suite that gave `gain`

-- What a person might ask for which a tool is right, written from its evidence alone.
CREATE TABLE questions (
  service_id bigint NOT NULL REFERENCES services,
  tool text NOT NULL,
  model text NOT NULL,
  fingerprint text NOT NULL,                     -- evidence and prompt
  questions text[] NOT NULL,                     -- empty: the model had none that could be used
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  cost_usd numeric(14, 8) NOT NULL DEFAULT 0,
  run_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (service_id, tool, model)
);
