-- Answered requests of each merchant, a page at a time: whoever wrote them waits for nobody, and what is lost of them is lost.

CREATE TABLE paystream.request_page (
    merchant int NOT NULL,
    -- The oldest and the newest request in it; an id begins with its time. Pages of nodes overlap.
    first uuid NOT NULL,
    last uuid NOT NULL,
    requests int NOT NULL CHECK (requests > 0),
    -- A line for each request.
    lines bytea NOT NULL,
    CHECK (first <= last),
    PRIMARY KEY (merchant, last)
);
