-- Rows are compressed from 512 bytes on, not from 2,000: most operations lie between. What is
-- compressed stays in its row. Rows that are there already follow when they are next written.
ALTER TABLE operations SET (toast_tuple_target = 512);
ALTER TABLE operations
  ALTER COLUMN binding SET STORAGE MAIN,
  ALTER COLUMN input_schema SET STORAGE MAIN,
  ALTER COLUMN output_schema SET STORAGE MAIN;
