#!/bin/sh
# run.sh BUILD TRY [CMAKE-OPTION…]: installs BUILD below TRY, builds project/ against that, and runs it.
set -eu
build=$1
try=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd -P)
rm -rf "$try"
mkdir -p "$try"
"$CMAKE" --install "$build" --prefix "$try/prefix" >"$try/install.log" || { cat "$try/install.log" && exit 1; }
"$CMAKE" -S "$here/project" -B "$try/build" "-DCMAKE_PREFIX_PATH=$try/prefix" "$@"
"$CMAKE" --build "$try/build"
"$try/build/count_orders"
"$try/prefix/bin/vstream" --version
