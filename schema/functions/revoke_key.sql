-- Revokes a merchant's key: `revoked`, `unknown`, or `last` where nobody could administer any more and it is not forced. Those who revoke at once wait for
-- each other, so that two keys don't revoke one another.
CREATE OR REPLACE FUNCTION paystream.revoke_key(of_merchant int, of_key uuid, is_forced boolean) RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    ended timestamptz;
BEGIN
    PERFORM FROM paystream.merchant m WHERE m.id = of_merchant FOR UPDATE;
    SELECT coalesce(k.revoked_at, '-infinity') INTO ended FROM paystream.api_key k
     WHERE k.id = of_key AND k.merchant = of_merchant;
    IF ended IS NULL THEN
        RETURN 'unknown';
    END IF;
    IF ended > '-infinity' THEN
        RETURN 'revoked';
    END IF;
    IF NOT is_forced
        AND EXISTS (SELECT FROM paystream.api_key k WHERE k.id = of_key AND 'admin' = ANY (k.scopes) AND NOT k.awaits_approval
                       AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))
        AND NOT EXISTS (SELECT FROM paystream.api_key k
                         WHERE k.merchant = of_merchant AND k.id <> of_key AND 'admin' = ANY (k.scopes)
                           AND k.revoked_at IS NULL AND NOT k.awaits_approval
                           AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))
    THEN
        RETURN 'last';
    END IF;
    UPDATE paystream.api_key k SET revoked_at = clock_timestamp() WHERE k.id = of_key;
    RETURN 'revoked';
END
$$;
