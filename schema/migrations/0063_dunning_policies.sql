-- What follows a decline, as merchants want it: by name and version. A version is never changed, the newest one holds
-- for schedules that name it from then on; each schedule keeps its own whole.
CREATE TABLE paystream.dunning_policy (
    merchant int NOT NULL REFERENCES paystream.merchant (id),
    name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 64),
    version int NOT NULL CHECK (version >= 1),
    -- With its name and version, as schedules hold it.
    document json NOT NULL,
    kept_by text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (merchant, name, version)
);

-- Every version, for those who ask what `policy` of an occurrence meant.
CREATE VIEW paystream.dunning_policies AS
SELECT m.name AS merchant, d.name AS policy, d.version, d.document, d.kept_by, d.kept_at
  FROM paystream.dunning_policy d JOIN paystream.merchant m ON m.id = d.merchant;
