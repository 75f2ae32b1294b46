-- Puts taken commands back behind the others, as they were; the caller took them in the same transaction.
CREATE OR REPLACE FUNCTION paystream.postpone_inbox(
    ids uuid[], merchants int[], keys text[], names text[], bodies json[], ats timestamptz[])
RETURNS void LANGUAGE sql VOLATILE AS $$
    INSERT INTO paystream.inbox (merchant, id, key, name, body, at)
    SELECT u.m, u.id, u.key, u.name, u.body, u.at
      FROM unnest(ids, merchants, keys, names, bodies, ats) WITH ORDINALITY AS u (id, m, key, name, body, at, o)
     ORDER BY u.o
$$;
