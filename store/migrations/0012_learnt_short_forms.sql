-- Where a synonym is from: a person named it, or `gloss index` learnt a short form from the texts
-- of the service, which a later run replaces.
ALTER TABLE synonyms ADD COLUMN origin text NOT NULL DEFAULT 'person'
    CHECK (origin IN ('person', 'index'));
