#!/usr/bin/env bash
# Installs the programs of a real Vitess cluster for the tests: Vitess 24.0.4 (built from its Go module), MySQL 9.7 and
# etcd (Debian sid's packages, unpacked apart from the system) and PyMySQL (likewise).
#
#   tests/vitess/setup.sh           install what is missing; silent and quick when nothing is
#   tests/vitess/setup.sh --path    print the folder and exit
#
# All of it goes to $VSTREAM_CACHE/vitess-24.0.4 (default: the user's cache folder; /var/cache/vstream when that is a
# folder of root's that no other user can enter). Outside of it python3, jq and ca-certificates are installed if they
# are missing, the user "vitess" is made, because mysqld refuses to run as root, and Go's own caches grow.
#
# Every step builds beside its place and moves the result there in one step, so an interrupted run is just repeated.
# Exit code: 0 done, 77 this machine cannot run it (one line on stderr says why), 1 it failed.
set -euo pipefail

readonly vitess=24.0.4 module=v0.24.4
readonly programs=(vtgate vttablet vtctld vtctldclient mysqlctl)

say() { printf 'vitess setup: %s\n' "$*" >&2; }
cannot() { printf 'cannot run a Vitess cluster here: %s\n' "$*" >&2; exit 77; }
fail() { say "$*"; exit 1; }

cache_folder() {
  local base=${VSTREAM_CACHE:-}
  [ -n "$base" ] || base=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/vstream
  if [ -z "${VSTREAM_CACHE:-}" ] && [ "$(id -u)" = 0 ] && [[ $base/ == /root/* ]]; then base=/var/cache/vstream; fi
  printf '%s/vitess-%s\n' "$base" "$vitess"
}

find_go() {
  local go
  for go in "$(command -v go || true)" /usr/local/go/bin/go; do
    if [ -x "$go" ]; then printf '%s\n' "$go"; return; fi
  done
}

# Go 1.21 and newer fetch the toolchain that a module asks for by themselves.
go_can_fetch_toolchains() { "$1" version | grep -Eq 'go(1\.(2[1-9]|[3-9][0-9])|[2-9])'; }

debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null |
    head -n 1
}

# What a machine that builds C++ need not have: the tests' Python and jq, and the certificates that Go wants to see.
install_packages() {
  local missing=()
  [ -x /usr/bin/python3 ] || missing+=(python3)
  [ -x /usr/bin/jq ] || missing+=(jq)
  [ -e /etc/ssl/certs/ca-certificates.crt ] || missing+=(ca-certificates)
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

make_user() {
  id vitess >/dev/null 2>&1 && return
  say 'making the user "vitess"'
  useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin vitess
}

build_vitess() {
  [ -d bin ] && return
  say "building Vitess $vitess with Go (5 to 15 minutes and 3 GB in Go's caches the first time)"
  rm -rf build && mkdir -p build/bin
  (
    cd build
    printf 'module rig\n\ngo 1.26.0\n' > go.mod
    packages=("${programs[@]/#/vitess.io/vitess/go/cmd/}")
    "$go" get -tool "${packages[@]/%/@$module}" 2>go.log || { cat go.log >&2; exit 1; }
    GOBIN=$PWD/bin "$go" install tool 2>go.log || { cat go.log >&2; exit 1; }
  )
  mv build/bin bin && rm -rf build
}

# apt with a state of its own: it reads the machine's settings (proxies, keys) but neither its sources nor its packages.
sid_apt() {
  local a=$folder/apt option options=()
  for option in Dir::Etc::SourceList="$a/sources.list" Dir::Etc::SourceParts=/dev/null Dir::Etc::Preferences=/dev/null \
    Dir::Etc::PreferencesParts=/dev/null Dir::State::Lists="$a/lists" Dir::State::status="$a/status" \
    Dir::State::extended_states="$a/extended_states" Dir::Cache::Archives="$a/archives" Dir::Cache::pkgcache= \
    Dir::Cache::srcpkgcache= APT::Install-Recommends=false APT::Sandbox::User=root; do
    options+=(-o "$option")
  done
  apt-get "${options[@]}" "$@"
}

download_packages() {
  local mirror
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then
    say "reading the package lists"
    apt-get update -qq
    mirror=$(debian_mirror)
  fi
  [ -n "$mirror" ] || cannot "apt knows no Debian mirror"
  rm -rf apt && mkdir -p apt/lists/partial apt/archives/partial && : > apt/status
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keys" ] || fail "no Debian keys ($keys): install debian-archive-keyring"
  printf 'deb [signed-by=%s] %s sid main\n' "$keys" "$mirror" > apt/sources.list
  sid_apt update -qq
  sid_apt install -y -qq --download-only mysql-server-core etcd-server >/dev/null
  (cd apt/archives && sid_apt download -qq python3-pymysql) # alone: its interpreter is the machine's
}

unpack_packages() {
  [ -d root ] && return
  say "fetching MySQL, etcd and PyMySQL (Debian sid, unpacked into the cache folder)"
  download_packages
  rm -rf root.new && mkdir root.new
  local deb
  for deb in apt/archives/*.deb; do dpkg-deb -x "$deb" root.new; done
  rm -rf apt && mv root.new root
}

# Programs of sid need sid's C library: start them through its loader.
wrap() {
  local root=$PWD/root loader libraries
  loader=$(echo "$root"/usr/lib*/ld-linux-*.so.*)
  libraries=$(echo "$root"/usr/lib/*-linux-gnu)
  printf '#!/bin/sh\nexec %q --library-path %q %q "$@"\n' "$loader" "$libraries" "$root/$1" > "$2.new"
  chmod 755 "$2.new" && mv "$2.new" "$2"
}

# A folder that looks like an installed MySQL to Vitess (VT_MYSQL_ROOT, also mysqld's basedir).
make_mysql_root() {
  mkdir -p mysql/sbin mysql/bin
  ln -sfn "$PWD/root/usr/share" mysql/share
  ln -sfn "$PWD/root/usr/lib" mysql/lib
  wrap usr/sbin/mysqld mysql/sbin/mysqld
  wrap usr/bin/etcd mysql/bin/etcd
}

check() {
  mysql/sbin/mysqld --version >/dev/null || fail "mysqld does not start"
  mysql/bin/etcd --version >/dev/null || fail "etcd does not start"
  PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import pymysql' || fail "PyMySQL does not load"
  runuser -u vitess -- test -x "$PWD/bin/vtgate" ||
    fail "the user \"vitess\" cannot enter $PWD: set VSTREAM_CACHE to a folder that all can enter"
}

main() {
  folder=$(cache_folder)
  [ "${1:-}" != --path ] || { printf '%s\n' "$folder"; return; }
  [ "$(uname -s)" = Linux ] || cannot "it needs Linux"
  [ "$(id -u)" = 0 ] || cannot "it needs root (mysqld runs as a user of its own)"
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "it needs Debian's apt"
  if [ ! -e "$folder/complete" ]; then
    go=$(find_go)
    [ -n "$go" ] || cannot "it needs Go (1.21 or newer) to build Vitess"
    go_can_fetch_toolchains "$go" || cannot "it needs Go 1.21 or newer to build Vitess, found: $("$go" version)"
  fi
  install_packages
  make_user
  export HOME=${HOME:-/root} # where Go keeps its caches
  umask 022
  mkdir -p "$folder" && cd "$folder"
  exec 9>lock && flock 9
  [ ! -e complete ] || return 0
  build_vitess
  unpack_packages
  make_mysql_root
  check
  : > complete
  say "done: $folder"
}

main "$@"
