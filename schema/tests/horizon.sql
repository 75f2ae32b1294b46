-- The horizon: what it lets a reader see, and what holds it back.
DO $$
DECLARE
    before bigint;
    drawn bigint;
BEGIN
    -- A fresh sequence has handed nothing out: its first position is not behind the horizon.
    ASSERT paystream.horizon() = 0, 'a fresh log has the horizon 0';

    -- A transaction that published its floor holds its own positions back.
    before := paystream.publish_floor();
    drawn := nextval('paystream.pos_seq');
    ASSERT drawn > before, 'positions are drawn above the floor';
    ASSERT paystream.horizon() = before, format('an open floor holds the horizon at %s', before);
END
$$;

-- Once it is over, the horizon reaches what was drawn, also where nothing was written.
DO $$
BEGIN
    ASSERT paystream.horizon() = 1, 'a finished transaction releases its floor';
END
$$;

-- A snapshot that is older than the horizon would skip rows, so following at another isolation is refused.
BEGIN ISOLATION LEVEL REPEATABLE READ;
DO $$
BEGIN
    PERFORM paystream.horizon();
    RAISE EXCEPTION 'the horizon was read at REPEATABLE READ';
EXCEPTION WHEN SQLSTATE 'PS010' THEN
    NULL;
END
$$;
ROLLBACK;
