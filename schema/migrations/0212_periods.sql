-- Months of a merchant's books that are closed, one after the other: what is known later is booked in the first month that is open.
CREATE TABLE paystream.closed_period (
    merchant int NOT NULL REFERENCES paystream.merchant,
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    -- In which the month begins and ends; all of a merchant's are in one.
    zone text NOT NULL,
    -- Movements up to here were known.
    pos bigint NOT NULL,
    closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    closed_by text NOT NULL,
    note text,
    PRIMARY KEY (merchant, month)
);
