-- How many events of each stream are read is told since; the function is made again with the others.
DROP FUNCTION IF EXISTS paystream.load_streams(int[], int[], uuid[], int[]);
