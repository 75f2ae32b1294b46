#!/usr/bin/env bash
# Runs the suites of a filter again and again while two processes keep the processors busy, and closes with one line
# 'N of N rounds green'. A round that fails keeps what it printed. The tests are built already, and the PostgreSQL that they
# need is named by PAYSTREAM_TEST_DATABASE_URL: `paystream cluster exec -- deploy/repeat.sh` starts one.
#
# usage: deploy/repeat.sh FILTER [TIMES]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
filter=${1:?a filter of suites, as StoreTests}
times=${2:-50}

# Copies, so that a build beside it doesn't pull the program out from under a round.
place=$(mktemp -d)
cp .build/debug/paystreamPackageTests.xctest .build/debug/paystream "$place"
export PAYSTREAM_BINARY="$place/paystream"

burners=()
for _ in 1 2; do
    nice -n 19 sh -c 'while :; do :; done' &
    burners+=($!)
done
trap 'kill "${burners[@]}" 2>/dev/null; rm -f "$place/paystream" "$place/paystreamPackageTests.xctest"; rmdir "$place" 2>/dev/null' EXIT

green=0
for round in $(seq "$times"); do
    if "$place/paystreamPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$filter" \
        >"$place/round-$round.log" 2>&1; then
        green=$((green + 1))
        rm "$place/round-$round.log"
    else
        echo "round $round failed: $place/round-$round.log" >&2
    fi
done
echo "$green of $times rounds green"
[ "$green" -eq "$times" ]
