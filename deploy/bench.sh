#!/usr/bin/env bash
# Runs benches in release, one after the other, and keeps their lines in .build/bench/COMMIT.jsonl, behind one that names commit and machine.
#
# usage: deploy/bench.sh [NAME…]      all but the soak, which takes an hour, where none is named
set -euo pipefail
cd "$(dirname "$0")/.."

paystream=.build/release/paystream
commit=$(git rev-parse --short=8 HEAD)
[ -z "$(git status --porcelain -- Sources schema Package.swift)" ] || commit+=-changed
mkdir -p .build/bench
lines=.build/bench/$commit.jsonl

if [ $# -eq 0 ]; then
    set -- counts append accept lifecycle notify latency nodes fold json adapters guard events webhooks bills \
        projections settlement reports search schedules growth
fi

printf '{"commit":"%s","date":"%s","processors":%s,"processor":"%s","postgres":"%s"}\n' "$commit" "$(date -u +%F)" "$(nproc)" \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$(pg_config --version)" | tee -a "$lines"

bench() {
    echo "paystream bench $*" >&2
    # One that is over its budget says so in its line and stops no other.
    "$paystream" bench "$@" | tee -a "$lines" || echo "ended with ${PIPESTATUS[0]}" >&2
}

for name; do
    case $name in
        append | accept | notify) bench "$name" --rounds 3 && bench "$name" --rounds 3 --flush-delay 2 ;;
        lifecycle)
            bench "$name" --clients 64
            bench "$name" --clients 256
            bench "$name" --clients 64 --flush-delay 2
            bench "$name" --clients 256 --flush-delay 2
            ;;
        *) bench "$name" ;;
    esac
done
echo "kept in $lines" >&2
