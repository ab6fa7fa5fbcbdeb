-- What the gate measured a text by: how many questions, and the middle rank before and with it.
ALTER TABLE enrichments ADD COLUMN gate_cases int NOT NULL DEFAULT 0;
ALTER TABLE enrichments ADD COLUMN rank_before int;   -- SQL NULL: not among the first hits
ALTER TABLE enrichments ADD COLUMN rank_after int;
