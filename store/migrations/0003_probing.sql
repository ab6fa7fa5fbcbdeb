-- Evidence from calls: how many answers a shape stands for, where they contradict the spec's
-- response type, and until when the other side asked to be left alone (SQL NULL: it did not).
ALTER TABLE samples ADD COLUMN responses bigint NOT NULL DEFAULT 1;
ALTER TABLE samples ADD COLUMN contradictions json NOT NULL DEFAULT '[]';
ALTER TABLE samples ADD COLUMN retry_at timestamptz;
