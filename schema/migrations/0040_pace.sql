-- When the next message to a provider may leave at an account whose provider limits its rate; one clock for all nodes.
CREATE TABLE paystream.pace (
    next_at timestamptz NOT NULL,
    merchant int NOT NULL,
    account uuid NOT NULL,
    PRIMARY KEY (merchant, account)
) WITH (fillfactor = 50);
