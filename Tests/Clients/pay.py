"""Makes a payment with the client that openapi-python-client generated: creates, opens the page, waits, refunds, answers a dispute."""

import io
import os
import sys
import time
import urllib.request

from paystream_api import AuthenticatedClient
from paystream_api.api.events import list_events
from paystream_api.api.operations import add_dispute_evidence, open_dispute
from paystream_api.api.payments import create_payment, get_payment, list_payments, refund_payment
from paystream_api.api.payers_device import next_action
from paystream_api.models import (
    CreatePayment,
    CreatePaymentDetails,
    CreatePaymentMode,
    DisputeEvidence,
    Money,
    NextActionType,
    OpenDispute,
    Payment,
    PaymentPage,
    PaymentStatus,
    PositiveMoney,
    Problem,
    PublicEventPage,
    Refund,
)
from paystream_api.types import File

client = AuthenticatedClient(base_url=os.environ["PAYSTREAM_URL"], token=os.environ["PAYSTREAM_KEY"])


def the(kind, value):
    """The value, which must be of the kind."""
    if not isinstance(value, kind):
        sys.exit(f"no {kind.__name__}: {value}")
    return value


order = CreatePayment(
    mode=CreatePaymentMode.SALE,
    amount=Money(value=7700, currency="EUR"),
    reference="generated-python",
    details=CreatePaymentDetails.from_dict({"payer": {"email": "ann@example.org"}}),
)
payment = the(Payment, create_payment.sync(client=client, body=order, idempotency_key="generated-python"))
action = next_action.sync(client=client, payment=payment.id)
assert action.type_ is NextActionType.REDIRECT, action
# The payer's browser; this amount pays by itself at the sandbox.
urllib.request.urlopen(action.url, timeout=10).read()
page = list_events.sync(client=client, resource=payment.id, types="payment.captured", wait=4)
end = time.monotonic() + 20
while not the(PublicEventPage, page).items:
    if time.monotonic() > end:
        sys.exit("never captured")
    page = list_events.sync(client=client, resource=payment.id, types="payment.captured", wait=4, after=page.next_)
payment = the(Payment, get_payment.sync(client=client, payment=payment.id))
assert payment.status is PaymentStatus.CAPTURED, payment

half = Refund(amount=PositiveMoney(value=2000, currency="EUR"), reason="one came back")
for _ in range(2):
    refunded = refund_payment.sync(
        client=client, payment=payment.id, body=half, idempotency_key="generated-python-refund", prefer="wait=10"
    )
    assert the(Payment, refunded).id == payment.id, refunded
payment = the(Payment, get_payment.sync(client=client, payment=payment.id))
assert payment.amounts.refunded == 2000, payment

found = the(PaymentPage, list_payments.sync(client=client, reference="generated-python"))
assert [item.id for item in found.items] == [payment.id], found
case = OpenDispute(amount=PositiveMoney(value=500, currency="EUR"))
disputed = open_dispute.sync(client=client, payment=payment.id, body=case, idempotency_key="generated-python-dispute")
dispute = the(Payment, disputed).disputes[0].id
file = File(payload=io.BytesIO(b"%PDF-1.7 signed for"))
kept = add_dispute_evidence.sync(client=client, payment=payment.id, dispute=dispute, name="receipt.pdf", body=file)
assert the(DisputeEvidence, kept).type_ == "application/pdf", kept

too_much = Refund(amount=PositiveMoney(value=9000, currency="EUR"))
refusal = refund_payment.sync(
    client=client, payment=payment.id, body=too_much, idempotency_key="generated-python-too-much"
)
print(the(Problem, refusal).code)
