#!/bin/sh
# Takes each rule of deploy/mutants.tsv out of the code, plays the cases of the table of hostile providers that hold it, and tells
# whether they turned red. Works on a clean checkout and leaves it clean. RULE=1.7 only rules of that name; CHECK=1 builds nothing
# and tells the rules that the code does not have any more.
set -eu
cd "$(dirname "$0")/.."
program=.build/debug/simulate
work=$(mktemp -d)
table() { "$program" --table --case "$1" | grep '^VIOLATION' | sort > "$2" || true; }
build() { swift build --product simulate > "$work/build" 2>&1 || { cat "$work/build"; return 1; }; }

changed=
restore() { [ -z "$changed" ] || cp "$work/original" "$changed"; }
trap 'restore; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

green=0
tab=$(printf '\t')
mutate() {
    if [ ! -f "$3" ]; then
        echo "GONE   $1: there is no $3"
        green=1
        return
    fi
    perl -0p -e "$4" "$3" > "$work/changed"
    if cmp -s "$3" "$work/changed"; then
        echo "GONE   $1: nothing in $3 is like that any more"
        green=1
        return
    fi
    [ -z "${CHECK:-}" ] || return 0
    cp "$3" "$work/original"
    changed=$3
    cp "$work/changed" "$3"
    if build; then
        table "$2" "$work/seen"
        count=$(comm -13 "$work/$1" "$work/seen" | wc -l)
        if [ "$count" -gt 0 ]; then
            echo "RED    $1: $count, as $(comm -13 "$work/$1" "$work/seen" | head -1)"
        else
            echo "GREEN  $1: nothing of $2 holds it"
            green=1
        fi
    fi
    restore
    changed=
}

rules() { grep -v '^#' deploy/mutants.tsv | grep "^${RULE:-}"; }

rules > "$work/rules"
if [ -z "${CHECK:-}" ]; then
    build
    while IFS=$tab read -r rule cases _; do table "$cases" "$work/$rule"; done < "$work/rules"
fi
while IFS=$tab read -r rule cases file change; do mutate "$rule" "$cases" "$file" "$change"; done < "$work/rules"
[ -n "${CHECK:-}" ] || build
exit $green
