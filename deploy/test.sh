#!/usr/bin/env bash
# Runs every suite and closes with one line 'N passed, N failed'. The tests are built already, and the PostgreSQL that
# they need is named by PAYSTREAM_TEST_DATABASE_URL: `paystream cluster exec -- deploy/test.sh` starts one.
#
# usage: deploy/test.sh [--swift-only] [SWIFT-TEST-ARGUMENTS…]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

swift_only=no
if [ "${1:-}" = --swift-only ]; then
    swift_only=yes
    shift
fi
# A part of the Swift suites was asked for: the others would only be in the way.
for argument in "$@"; do
    [ "$argument" != --filter ] || swift_only=yes
done

# What is printed goes through filters and into files.
export NO_COLOR=1
configuration=${PAYSTREAM_CONFIGURATION:-debug}
. deploy/counts.sh
trap 'rm -rf "$results"' EXIT

# A build in a folder of its own, as with a sanitizer, is run by `swift test`.
swift_suites() {
    if [[ " $* " == *" --scratch-path "* ]]; then
        swift test -c "$configuration" --skip-build --disable-xctest --no-parallel --xunit-output "$results/swift.xml" "$@" | brief | quoted
        report "Swift suites" "$results/swift.xml" "${PIPESTATUS[0]}"
    else
        lane "Swift suites" swift "$@"
        await_lane swift
    fi
}

# What a payment costs is counted while nothing else runs. The end-to-end suites wait half of their time, so they run in three lanes,
# the third behind all other suites. They are run by the program of the tests: `swift test` locks the build folder.
every_suite() {
    lane "Counts" counts --filter '^DaemonTests\.CountsTests'
    await_lane counts
    lane "End-to-end suites A to F" daemon-1 --filter '^DaemonTests\.[A-F]' --skip '^DaemonTests\.CountsTests'
    lane "End-to-end suites G to R" daemon-2 --filter '^DaemonTests\.[G-R]'
    lane "Swift suites" others --skip '^DaemonTests\.'
    await_lane others
    lane "End-to-end suites S to Z" daemon-3 --filter '^DaemonTests\.' --skip '^DaemonTests\.[A-R]'
    sql_suites
    python_suites
    for number in 1 2 3; do await_lane "daemon-$number"; done
}

declare -A lane_process lane_name
lane() { # NAME FILE SWIFT-TEST-ARGUMENTS…
    local name=$1 file=$2
    shift 2
    ".build/$configuration/paystreamPackageTests.xctest" --testing-library swift-testing --no-parallel --xunit-output "$results/$file.xml" "$@" \
        >"$results/$file" 2>&1 &
    lane_process[$file]=$!
    lane_name[$file]=$name
}

# Prints what a lane says, and counts it.
await_lane() { # FILE
    tail -n +1 -f --pid="${lane_process[$1]}" "$results/$1" | brief | quoted
    wait "${lane_process[$1]}"
    report "${lane_name[$1]}" "$results/$1.xml" $?
}

# Every file under schema/tests runs in one session of psql against a database of its own that holds the whole schema.
# A test is a statement that raises an exception when its rule is broken.
sql_suites() {
    compgen -G 'schema/tests/*.sql' >/dev/null || return 0
    local file name good=0 bad=0 schema=paystream_sql_$$
    if database "$schema" template0 "ENCODING 'UTF8' LOCALE 'C.UTF-8'" &&
        DATABASE_URL=$(address "$schema") PAYSTREAM_MASTER_KEY_FILE=/dev/null "$paystream" migrate >/dev/null; then
        for file in schema/tests/*.sql; do
            name=${schema}_$(basename "$file" .sql | tr -c 'a-z0-9\n' _)
            if database "$name" "$schema" && sql -v ON_ERROR_STOP=1 -d "$(address "$name")" -f "$file" >/dev/null; then
                good=$((good + 1))
            else
                echo "not ok: $file" | tee -a "$results/failed" >&2
                bad=$((bad + 1))
            fi
            sql -d "$PAYSTREAM_TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $name WITH (FORCE)"
        done
    fi
    sql -d "$PAYSTREAM_TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $schema WITH (FORCE)"
    add "SQL suites" "$good" "$bad" 0
}

sql() { "${PAYSTREAM_PG_BIN:+$PAYSTREAM_PG_BIN/}psql" -X -q "$@"; }
database() { # NAME TEMPLATE [MORE]
    sql -d "$PAYSTREAM_TEST_DATABASE_URL" -c "CREATE DATABASE $1 TEMPLATE $2 ${3:-}"
}
address() { echo "${PAYSTREAM_TEST_DATABASE_URL/\/postgres\?//$1?}"; } # NAME

python_suites() {
    local file code good bad
    [ -n "$(find Tests -name 'test_*.py' -print -quit)" ] || return 0
    python3 deploy/python_suites.py Tests "$results/python" "$results/failed"
    code=$?
    read -r good bad <"$results/python" || { good=0 bad=0; }
    add "Python suites" "$good" "$bad" "$code"
}

paystream="$PWD/.build/$configuration/paystream"
export PAYSTREAM_BINARY="$paystream"

if [ "$swift_only" = yes ]; then
    swift_suites "$@"
elif [ $# -eq 0 ]; then
    every_suite
else
    swift_suites "$@"
    sql_suites
    python_suites
fi

closing_line
