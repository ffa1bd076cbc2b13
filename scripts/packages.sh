# Installs the system packages of Debian 12 (bookworm); elsewhere names what is missing. Silent when all is there.

build_packages="g++ cmake ninja-build ccache pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler
  protobuf-compiler-grpc libfmt-dev nlohmann-json3-dev libcli11-dev libsimdjson-dev libssl-dev
  jq python3 python3-pymysql"
fuzz_packages="clang-19 libclang-rt-19-dev"
format_packages="clang-format-19"
lint_packages="clang-19 clang-tidy-19 clang-format-19 shellcheck"

on_bookworm() { have apt-get && grep -q '^VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null; }

# missing_packages PACKAGE…: prints those that are not installed.
missing_packages() {
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    case "
$installed
" in *"
$package installed
"*) ;; *) printf '%s ' "$package" ;; esac
  done
}

# apt_install ARGUMENT…: quiet; when the package lists are empty or stale, they are fetched and it is tried again.
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >/dev/null 2>&1 ||
    { as_root apt-get -qq update >&2 &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >&2; }
}

# need_packages PACKAGE…: makes sure that they are installed.
need_packages() {
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing system packages: $missing"
  # shellcheck disable=SC2086 # a list of words
  apt_install $missing || die "could not install them; as root: apt-get install $missing"
}

# Catch2 3 is in the backports of bookworm, which has version 2 itself. A source list that exists only during this
# call, in a folder of its own, on the mirror that the machine already uses: the machine's own sources stay as they are.
need_catch2() {
  case $(dpkg-query -W -f '${db:Status-Status} ${Version}' libcatch2-dev 2>/dev/null) in "installed 3."*) return 0 ;; esac
  say "installing Catch2 3 from bookworm-backports (your apt sources stay as they are)"
  mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' | awk '$1 == "bookworm" && $2 == "main" { print $3; exit }')
  [ -n "$mirror" ] || die "cannot find a mirror of bookworm in the apt sources of this machine; install Catch2 3 by hand"
  apt=$(mktemp -d)
  mkdir -p "$apt/lists/partial"
  chmod -R a+rX "$apt"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm-backports main" >"$apt/backports.list"
  set -- -o "Dir::Etc::SourceList=$apt/backports.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists" \
    -o pkgCacheFile= -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
  status=0
  { as_root apt-get -qq "$@" update && as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends "$@" install libcatch2-dev; } >"$apt/log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || cat "$apt/log" >&2
  as_root rm -rf "$apt"
  [ "$status" -eq 0 ] || die "could not install Catch2 3"
}

# check_by_hand: on other systems; names every tool and library that is missing.
check_by_hand() {
  missing=
  for tool in c++ cmake ninja pkg-config protoc grpc_cpp_plugin; do
    have "$tool" || missing="$missing $tool"
  done
  if have pkg-config; then
    for library in grpc++ protobuf fmt nlohmann_json CLI11 simdjson openssl catch2; do
      pkg-config --exists "$library" || missing="$missing $library"
    done
    pkg-config --atleast-version=3 catch2 2>/dev/null || missing="$missing catch2>=3"
  fi
  [ -z "$missing" ] || die "this system lacks:$missing (installed by ./dev only on Debian 12)"
}

# need_for_build: everything that ./dev build and ./dev test need.
need_for_build() {
  if on_bookworm; then
    # shellcheck disable=SC2086 # a list of words
    need_packages $build_packages
    need_catch2
  else
    check_by_hand
  fi
}

# need_tools TOOL PACKAGE…: for the tools that only some commands need.
need_tools() {
  tool=$1
  shift
  if on_bookworm; then need_packages "$@"; else have "$tool" || die "this system lacks $tool"; fi
}
