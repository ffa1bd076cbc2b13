# What every script here starts with: the folder of the sources, how to talk, how to become root.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
while [ ! -f "$root/CMakePresets.json" ] && [ "$root" != / ]; do root=$(dirname "$root"); done
cd "$root"

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# as_root COMMAND…: runs it as root; fails when there is no way to.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    return 1
  fi
}
