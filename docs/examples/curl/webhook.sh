#!/usr/bin/env bash
# Tells whether a webhook comes from Paystream: ends with 0 only then.
#
# usage: webhook.sh ID TIMESTAMP SIGNATURES <BODY, with the endpoint's secret in WEBHOOK_SECRET
#   the three are the headers webhook-id, webhook-timestamp and webhook-signature; the body is that of the request, byte by byte
set -euo pipefail
id=$1 timestamp=$2 signatures=$3

# A shell computes what looks like a number to it, commands in it included: nothing but digits goes on.
[[ $timestamp =~ ^[1-9][0-9]{0,11}$ ]] || { echo "no time" >&2; exit 1; }
age=$(($(date +%s) - timestamp))
[ "${age#-}" -le "${WEBHOOK_TOLERANCE:-300}" ] || { echo "too old" >&2; exit 1; }
# For what openssl is told a list of processes can show the key: verify in your own program where others share the machine.
key=$(base64 --decode <<<"${WEBHOOK_SECRET#whsec_}" | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$id" "$timestamp"; cat; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
for signature in $signatures; do
    if [ "$signature" = "v1,$expected" ]; then
        echo "good"
        exit 0
    fi
done
echo "not from Paystream" >&2
exit 1
