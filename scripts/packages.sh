# Installs the system packages on Debian 12 (bookworm); elsewhere names what is missing. Silent when all is there.

build_packages="g++ cmake ninja-build ccache pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler
  protobuf-compiler-grpc libfmt-dev nlohmann-json3-dev libcli11-dev libsimdjson-dev libre2-dev libssl-dev libsqlite3-dev
  jq python3 python3-pymysql python3-jsonschema"
fuzz_packages="clang-19 libclang-rt-19-dev"
format_packages="clang-format-19"
lint_packages="clang-19 clang-tidy-19 clang-format-19 shellcheck"

on_bookworm() { have apt-get && grep -q '^VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null; }

# prefer_system_tools: the packages are used even where another cmake, protoc or python is first in PATH; such a one
# would find libraries of its own.
prefer_system_tools() {
  user_path=$PATH
  system_python=python3
  on_bookworm || return 0
  PATH=/usr/bin:/bin:$PATH
  system_python=/usr/bin/python3
}

# need_for_build: all that ./dev build and ./dev test need.
need_for_build() {
  if on_bookworm; then
    need_packages $build_packages
    need_catch2
  else
    check_by_hand
  fi
}

# need_tools TOOL PACKAGE…: what only some commands need.
need_tools() {
  tool=$1
  shift
  if on_bookworm; then
    need_packages "$@"
  else
    have "$tool" || die "this system lacks $tool"
  fi
}

need_packages() {
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  can_be_root || die "missing packages, and no sudo to install them; as root: ./dev setup"
  say "installing system packages: $missing"
  log=$(mktemp)
  # The package lists may be empty or old.
  apt_install $missing >"$log" 2>&1 || { as_root apt-get -qq update && apt_install $missing; } >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    die "could not install them; as root: apt-get update && apt-get install $missing"
  }
  rm -f "$log"
}

# missing_packages PACKAGE…: prints those that are not installed.
missing_packages() {
  installed=$(dpkg-query -W -f ' ${Package}:${db:Status-Status} ' "$@" 2>/dev/null || true)
  for package in "$@"; do
    case "$installed" in *" $package:installed "*) ;; *) printf '%s ' "$package" ;; esac
  done
}

can_be_root() { [ "$(id -u)" -eq 0 ] || have sudo; }
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    return 1
  fi
}

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@"; }

# Catch2 3 is in the backports of bookworm, which itself has version 2. It is taken from the mirror that the machine
# uses already, by a source list that exists only during this call; the machine's own sources stay as they are.
need_catch2() {
  case $(dpkg-query -W -f '${db:Status-Status} ${Version}' libcatch2-dev 2>/dev/null) in "installed 3."*) return 0 ;; esac
  can_be_root || die "Catch2 3 is missing, and no sudo to install it; as root: ./dev setup"
  say "installing Catch2 3 from bookworm-backports (your apt sources stay as they are)"
  find_mirror || { as_root apt-get -qq update && find_mirror; } ||
    die "found no mirror of bookworm among the apt sources of this machine; install Catch2 3 by hand"
  apt=$(mktemp -d)
  mkdir -p "$apt/lists/partial"
  chmod -R a+rX "$apt"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keyring] $mirror bookworm-backports main" >"$apt/backports.list"
  set -- -o "Dir::Etc::SourceList=$apt/backports.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists" \
    -o Dir::Cache::PkgCache= -o Dir::Cache::SrcPkgCache=
  status=0
  { as_root apt-get -qq "$@" update && apt_install "$@" libcatch2-dev; } >"$apt/log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || cat "$apt/log" >&2
  as_root rm -rf "$apt" || true
  [ "$status" -eq 0 ] || die "could not install Catch2 3"
}
find_mirror() {
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' \
    'Component: main' | head -n 1)
  [ -n "$mirror" ]
}

# check_by_hand: on other systems; names every tool and library that is missing.
check_by_hand() {
  missing=
  for tool in c++ cmake ninja pkg-config protoc grpc_cpp_plugin; do
    have "$tool" || missing="$missing $tool"
  done
  for library in grpc++ protobuf fmt nlohmann_json CLI11 simdjson re2 libcrypto sqlite3 "catch2 >= 3"; do
    pkg-config --exists "$library" 2>/dev/null || missing="$missing ${library%% *}"
  done
  [ -z "$missing" ] || die "this system lacks:$missing (only on Debian 12 they are installed for you)"
}
