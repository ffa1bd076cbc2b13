# Read by ./dev first: how to talk, how to build, how to count.
set -eu

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Objects are found again in the compiler cache wherever the sources are.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

# build PRESET [TARGET…]: everything, or the targets.
build() {
  preset=$1
  shift
  mkdir -p "build/$preset"
  log="build/$preset/configure.log"
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    die "could not configure build/$preset"
  fi
  say "building build/$preset"
  ${launcher:-} cmake --build --preset "$preset" ${1:+--target "$@"}
}

# The tally: one line a suite, "name passed failed note", in a file shared with the ./dev that called us.
begin_tally() {
  [ -z "${VSTREAM_TALLY:-}" ] || return 0
  VSTREAM_TALLY=$(mktemp)
  export VSTREAM_TALLY
  tally_is_ours=1
}
record() { printf '%s\n' "$*" >>"$VSTREAM_TALLY"; }

# run_as_test NAME COMMAND…: one test for the tally that passes or fails as a whole.
run_as_test() {
  test_name=$1
  shift
  if "$@"; then
    record "$test_name 1 0"
  else
    record "$test_name 0 1 <-- see above"
  fi
}

# run_ctest PRESET: the tests of a preset; the tally gets their numbers.
run_ctest() {
  log="build/$1/ctest.log"
  # In a terminal ctest colours the line that is read here.
  CLICOLOR=0 ${launcher:-} ctest --preset "$1" --output-log "$log" || true
  counts=$(sed -n 's/^.* tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log" | tail -n 1)
  if [ -z "$counts" ]; then
    record "$1 0 1 <-- did not run"
  else
    record "$1 $((${counts#* } - ${counts% *})) ${counts% *}"
  fi
}

# end_tally: prints the tally, ends with a line like that of ctest and with the verdict, unless a caller does so.
end_tally() {
  [ -n "${tally_is_ours:-}" ] || return 0
  verdict=0
  awk '
    BEGIN { print "" }
    {
      passed += $2; failed += $3; note = ""
      for (i = 4; i <= NF; i++) note = note " " $i
      printf "  %-16s %4d passed, %d failed%s\n", $1, $2, $3, note
    }
    END {
      total = passed + failed
      printf "\n%d%% tests passed, %d tests failed out of %d\n", total ? int(100 * passed / total) : 0, failed, total
      exit (failed > 0 || total == 0)
    }' "$VSTREAM_TALLY" || verdict=1
  rm -f "$VSTREAM_TALLY"
  exit "$verdict"
}
