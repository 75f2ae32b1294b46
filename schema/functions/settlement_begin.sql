-- Takes hold of an account for an import, or to keep its mapping (`of_use` 'keep'). A mapping that is kept is the account's own, and a new
-- version where it is another than its own of before; an import's, the account's ('follow') or one for this file alone ('once'), is only
-- there to be named. Answers the mapping's version, and the file where the same bytes were read by the same mapping before. Where a newer
-- file took its place since, whoever names a file that they correct goes back to them: then it is not known. `is_apart` says that it is
-- known, and stands in another place than the file that it is said to correct.
CREATE OR REPLACE FUNCTION paystream.settlement_begin(
    of_merchant int, of_account uuid, of_name text, of_mode text, of_provider text, of_digest bytea, of_mapping json, of_delay int,
    of_actor text, of_corrects uuid DEFAULT NULL, of_use text DEFAULT 'follow', OUT mapping int, OUT known uuid, OUT is_apart boolean)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    own paystream.settlement_mapping;
    place bigint;
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
    is_apart := known IS NOT NULL AND of_corrects IS NOT NULL
        AND of_corrects NOT IN (SELECT n.id FROM paystream.settlement_family(of_merchant, known) AS n (id));
END
$$;
