#!/usr/bin/env bash
# Builds with SwiftPM; a build that hangs is ended and taken up again once.
#
# The compiler's driver sometimes misses that a compiler has ended: it waits for ever, and what ended stays as a zombie. A zombie beside a
# compiler that still works is none of those: it is taken away once that one ends.
#
# usage: deploy/build.sh SWIFT-BUILD-ARGUMENTS…
set -uo pipefail
limit=${PAYSTREAM_BUILD_SECONDS:-1200}
session=0
watcher=0

# Whoever ends this ends the build.
trap '[ "$session" -eq 0 ] || { kill "$watcher"; pkill -KILL -s "$session"; } 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The compilers that ended and whose driver has no other.
lost() { # SESSION
    ps -s "$1" -o stat=,pid=,ppid=,comm= |
        awk '$1 ~ /^Z/ && $4 ~ /^swift/ { driver[$2] = $3; next } { works[$3] = 1 }
             END { for (id in driver) if (!(driver[id] in works)) print id }' | sort
}

# Ends the build of a session once it takes too long, or a compiler of it is lost at two looks.
watch() { # SESSION
    local end=$((SECONDS + limit)) before="" now
    while sleep 20 >/dev/null 2>&1; do
        now=$(lost "$1")
        if [ "$SECONDS" -ge "$end" ] || [ -n "$(comm -12 <(printf '%s' "$before") <(printf '%s' "$now"))" ]; then
            echo "the build hangs" >&2
            pkill -KILL -s "$1"
            return
        fi
        before=$now
    done
}

# A session of its own, because SwiftPM gives each compiler a process group of its own.
build() { # SWIFT-BUILD-ARGUMENTS…
    setsid swift build --disable-index-store "$@" &
    session=$!
    watch "$session" &
    watcher=$!
    wait "$session"
    local code=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    pkill -KILL -s "$session" 2>/dev/null
    session=0 watcher=0
    return "$code"
}

build "$@"
code=$?
if [ "$code" -eq 137 ]; then
    echo "once more" >&2
    build "$@"
    code=$?
fi
echo "the build took $SECONDS s"
exit "$code"
