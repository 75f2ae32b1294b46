#!/usr/bin/env bash
# Plays the crash drill whole, in lanes that take flow after flow side by side, and closes with 'N passed, N failed'.
# The tests are built already: `paystream cluster exec -- deploy/crash.sh` gives the PostgreSQL that they need.
#
# usage: deploy/crash.sh [LANES]      (3 where none are named; PAYSTREAM_CRASH_FLOW and PAYSTREAM_CRASH_POINT narrow it)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

lanes=${1:-3}
results=$(mktemp -d)
trap 'rm -rf "$results"; kill $(jobs -p) 2>/dev/null' EXIT
export PAYSTREAM_CRASH_ALL=1 PAYSTREAM_CRASH_SEEN="$results/seen" PAYSTREAM_BINARY="$PWD/.build/debug/paystream"
: >"$PAYSTREAM_CRASH_SEEN"

play() { # NAME FILTER
    .build/debug/paystreamPackageTests.xctest --testing-library swift-testing --no-parallel \
        --xunit-output "$results/$1.xml" --filter "$2" >"$results/$1.log" 2>&1
}

for lane in $(seq "$lanes"); do
    play "lane$lane" 'CrashDrillTests/.*a flow ends right' &
done
# A line for each flow as it ends, from whichever lane.
(while sleep 2; do grep -hs ' died ' "$results"/lane*.log | sort -u >"$results/now"; comm -13 "$results/told" "$results/now"
    cp "$results/now" "$results/told"; done) 2>/dev/null &
progress=$!
touch "$results/told"
for job in $(jobs -p); do [ "$job" = "$progress" ] || wait "$job"; done
kill "$progress" 2>/dev/null
play together 'CrashDrillTests/.*the flows together|UnaidedTests'

passed=0
failed=0
for log in "$results"/*.log; do
    tests=$(sed -n 's/.*<testsuite [^>]*\btests="\([0-9]*\)".*/\1/p' "${log%.log}.xml" 2>/dev/null | head -n 1)
    bad=$(grep -hs '<testsuite ' "${log%.log}.xml" | sed -n 's/.*failures="\([0-9]*\)".*/\1/p' | head -n 1)
    # A lane that was cut short has no report: it is a failure, and so is one that ran nothing.
    if [ "${tests:-0}" -eq 0 ]; then tests=1 bad=1; fi
    passed=$((passed + tests - ${bad:-0})) failed=$((failed + ${bad:-0}))
    [ "${bad:-0}" -eq 0 ] || sed -n 's/^\(.*✘.*\)$/\1/p' "$log" | cut -c 1-600
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
