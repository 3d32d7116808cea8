#!/bin/bash
# Fuzzes with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer (preset asan-ubsan, clang-14).
#
#   tools/fuzz.sh [SECONDS] [TARGET...]    60 seconds for each target; all of fuzz/*.cc
#
# Finds are kept in build/fuzz/corpus/TARGET for the next time. An input that fails lies at
# build/fuzz/TARGET-*; once its cause is known it goes under a good name to tests/data/fuzz/TARGET,
# where the test fuzz_TARGET runs it for ever.
#   KITH_JOBS   jobs at a time, and targets (default: one per processor)
set -uo pipefail
cd "$(dirname "$0")/.."

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^kith_fuzz(\([a-z_]*\) .*/\1/p' fuzz/CMakeLists.txt)

# What an input frees need not be kept for longer than an input takes: memory that is mapped anew
# makes half of the time of some targets.
export ASAN_OPTIONS=quarantine_size_mb=8:thread_local_quarantine_size_kb=64:${ASAN_OPTIONS:-}

jobs=${KITH_JOBS:-$(nproc)}

mkdir -p build/fuzz
cmake --preset asan-ubsan >build/fuzz.log || { cat build/fuzz.log; exit 1; }
cmake --build --preset asan-ubsan -j "$jobs" --target "${targets[@]/#/fuzz_}" || exit 1

fuzz() { # target
  local corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log folder arguments
  mkdir -p "$corpus"
  arguments=("$corpus")
  for folder in "fuzz/corpus/$1" "tests/data/fuzz/$1"; do
    [ -d "$folder" ] && arguments+=("$folder")
  done
  [ -f "fuzz/dict/$1.dict" ] && arguments+=("-dict=fuzz/dict/$1.dict")
  if build/asan-ubsan/bin/fuzz_"$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
      -artifact_prefix="build/fuzz/$1-" "${arguments[@]}" >"$log" 2>&1; then
    printf '%-14s %s\n' "$1" "$(tail -1 "$log")"
  else
    tail -60 "$log"
    echo "fuzz $1: failed; the input lies at build/fuzz/$1-*" >&2
    return 1
  fi
}

export seconds
export -f fuzz
# Exits with 123 when a target has failed, which has said so.
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I '{}' bash -c 'fuzz {}'
