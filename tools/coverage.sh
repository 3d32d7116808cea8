#!/bin/bash
# Prints which share of the lines and branches of every room of src/ and apps/ the tests take, by clang's counters.
#
#   tools/coverage.sh              builds the preset coverage, runs its tests except for the longest, prints
#   tools/coverage.sh --no-tests   prints what the last run counted
#   tools/coverage.sh --missing    likewise, and each file with the numbers of lines that no test takes
#
# A test program that is killed on purpose loses its counts. Tests in Python of the package are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/coverage
counts=$folder/counts
merged=$folder/all.profdata

case "$*" in
  '' | --no-tests | --missing) ;;
  *) echo "coverage: '$*': there are --no-tests and --missing, one at a time; see $0" >&2; exit 2 ;;
esac

if [ $# -eq 0 ]; then
  mkdir -p build
  cmake --preset coverage >build/coverage.log || { cat build/coverage.log; exit 1; }
  cmake --build --preset coverage -j "${KITH_JOBS:-$(nproc)}"
  rm -rf "$counts"
  # Programs of one kind add up in one of four files.
  LLVM_PROFILE_FILE=$PWD/$counts/%4m.profraw ctest --preset coverage -j "${KITH_JOBS:-$(nproc)}" -LE long ||
    echo "coverage: some tests failed; what they counted is counted"
  find "$counts" -name '*.profraw' -print0 | xargs -0 llvm-profdata-14 merge --failure-mode=all -sparse -o "$merged"
fi

[ -f "$merged" ] || { echo "coverage: no counts in $folder; run tools/coverage.sh first" >&2; exit 1; }
objects=()
for program in "$folder"/bin/*; do
  [ -x "$program" ] && [ -f "$program" ] && objects+=(-object "$program")
done
llvm-cov-14 export -format=text -skip-functions -instr-profile "$merged" "${objects[@]}" |
  python3 tools/coverage_table.py ${1:+"$1"}
