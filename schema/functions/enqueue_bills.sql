-- Enqueues a batch of bills from a table or view of the caller's: its head, pages of bills, and its submission, all in the
-- caller's transaction and with the caller's rights on `source`, which has `id` and `amount` (whole minor units).
--
-- Returns the id of the head's command, for `outcome`. The keys of the others follow from `key`.
CREATE OR REPLACE FUNCTION paystream.enqueue_bills(
    merchant text, key text, head json, source regclass, currency text DEFAULT 'UAH')
RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    page_bills CONSTANT int := 400;
    made uuid := paystream.enqueue(merchant, key, 'bill_batch.create', head);
    part record;
    taken bigint := 0;
BEGIN
    FOR part IN EXECUTE format(
        'SELECT s.page, count(*) AS bills,
                json_agg(json_build_object(''id'', s.id, ''amount'', json_build_object(
                    ''value'', s.amount, ''currency'', %L::text)) ORDER BY s.id) AS lines
           FROM (SELECT x.id::text AS id, x.amount::bigint AS amount,
                        (row_number() OVER (ORDER BY x.id::text) - 1) / %s + 1 AS page FROM %s x) s
          GROUP BY s.page ORDER BY s.page', currency, page_bills, source)
    LOOP
        PERFORM paystream.enqueue(merchant, key || ':' || part.page, 'bill_batch.page',
            json_build_object('batch', key, 'page', part.page, 'bills', part.lines));
        taken := taken + part.bills;
    END LOOP;
    PERFORM paystream.enqueue(merchant, key || ':submit', 'bill_batch.submit',
        json_build_object('batch', key, 'count', taken));
    RETURN made;
END
$$;
