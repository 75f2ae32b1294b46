-- What rates are made of stands beside the movements: what events told of tries, attempts, operations and occurrences.

DROP FUNCTION IF EXISTS paystream.movement_apply;
DROP FUNCTION IF EXISTS paystream.moved;
-- Both are made again from the log, and by one follower: reports have one position.
DELETE FROM paystream.checkpoint WHERE name = 'movement';
TRUNCATE paystream.movement;

-- Written once, never changed.
CREATE TABLE paystream.fact (
    merchant int NOT NULL,
    stream uuid NOT NULL,
    version int NOT NULL,
    -- Its place among the facts of one event.
    number smallint NOT NULL,
    stream_kind smallint NOT NULL,
    pos bigint NOT NULL,
    known_at timestamptz NOT NULL,
    -- tried · challenged · approved · refused · ended · paid · uncertain · certain · began · over · due · declined · collected · lost · skipped
    kind text NOT NULL,
    -- The provider's name of a try, our operation, an occurrence's ordinal, how an attempt or a schedule ended, or why occurrences were skipped.
    part text,
    attempt smallint,
    decline_class text,
    decline_code text,
    -- Of the attempt or the occurrence; of an attempt's end, whether it came to the provider.
    is_first boolean NOT NULL,
    is_payments_first boolean NOT NULL,
    -- Behind the attempt's end or the occurrence's decline.
    is_late boolean NOT NULL,
    items int NOT NULL,
    -- Microseconds since the payment's first operation was asked for.
    delay bigint,
    amount bigint,
    currency text,
    account uuid NOT NULL,
    account_name text NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    method text,
    schedule uuid,
    PRIMARY KEY (merchant, stream, version, number)
);
CREATE INDEX fact_known ON paystream.fact (merchant, known_at);
