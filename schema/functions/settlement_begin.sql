-- Takes hold of an account for an import, or to keep its mapping (`of_use` 'keep'). A mapping that is kept is the account's own, and a new
-- version where it is another than its own of before; an import's, the account's ('follow') or one for this file alone ('once'), is only
-- there to be named. Answers the mapping's version, and the file where the same bytes were read by the same mapping for the same days before.
-- Where a newer file took its place since, whoever names a file that they correct goes back to them, and whoever says that they stand alone
-- (`of_alone`) brings them on their own: then it is not known. `is_apart` says that the bytes count as `known` already, which stands in another
-- place than the file that they are said to correct.
CREATE OR REPLACE FUNCTION paystream.settlement_begin(
    of_merchant int, of_account uuid, of_name text, of_mode text, of_provider text, of_digest bytea, of_mapping json, of_delay int,
    of_actor text, of_corrects uuid DEFAULT NULL, of_use text DEFAULT 'follow', first_day date DEFAULT NULL, end_day date DEFAULT NULL,
    of_alone boolean DEFAULT false, OUT mapping int, OUT known uuid, OUT is_apart boolean)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    own paystream.settlement_mapping;
    standing uuid;
BEGIN
    INSERT INTO paystream.settlement_account AS a (merchant, account, name, mode, provider, delay_days)
    VALUES (of_merchant, of_account, of_name, of_mode, of_provider, of_delay)
    ON CONFLICT (merchant, account) DO UPDATE SET name = EXCLUDED.name;
    SELECT * INTO own FROM paystream.settlement_mapping m
     WHERE m.merchant = of_merchant AND m.account = of_account AND m.is_own ORDER BY m.version DESC LIMIT 1;
    IF of_use = 'keep' OR of_use = 'follow' AND (own.version IS NULL OR own.document::text = of_mapping::text) THEN
        UPDATE paystream.settlement_account a SET delay_days = of_delay WHERE a.merchant = of_merchant AND a.account = of_account;
    END IF;
    IF of_use <> 'keep' THEN
        SELECT m.version INTO mapping FROM paystream.settlement_mapping m
         WHERE m.merchant = of_merchant AND m.account = of_account AND m.document::text = of_mapping::text
         ORDER BY m.version DESC LIMIT 1;
    ELSIF own.document::text = of_mapping::text THEN
        mapping := own.version;
    END IF;
    IF mapping IS NULL THEN
        INSERT INTO paystream.settlement_mapping (merchant, account, version, document, kept_by, is_own)
        SELECT of_merchant, of_account, coalesce(max(m.version), 0) + 1, of_mapping, of_actor, of_use = 'keep'
          FROM paystream.settlement_mapping m WHERE m.merchant = of_merchant AND m.account = of_account
        RETURNING version INTO mapping;
    END IF;
    IF of_corrects IS NOT NULL AND NOT EXISTS (
        SELECT FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.account = of_account AND f.id = of_corrects) THEN
        RAISE EXCEPTION USING ERRCODE = 'PS041', MESSAGE = 'there is no such file of the account';
    END IF;
    SELECT f.id INTO known FROM paystream.settlement_file f
      JOIN paystream.settlement_mapping m ON m.merchant = f.merchant AND m.account = f.account AND m.version = f.mapping
      JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
     WHERE f.merchant = of_merchant AND f.account = of_account AND f.digest = of_digest
       AND m.document::text = of_mapping::text
       AND (first_day IS NULL OR f.is_stated AND (f.begins_at AT TIME ZONE (of_mapping ->> 'zone'))::date = first_day
                AND (f.ends_at AT TIME ZONE (of_mapping ->> 'zone'))::date = end_day)
     ORDER BY a.pos DESC LIMIT 1;
    -- Read by whatever mapping, the bytes count where their file is the newest of its place.
    SELECT f.id INTO standing FROM paystream.settlement_file f
     WHERE f.merchant = of_merchant AND f.account = of_account AND f.digest = of_digest
       AND f.id = paystream.settlement_newest(of_merchant, f.id) LIMIT 1;
    is_apart := standing IS NOT NULL AND of_corrects IS NOT NULL
        AND of_corrects NOT IN (SELECT n.id FROM paystream.settlement_family(of_merchant, standing) AS n (id));
    IF is_apart THEN
        known := standing;
    ELSIF (of_corrects IS NOT NULL OR of_alone) AND known <> paystream.settlement_newest(of_merchant, known) THEN
        known := NULL;
    END IF;
END
$$;
