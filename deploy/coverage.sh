#!/usr/bin/env bash
# Prints line coverage per file of Sources/, from the tests that were run with coverage under a scratch folder.
#
# usage: deploy/coverage.sh SCRATCH-FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

build="$1/debug"
# Only the toolchain's own reader knows the format that its compiler writes.
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
"$toolchain/llvm-cov" report "$build/paystreamPackageTests.xctest" \
    --instr-profile="$build/codecov/default.profdata" \
    --ignore-filename-regex='(^|/)(\.build[^/]*|Tests|TestKit)/'
