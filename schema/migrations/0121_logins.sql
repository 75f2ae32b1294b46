-- Logins are bound to merchants, and the master key that seals is known to the database by a proof.

-- Which merchants a login of `paystream_enqueue` or `paystream_read` speaks for; `bind_login` writes it.
CREATE TABLE paystream.login (
    login name NOT NULL,
    merchant int NOT NULL REFERENCES paystream.merchant (id),
    bound_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (login, merchant)
);

-- A code that each master key made that ever sealed here: who can't make it again holds another key.
CREATE TABLE paystream.master_key (
    proof bytea PRIMARY KEY,
    known_since timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Where commands carry identifiers of providers, which pass for card numbers now and then; the daemon writes it.
CREATE TABLE paystream.identifier_path (path text[] PRIMARY KEY);

-- Views show what their reader may see, not what their owner may.
ALTER VIEW paystream.schedules SET (security_invoker = true);
ALTER VIEW paystream.schedule_occurrences SET (security_invoker = true);
ALTER VIEW paystream.dunning_policies SET (security_invoker = true);
