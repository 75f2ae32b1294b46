#!/usr/bin/env bash
# Builds with SwiftPM; a build that hangs is ended and begun again once.
#
# The compiler's driver sometimes misses that a compiler has ended: it waits for ever, and what ended stays as a zombie. A zombie beside a
# compiler that still works is none of those: it is taken away once that one ends. A build in which nobody has worked for a while hangs as
# well; however long it takes as a whole, it does not, and what is ended is built again from the beginning.
#
# usage: deploy/build.sh SWIFT-BUILD-ARGUMENTS…
set -uo pipefail
limit=${PAYSTREAM_BUILD_IDLE_SECONDS:-600}
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

# What the processes of a session have worked; it changes as long as one of them does.
worked() { # SESSION
    ps -s "$1" -o cputimes= | awk '{ sum += $1 } END { print sum + 0 }'
}

# Ends the build of a session once nobody works in it, or a compiler of it is lost at two looks.
watch() { # SESSION
    local active=$SECONDS work_before=0 lost_before="" work lost_now
    while sleep 20 >/dev/null 2>&1; do
        lost_now=$(lost "$1")
        work=$(worked "$1")
        [ "$work" = "$work_before" ] || active=$SECONDS
        work_before=$work
        if [ "$((SECONDS - active))" -ge "$limit" ] || [ -n "$(comm -12 <(printf '%s' "$lost_before") <(printf '%s' "$lost_now"))" ]; then
            echo "the build hangs" >&2
            pkill -KILL -s "$1"
            return
        fi
        lost_before=$lost_now
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
