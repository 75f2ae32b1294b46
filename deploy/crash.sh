#!/usr/bin/env bash
# Plays the crash drill whole, in lanes that take flow after flow side by side, and closes with 'N passed, N failed'.
# The tests are built already: `paystream cluster exec -- deploy/crash.sh` gives the PostgreSQL that they need.
#
# usage: deploy/crash.sh [LANES]      (5 where none are named; PAYSTREAM_CRASH_FLOW and PAYSTREAM_CRASH_POINT narrow it, and
#                                       PAYSTREAM_CONFIGURATION=release takes what CI builds)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

lanes=${1:-5}
built=.build/${PAYSTREAM_CONFIGURATION:-debug}
. deploy/counts.sh
trap 'rm -rf "$results"; kill $(jobs -p) 2>/dev/null' EXIT
export PAYSTREAM_CRASH_ALL=1 PAYSTREAM_CRASH_SEEN="$results/seen" PAYSTREAM_BINARY="$PWD/$built/paystream"
: >"$PAYSTREAM_CRASH_SEEN"

play() { # NAME FILTER
    "$built/paystreamPackageTests.xctest" --testing-library swift-testing --no-parallel \
        --xunit-output "$results/$1.xml" --filter "$2" >"$results/$1.log" 2>&1
}

declare -A jobs_of codes
for lane in $(seq "$lanes"); do
    play "lane$lane" 'CrashDrillTests/.*a flow ends right' &
    jobs_of[lane$lane]=$!
done
# A line for each flow that has ended since, from whichever lane.
tell() {
    grep -hs ' died ' "$results"/lane*.log | sort -u >"$results/now"
    comm -13 "$results/told" "$results/now"
    cp "$results/now" "$results/told"
}
touch "$results/told"
(while sleep 2; do tell; done) 2>/dev/null &
progress=$!
for name in "${!jobs_of[@]}"; do
    wait "${jobs_of[$name]}"
    codes[$name]=$?
done
kill "$progress" 2>/dev/null
wait "$progress" 2>/dev/null
tell
jobs_of[together]=0
play together 'CrashDrillTests/.*the flows together|UnaidedTests'
codes[together]=$?
for name in "${!jobs_of[@]}"; do report "$name" "$results/$name.xml" "${codes[$name]}"; done
closing_line
