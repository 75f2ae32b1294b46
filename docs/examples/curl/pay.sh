#!/usr/bin/env bash
# Makes a payment, waits for its outcome in the event feed, and gives a part of it back.
#
# usage: PAYSTREAM_URL=http://127.0.0.1:8080 PAYSTREAM_KEY=psk_… pay.sh ORDER
set -euo pipefail
order=$1

# Timeouts, refused connections, 429 and 503 are repeated, which the idempotency key makes safe. The API key is no
# argument, so that no list of processes shows it.
api() {
    curl --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-connrefused \
        --header @<(printf 'Authorization: Bearer %s\n' "$PAYSTREAM_KEY") --header "Content-Type: application/json" "$@"
}
field() { python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"; }

# Waits for an event of a payment, without asking again and again: the daemon holds its answer back.
await_event() { # PAYMENT TYPE
    local page after=
    while :; do
        page=$(api --get "$PAYSTREAM_URL/v1/events" --data "resource=$1" --data "types=$2" --data wait=30 \
            ${after:+--data-urlencode "after=$after"})
        [ "$(field items <<<"$page")" = "[]" ] || return 0
        after=$(field next <<<"$page")
    done
}

payment=$(api "$PAYSTREAM_URL/v1/payments" --header "Idempotency-Key: $order" --data '{
    "mode": "sale", "amount": {"value": 7700, "currency": "EUR"}, "reference": "'"$order"'",
    "details": {"payer": {"email": "ann@example.org"}}
}' | field id)

# Here you answer the payer's browser with a redirect (303) to this address. The curl is the payer: this amount pays by
# itself at the sandbox. Once it is paid there is no address any more.
page=$(api "$PAYSTREAM_URL/v1/payments/$payment/next-action" | field url)
[ -z "$page" ] || curl --silent --show-error --location --output /dev/null "$page"

await_event "$payment" payment.captured
echo "$order is paid"

api "$PAYSTREAM_URL/v1/payments/$payment/refund" --header "Idempotency-Key: $order-refund" \
    --data '{"amount": {"value": 2000, "currency": "EUR"}, "reason": "one came back"}' >/dev/null
await_event "$payment" refund.succeeded
echo "$order is $(api "$PAYSTREAM_URL/v1/payments/$payment" | field status)"
