# shellcheck shell=bash
# Counts what suites passed and failed, for scripts that run them; to be sourced. Reports go into the folder `results`.
results=$(mktemp -d)
passed=0
failed=0
: >"$results/failed"

# Adds a suite's counts; a suite that ran nothing or ended badly without naming a failed test counts as one failure.
add() { # NAME PASSED FAILED EXIT-CODE
    local name=$1 good=$2 bad=$3 code=$4
    if [ "$bad" -eq 0 ] && { [ "$code" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        echo "$name: ended with code $code after $good passed tests; counted as a failure" | tee -a "$results/failed" >&2
        bad=1
    fi
    echo "== $name: $good passed, $bad failed, $SECONDS s after the beginning =="
    passed=$((passed + good))
    failed=$((failed + bad))
}

count() { # ATTRIBUTE FILE
    sed -n "s/.*<testsuite [^>]*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

# The names of a report's failed tests, as `swift test --filter` takes them, each with what it said first.
failed_cases() { # FILE
    tr '\n' ' ' <"$1" | sed 's/<testcase /\n&/g' | grep -E '<(failure|error)' |
        sed -E 's/.*classname="([^"]*)" name="([^"]*)".*<(failure|error)( message="([^"]*)")?.*/\1\/\2: \5/' | cut -c 1-500
}

# What a command under test prints must not look like this run's own closing line.
quoted() { sed -u 's/^\([0-9]* passed, [0-9]* failed\)$/    \1/'; }

# Suites, and what failed: no line for each test that begins or passes.
brief() { sed -u -E '/^✔ Test run /b; /^(◇|✔) Test /d'; }

report() { # NAME FILE EXIT-CODE
    local tests failures errors skipped
    # A run that was cut short has begun its report and not ended it.
    if ! grep -qs '<testsuite ' "$2"; then
        add "$1" 0 0 "$3"
        return
    fi
    tests=$(count tests "$2") failures=$(count failures "$2") errors=$(count errors "$2") skipped=$(count skipped "$2")
    failed_cases "$2" >>"$results/failed"
    add "$1" $((tests - failures - errors - ${skipped:-0})) $((failures + errors)) "$3"
}

# Names once more what failed, where a reader of the last lines finds it; fails where something did, or nothing ran.
closing_line() {
    [ ! -s "$results/failed" ] || sed 's/^/failed: /' "$results/failed"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
