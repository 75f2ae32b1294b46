-- What a merchant's own clock waits for, and that nobody's clock waits for another's.
INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'busy'), (2, 'quiet');
INSERT INTO paystream.merchant_clock (merchant, at, target) VALUES (1, '2030-01-01', '2031-01-01'), (2, '2030-01-01', '2031-01-01');
DO $$
BEGIN
    ASSERT paystream.clock_waits(1, '2030-01-01') = '{}', 'nothing is under way';
    INSERT INTO paystream.due (machine, merchant, stream_kind, stream)
        VALUES (now() + interval '1 minute', 1, 1, gen_random_uuid());
    ASSERT paystream.clock_waits(1, '2030-01-01') = '{}', 'a payment that asks seldom waits for its payer';
    INSERT INTO paystream.due (machine, merchant, stream_kind, stream)
        VALUES (now() + interval '2 seconds', 1, 7, gen_random_uuid());
    ASSERT paystream.clock_waits(1, '2030-01-01') = '{payments}', 'one that asks in a moment';
    ASSERT paystream.clock_waits(2, '2030-01-01') = '{}', 'is not the other merchant''s';
    INSERT INTO paystream.due (business, merchant, stream_kind, stream, clocked)
        VALUES ('2030-01-02', 1, 3, gen_random_uuid(), true);
    ASSERT paystream.clock_waits(1, '2030-01-02') = '{timers,payments}' AND paystream.clock_waits(1, '2030-01-01') = '{payments}',
        'timers that are due by this clock';
    INSERT INTO paystream.mail (due, merchant, stream_kind, stream) VALUES (now(), 1, 3, gen_random_uuid());
    INSERT INTO paystream.inbox (merchant, id, key, name, body) VALUES (1, gen_random_uuid(), 'k', 'payment.sync', '{}');
    ASSERT paystream.clock_waits(1, '2030-01-01') = '{commands,decisions,payments}', 'what nobody has decided';
    ASSERT paystream.travel_clocks() = 2, 'one was moved';
    ASSERT (SELECT array_agg(at ORDER BY merchant) FROM paystream.merchant_clock) = ARRAY['2030-01-01', '2031-01-01']::timestamptz[],
        'the one that is quiet';
    ASSERT paystream.travel_clocks() = 1, 'the other one waits';
    DELETE FROM paystream.mail; DELETE FROM paystream.inbox; DELETE FROM paystream.due WHERE machine IS NOT NULL;
    ASSERT paystream.travel_clocks() = 2, 'it goes on';
    ASSERT (SELECT at = '2030-01-02' FROM paystream.merchant_clock WHERE merchant = 1), 'a step';
END
$$;
