-- Commands that the SQL entrance takes. Those that need a one-shot secret come by HTTP only.
CREATE OR REPLACE FUNCTION paystream.command_names() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY['payment.create', 'payment.capture', 'payment.void', 'payment.refund', 'payment.complete_delivery',
        'payment.sync', 'payment.dispute', 'payment.add_evidence', 'transfer.create', 'transfer.sync', 'transfer.add_evidence',
        'instrument.remove', 'instrument.check', 'bill_batch.create', 'bill_batch.page', 'bill_batch.submit', 'schedule.create', 'schedule.pause',
        'schedule.resume', 'schedule.change', 'schedule.cancel', 'schedule.run']
$$;
