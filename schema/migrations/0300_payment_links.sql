-- Payment links are streams; their list goes from the newest on.

CREATE INDEX stream_payment_link ON paystream.stream (merchant, floor_pos DESC, id DESC) WHERE kind = 13;
