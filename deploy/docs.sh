#!/usr/bin/env bash
# Writes what pages take from the code, and builds the documentation of every module under .build/docs; a dead link fails.
# The modules and tests are built already.
set -euo pipefail
cd "$(dirname "$0")/.."

UPDATE_DOCS=1 deploy/test.sh --swift-only --filter 'page of the architecture|page of events|page of problems|page of access'

modules=.build/debug/Modules
graphs=.build/symbol-graphs
rm -rf "$graphs" .build/docs
mkdir -p "$graphs"
target=$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)
options=(-target "$target" -I "$modules" -minimum-access-level package -output-dir "$graphs")
for map in Sources/C*/module.modulemap .build/debug/CShims.build/module.modulemap; do
    options+=(-Xcc "-fmodule-map-file=$map")
done
for flag in $(pkg-config --cflags-only-I libpq libcrypto libcurl libmicrohttpd expat xlsxwriter); do
    options+=(-Xcc "$flag")
done
for module in "$modules"/*.swiftmodule; do
    module=$(basename "$module" .swiftmodule)
    case $module in
    *Tests | Soundness | paystream | simulate) continue ;;
    esac
    # A module of an earlier build may be none of today's.
    grep -q "\"$module\"" Package.swift || continue
    swift symbolgraph-extract -module-name "$module" "${options[@]}"
done
docc=$(dirname "$(readlink -f "$(command -v swiftc)")")/docc
"$docc" convert --fallback-display-name Paystream --fallback-bundle-identifier paystream \
    --additional-symbol-graph-dir "$graphs" --output-dir .build/docs --warnings-as-errors
echo "documentation of $(find "$graphs" -name '*.symbols.json' ! -name '*@*' | wc -l) modules in .build/docs"
