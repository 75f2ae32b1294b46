#!/usr/bin/env bash
# Sends a daemon requests made from its own OpenAPI document, good ones and bad ones, and fails on any answer that the
# document does not know, any 5xx and any body that does not fit its schema.
#
# usage: deploy/api-fuzz.sh [BASE_URL]
#   BASE_URL                 a running daemon of a test installation, as in http://127.0.0.1:8080; without one, a daemon
#                            and a sandbox are started on the server that PAYSTREAM_TEST_DATABASE_URL names
#   PAYSTREAM_KEY            an API key with every scope, for BASE_URL
#   PAYSTREAM_FUZZ_EXAMPLES  test cases per operation and phase (100)
#   PAYSTREAM_FUZZ_SEED      the seed (1); the same seed and the same daemon give the same cases
#   PAYSTREAM_FUZZ_PHASES    which phases run (examples,coverage,fuzzing,stateful)
#
# Ends with 3 where schemathesis can't be installed.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
readonly root requirements=$root/deploy/api-fuzz-requirements.txt
readonly venv=${PAYSTREAM_FUZZ_VENV:-$root/.paystream/api-fuzz}
readonly paystream=${PAYSTREAM_BINARY:-$root/.build/debug/paystream}

work=$(mktemp -d)
children=()
database=

clean_up() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    for child in "${children[@]}"; do wait "$child" 2>/dev/null || true; done
    [ -z "$database" ] || sql "DROP DATABASE IF EXISTS $database WITH (FORCE)" || true
    rm -rf "$work"
}
trap clean_up EXIT

sql() { "${PAYSTREAM_PG_BIN:+$PAYSTREAM_PG_BIN/}psql" -X -q -d "$PAYSTREAM_TEST_DATABASE_URL" -c "$1"; }

# Waits until a program has written a line with an address; prints the address.
address() { # LOG-FILE
    local found
    for _ in $(seq 300); do
        found=$(sed -n 's|.*\(http://[0-9.]*:[0-9]*\).*|\1|p' "$1" | head -n 1)
        if [ -n "$found" ]; then
            echo "$found"
            return
        fi
        sleep 0.1
    done
    echo "api-fuzz: nothing started; its output was:" >&2
    cat "$1" >&2
    exit 1
}

# Sends one command of a person who sets the installation up.
set_up() { # METHOD PATH BODY
    curl --silent --show-error --fail-with-body --request "$1" "$base$2" --data "$3" --output "$work/answer.json" \
        --header "Content-Type: application/json" --header "Idempotency-Key: fuzz:$1:$2" \
        --config <(echo "header = \"Authorization: Bearer $PAYSTREAM_KEY\"")
}

start_daemon() {
    local sandbox
    if [ -z "${PAYSTREAM_TEST_DATABASE_URL:-}" ]; then
        echo "api-fuzz: name a BASE_URL, or run this by 'paystream cluster exec -- deploy/api-fuzz.sh'" >&2
        exit 2
    fi
    database=paystream_api_fuzz_$$
    sql "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"
    export DATABASE_URL="${PAYSTREAM_TEST_DATABASE_URL%%/postgres\?*}/$database?${PAYSTREAM_TEST_DATABASE_URL#*/postgres\?}"
    export PAYSTREAM_MASTER_KEY_FILE=$work/master.key PAYSTREAM_LISTEN=127.0.0.1:0
    "$paystream" migrate >/dev/null
    "$paystream" keys master "$work/master.key" >/dev/null
    PAYSTREAM_KEY=$("$paystream" keys --merchant fuzz --scopes commands,read,audit,admin create fuzz 2>/dev/null)
    "$paystream" sandbox >"$work/sandbox.log" 2>&1 &
    children+=($!)
    "$paystream" serve >"$work/serve.log" 2>&1 &
    children+=($!)
    sandbox=$(address "$work/sandbox.log")
    base=$(address "$work/serve.log")
    set_up POST /v1/accounts "{\"name\":\"fuzz\",\"provider\":\"ecommpay\",\"mode\":\"test\",
        \"settings\":{\"projectId\":42,\"currencies\":[\"EUR\"],\"gateUrl\":\"$sandbox\",
        \"paymentPageUrl\":\"$sandbox/payment\"},\"secrets\":{\"secretKey\":\"sandbox-secret\"}}"
    set_up PUT /v1/routing '{"accounts":["fuzz"]}'
}

# The environment is made again when a pinned version changes.
prepare() {
    cmp -s "$requirements" "$venv/.installed" && return
    rm -rf "$venv"
    mkdir -p "$(dirname "$venv")"
    if ! python3 -m venv "$venv" ||
        ! "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"; then
        echo "api-fuzz: schemathesis can't be installed" >&2
        exit 3
    fi
    cp "$requirements" "$venv/.installed"
}

case $# in
    0)
        prepare
        start_daemon
        ;;
    1)
        base=${1%/}
        if [ -z "${PAYSTREAM_KEY:-}" ]; then
            echo "api-fuzz: PAYSTREAM_KEY is not set" >&2
            exit 2
        fi
        prepare
        ;;
    *)
        sed -n 's/^# \{0,1\}//; 4,14p' "$0" >&2
        exit 2
        ;;
esac

# The key comes from the environment, so that no list of processes shows it. TRACE is no method of this server: 501, as
# RFC 9110 has it.
export PAYSTREAM_KEY
cat >"$work/schemathesis.toml" <<'TOML'
[headers]
Authorization = "Bearer ${PAYSTREAM_KEY}"

[phases.coverage]
unexpected-methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 414, 415, 422, 429, 431]
TOML

checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance
checks+=,response_schema_conformance,unsupported_method,missing_required_header,ignored_auth,negative_data_rejection

# Schemathesis writes no application/x-ndjson, so the upload of bills is left to its own tests.
# One worker: with more, the order of cases is not the seed's, and Python 3.11 fails to parse in two threads at a time.
cd "$work"
"$venv/bin/schemathesis" --config-file schemathesis.toml run "$base/openapi.json" \
    --url "$base" \
    --exclude-operation-id uploadBills \
    --checks "$checks" \
    --phases "${PAYSTREAM_FUZZ_PHASES:-examples,coverage,fuzzing,stateful}" \
    --max-examples "${PAYSTREAM_FUZZ_EXAMPLES:-100}" \
    --seed "${PAYSTREAM_FUZZ_SEED:-1}" \
    --request-timeout 90 \
    --workers 1 \
    --continue-on-failure \
    --warnings off \
    --no-color
