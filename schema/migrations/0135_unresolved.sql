-- What is unresolved is asked for every few seconds, and is little among all that ever was.
CREATE INDEX payment_view_unresolved ON paystream.payment_view (merchant, created_at DESC, id DESC) WHERE has_obligations;
