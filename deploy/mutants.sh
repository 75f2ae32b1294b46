#!/bin/sh
# Takes each rule of deploy/mutants.tsv out of the code, plays a sample of the table of hostile providers, and tells whether it
# turned red. Works on a clean checkout and leaves it clean. STEP=1 plays all cases; RULE=1.7 only rules of that name.
set -eu
cd "$(dirname "$0")/.."
step=${STEP:-31}
program=.build/debug/simulate
work=$(mktemp -d)
table() { "$program" --table --provider "$1" --step "$step" | grep '^VIOLATION' | sort > "$2" || true; }
build() { swift build --product simulate > "$work/build" 2>&1 || { cat "$work/build"; return 1; }; }

changed=
restore() { [ -z "$changed" ] || cp "$work/original" "$changed"; }
trap 'restore; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

build
grep -v '^#' deploy/mutants.tsv | cut -f 2 | sort -u | while read -r provider; do
    table "${provider%%-*}" "$work/$provider"
done
green=0
tab=$(printf '\t')
while IFS="$tab" read -r rule provider file change; do
    case $rule in '#'*) continue ;; "${RULE:-}"*) ;; *) continue ;; esac
    cp "$file" "$work/original"
    changed=$file
    perl -0pi -e "$change" "$file"
    if cmp -s "$file" "$work/original"; then
        echo "GONE   $rule: nothing in $file is like that any more"
        green=1
    elif build; then
        table "${provider%%-*}" "$work/seen"
        count=$(comm -13 "$work/$provider" "$work/seen" | wc -l)
        if [ "$count" -gt 0 ]; then
            echo "RED    $rule: $count, as $(comm -13 "$work/$provider" "$work/seen" | head -1)"
        else
            echo "GREEN  $rule: nothing at $provider holds it"
            green=1
        fi
    fi
    restore
    changed=
done < deploy/mutants.tsv
build
exit $green
