#!/usr/bin/env bash
# Makes a Debian 12 machine ready to build and run Paystream: checks the Swift toolchain, installs the Debian packages
# that lack, and touches nothing where nothing lacks.
#
# usage: deploy/bootstrap.sh [--browser] [--clients] [--pooler]
#   --browser   also wants Chromium, which the browser tests use
#   --clients   also wants what the tests of generated clients use: Node, the compiler of TypeScript, and Java
#   --pooler    also wants PgBouncer, behind which the tests put the store
set -euo pipefail

readonly SWIFT_SERIES="6.3"
readonly CLUSTER_OPTIONS="/etc/postgresql-common/createcluster.d"

packages=(
    libpq-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libexpat1-dev libcsv-dev zlib1g-dev libxlsxwriter-dev
    libjemalloc-dev
    pkg-config
    postgresql
    tzdata
    python3 python3-venv
    procps shellcheck
)

for argument in "$@"; do
    case "$argument" in
        --browser) packages+=(chromium) ;;
        --clients) packages+=(nodejs node-typescript openjdk-17-jre-headless) ;;
        --pooler) packages+=(pgbouncer) ;;
        *)
            echo "usage: deploy/bootstrap.sh [--browser] [--clients] [--pooler]" >&2
            exit 2
            ;;
    esac
done

check_toolchain() {
    local banner version
    if ! command -v swift >/dev/null; then
        echo "bootstrap: no 'swift' on PATH; Paystream needs the Swift $SWIFT_SERIES toolchain" >&2
        exit 1
    fi
    banner=$(swift --version 2>/dev/null)
    version=$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' <<<"$banner" | head -n 1)
    case "$version" in
        "$SWIFT_SERIES" | "$SWIFT_SERIES".*) ;;
        *)
            echo "bootstrap: found Swift ${version:-of an unknown version}, Paystream needs $SWIFT_SERIES.x" >&2
            exit 1
            ;;
    esac
}

is_installed() {
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

# Debian's postgresql starts a cluster of its own unless this is there before it. The folder is read from the settings
# that postgresql-common brings, so it may exist before the package.
forbid_main_cluster() {
    as_root mkdir -p "$CLUSTER_OPTIONS"
    echo "create_main_cluster = false" | as_root tee "$CLUSTER_OPTIONS/paystream.conf" >/dev/null
}

# Debian's pgbouncer starts a service, which nobody asked for.
forbid_pooler_service() {
    as_root mkdir -p /etc/systemd/system
    as_root ln -sf /dev/null /etc/systemd/system/pgbouncer.service
}

install_packages() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
}

check_toolchain

if ! command -v dpkg-query >/dev/null; then
    echo "bootstrap: this is no Debian; install the counterparts of: ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

if ! may_install; then
    echo "apt-get install --yes --no-install-recommends ${missing[*]}"
    echo "bootstrap: the packages above lack and neither root nor 'sudo -n' is at hand; run that line as root" >&2
    exit 1
fi

echo "bootstrap: installing ${missing[*]}"
for package in "${missing[@]}"; do
    [ "$package" != postgresql ] || forbid_main_cluster
    [ "$package" != pgbouncer ] || forbid_pooler_service
done
for package in "${missing[@]}"; do
    # Lists that know none of it are empty or old.
    if ! apt-cache show "$package" >/dev/null 2>&1; then
        as_root apt-get update
        break
    fi
done
install_packages "${missing[@]}" || {
    as_root apt-get update
    install_packages "${missing[@]}"
}
