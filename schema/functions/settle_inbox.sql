-- Settles taken commands: refusals and conflicting keys become outcomes, the rest become inputs.
CREATE OR REPLACE FUNCTION paystream.settle_inbox(
    refused uuid[], refused_merchants int[], codes text[], details text[],
    admitted uuid[], macs bytea[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    mismatched bigint[];
BEGIN
    -- Of two commands under one key the first keeps it, in this call as well.
    INSERT INTO paystream.idempotency (merchant, stream_kind, input, stream, version, mac)
    SELECT u.m, u.sk, u.i, u.s, NULL, u.mac
      FROM unnest(merchants, stream_kinds, ids, streams, macs) WITH ORDINALITY AS u (m, sk, i, s, mac, o)
     ORDER BY u.m, u.i, u.o
    ON CONFLICT (merchant, input) DO NOTHING;
    mismatched := ARRAY(
        SELECT u.o FROM unnest(merchants, ids, macs) WITH ORDINALITY AS u (m, i, mac, o)
               CROSS JOIN LATERAL (
                   SELECT x.mac FROM paystream.idempotency x WHERE x.merchant = u.m AND x.input = u.i OFFSET 0) k
         WHERE k.mac <> u.mac);
    PERFORM paystream.admit(array_agg(u.m), array_agg(u.s), array_agg(u.sk), array_agg(u.id), array_agg(u.k),
            array_agg(u.name), array_agg(u.meta), array_agg(u.body), array_agg(u.received))
       FROM unnest(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received)
            WITH ORDINALITY AS u (m, s, sk, id, k, name, meta, body, received, o)
      WHERE u.o <> ALL (mismatched) HAVING count(*) > 0;
    INSERT INTO paystream.inbox_outcome (id, merchant, input, mac, code, detail)
    SELECT u.id, u.m, CASE WHEN u.o <> ALL (mismatched) THEN u.i END,
           CASE WHEN u.o <> ALL (mismatched) THEN u.mac END,
           CASE WHEN u.o = ANY (mismatched) THEN 'idempotency_conflict' END,
           CASE WHEN u.o = ANY (mismatched) THEN 'the key was used for another command' END
      FROM unnest(admitted, merchants, ids, macs) WITH ORDINALITY AS u (id, m, i, mac, o);
    INSERT INTO paystream.inbox_outcome (id, merchant, code, detail)
    SELECT u.id, u.m, u.code, u.detail FROM unnest(refused, refused_merchants, codes, details) AS u (id, m, code, detail);
END
$$;
