-- What the last reading of a service depended on, so that what is unchanged is not parsed again.
ALTER TABLE services ADD COLUMN reading json;     -- SQL NULL: not known, or not to be relied on
