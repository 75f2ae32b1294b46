-- The nodes that send webhooks: each says so with every claim, and endpoints are shared among those that did so lately.
CREATE TABLE paystream.webhook_node (
    owner text PRIMARY KEY,
    seen_until timestamptz NOT NULL
);
