-- Cards of the same digits are read newest first by their own index: by that of all cards, a search looked at every card of the merchant.
DROP INDEX paystream.instrument_view_card;
CREATE INDEX instrument_view_card ON paystream.instrument_view (merchant,
    (left(regexp_replace(document ->> 'masked', '[^0-9]', '', 'g'), 6)
        || right(regexp_replace(document ->> 'masked', '[^0-9]', '', 'g'), 4)), created_at DESC)
    WHERE document ->> 'masked' IS NOT NULL;
