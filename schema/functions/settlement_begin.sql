-- Takes hold of an account for an import, and keeps the mapping where it is another than the newest one. Answers the mapping's version, and
-- the file where the same bytes were read by the same mapping before. Where a newer file took its place since, whoever names a file that
-- they correct goes back to them: then it is not known.
CREATE OR REPLACE FUNCTION paystream.settlement_begin(
    of_merchant int, of_account uuid, of_name text, of_mode text, of_provider text, of_digest bytea, of_mapping json, of_delay int,
    of_actor text, of_corrects uuid DEFAULT NULL, OUT mapping int, OUT known uuid)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    newest paystream.settlement_mapping;
    place bigint;
BEGIN
    INSERT INTO paystream.settlement_account AS a (merchant, account, name, mode, provider, delay_days)
    VALUES (of_merchant, of_account, of_name, of_mode, of_provider, of_delay)
    ON CONFLICT (merchant, account) DO UPDATE SET delay_days = EXCLUDED.delay_days, name = EXCLUDED.name;
    SELECT * INTO newest FROM paystream.settlement_mapping m
     WHERE m.merchant = of_merchant AND m.account = of_account ORDER BY m.version DESC LIMIT 1;
    mapping := coalesce(newest.version, 0);
    IF newest.document::text IS DISTINCT FROM of_mapping::text THEN
        mapping := mapping + 1;
        INSERT INTO paystream.settlement_mapping (merchant, account, version, document, kept_by)
        VALUES (of_merchant, of_account, mapping, of_mapping, of_actor);
    END IF;
    SELECT f.id, a.pos INTO known, place FROM paystream.settlement_file f
      JOIN paystream.settlement_mapping m ON m.merchant = f.merchant AND m.account = f.account AND m.version = f.mapping
      JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
     WHERE f.merchant = of_merchant AND f.account = of_account AND f.digest = of_digest
       AND m.document::text = of_mapping::text
     ORDER BY a.pos DESC LIMIT 1;
    IF of_corrects IS NOT NULL AND EXISTS (
        SELECT FROM paystream.settlement_family(of_merchant, known) AS n (id)
          JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.id = n.id
          JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
         WHERE a.pos > place) THEN
        known := NULL;
    END IF;
END
$$;
