-- An id's kind is checked against its stream, and a read model goes on without a stream that it can't show.

-- It takes the kinds now, and tells that of each event.
DROP FUNCTION IF EXISTS paystream.load_streams(int[], uuid[], int[]);

-- Streams that a read model was set beside: their rows stay as they were until it is built again.
CREATE TABLE paystream.view_quarantine (
    view text NOT NULL,
    merchant int NOT NULL,
    stream uuid NOT NULL,
    stream_kind smallint NOT NULL,
    -- Where the log was when it happened.
    pos bigint NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (view, merchant, stream)
);
