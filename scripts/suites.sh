# The suites behind ./dev test, asan, tsan, long, fuzz, lint, and bench. Each adds its results to the tally and goes
# on, so that one run shows everything that is wrong.

our_sources() { find cli examples lib tests \( -name '*.h' -o -name '*.cpp' \) -print0; }

suite_test() {
  build dev
  run_ctest dev
  suite_vitess
}

# The suite on a real cluster ends with 77 where it cannot run, with 1 if VSTREAM_VITESS=require forbids that.
# suite_vitess [--long]: the long forms instead; what the programs said is kept in build/dev/vitess/.
suite_vitess() {
  say "tests on a real Vitess cluster $*"
  log=build/dev/vitess${1:-}.log
  mkdir -p build/dev/vitess
  {
    result=0
    PATH=$user_path "$system_python" tests/vitess/run.py --vstream "$root/build/dev/cli/vstream" \
      --logs build/dev/vitess "$@" 2>&1 || result=$?
    echo "exit code $result"
  } | tee "$log"
  counts=$(sed -n 's/^vitess: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
  case $(tail -n 1 "$log") in
    "exit code 0") record "vitess$* ${counts:-1 0}" ;;
    "exit code 77") record "vitess$* 0 0 <-- SKIPPED:$(sed -n 's/.*SKIPPED://p' "$log" | head -n 1)" ;;
    *) record "vitess$* ${counts:-0 1} <-- see above" ;;
  esac
}

suite_asan() {
  build asan
  run_ctest asan
}

# ThreadSanitizer cannot map its shadow under the address randomisation of newer kernels.
suite_tsan() {
  launcher=
  if setarch "$(uname -m)" -R true 2>/dev/null; then launcher="setarch $(uname -m) -R"; fi
  build tsan
  run_ctest tsan
  launcher=
}

suite_long() {
  suite_test
  say "a transaction of two gibibytes, a million heartbeats"
  run_as_test cli.memory.long env VSTREAM_LONG=1 VSTREAM="$root/build/dev/cli/vstream" "$system_python" \
    tests/cli/test_memory.py
  say "10,000 random streams"
  run_as_test property.long env VSTREAM_PROPERTY_RUNS=10000 VSTREAM_PROPERTY_GRPC_RUNS=1000 \
    build/dev/tests/property/property_tests
  suite_vitess --long
  suite_tsan
  suite_fuzz 600
}

# suite_fuzz [SECONDS] [NAME]: what a fuzzer learns is kept in build/fuzz/corpus/, a finding is left beside it.
suite_fuzz() {
  need_tools clang++-19 $fuzz_packages
  build fuzz fuzzers
  for source in tests/fuzz/*_fuzz.cpp; do
    name=$(basename "$source" _fuzz.cpp)
    [ -f "$source" ] && [ "${2:-$name}" = "$name" ] || continue
    seeds="tests/fuzz/corpus/$name"
    learned="build/fuzz/corpus/$name"
    mkdir -p "$learned"
    [ -d "$seeds" ] || seeds=
    say "fuzzing $name for ${1:-60} s"
    run_as_test "fuzz.$name" run_fuzzer "$name" "${1:-60}" "$learned" $seeds
  done
}

# run_fuzzer NAME SECONDS FOLDER…: its talk goes to a file; the numbers are shown, after a finding all of it.
run_fuzzer() {
  name=$1
  seconds=$2
  shift 2
  log="build/fuzz/$name.log"
  if "build/fuzz/tests/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "$@" >"$log" 2>&1; then
    grep '^stat::.*\(executed_units\|new_units\)' "$log"
  else
    cat "$log"
    return 1
  fi
}

suite_lint() {
  need_tools clang-tidy-19 $lint_packages
  build dev vstream_proto
  say "the rules of the house"
  for script in tests/house/*.sh; do run_as_test "house.$(basename "$script" .sh)" sh "$script"; done
  say "clang-format"
  run_as_test clang-format check_format
  say "clang-tidy"
  run_as_test clang-tidy check_tidy
}
check_format() { our_sources | xargs -0 clang-format-19 --dry-run -Werror; }
# What it finds goes to stdout; on stderr it counts what it hides.
check_tidy() {
  find cli examples lib tests/unit tests/property -name '*.cpp' -print0 |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
}

bench() {
  build release
  for source in tests/bench/*_bench.cpp; do
    [ ! -f "$source" ] || "build/release/tests/bench/$(basename "$source" .cpp)" "$@"
  done
}
