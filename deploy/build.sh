#!/usr/bin/env bash
# Builds with SwiftPM; a compiler that hangs is ended after a while and the build is taken up again once.
#
# usage: deploy/build.sh SWIFT-BUILD-ARGUMENTS…
set -uo pipefail
limit=${PAYSTREAM_BUILD_SECONDS:-1200}

timeout --kill-after=10 "$limit" swift build "$@"
code=$?
if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
    echo "the build took longer than ${limit} s; once more" >&2
    timeout --kill-after=10 "$limit" swift build "$@"
    code=$?
fi
exit "$code"
