-- Batches with bills whose outcome is open are asked for every few seconds, and are few among all that ever were.
CREATE INDEX bill_batch_view_open ON paystream.bill_batch_view (merchant, created_at DESC)
    WHERE status IN ('claimed', 'unresolved');
