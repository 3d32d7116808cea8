#!/bin/bash
# Checks the project on Debian 12: installs what is missing, builds, tests.
#
#   tools/test.sh              the quick steps: layers format ci
#   tools/test.sh all          every step of CI: also python journeys site alone tidy asan tsan fuzz
#   tools/test.sh nightly      the same, with the longest tests, the tests of the program and more modules
#                              under sanitizers, longer fuzzing, memcheck, differential, and coverage
#                              (which lines and branches the tests take)
#   tools/test.sh STEP...      some of them
#
# Further steps are run when one fails; the end lists each with its time. A step is a few lines
# below, and calls a CMake preset or a script of tools/ that can be called by itself.
#   KITH_FUZZ_SECONDS   seconds for each fuzz target (default 5; nightly 60)
#   KITH_JOBS           jobs at a time (default: one per processor)
set -uo pipefail
cd "$(dirname "$0")/.."

# Clones in any folder share what ccache has.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# As in CMakePresets.json, which pip does not read: without it ccache keeps nothing made with a
# precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

quick_steps="layers format ci"
all_steps="$quick_steps python journeys site alone tidy asan tsan fuzz"
nightly_steps="$all_steps long memcheck differential coverage"
jobs=${KITH_JOBS:-$(nproc)}
# RapidCheck's cases of a property under a sanitizer; without one they are 100.
few_cases=max_success=25
summary=()
failed=()

step_layers() { tools/check_layers.py && tools/check_links.py; }

step_format() {
  find include src apps python examples tests bench fuzz -path tests/data -prune -o \
      \( -name '*.h' -o -name '*.cc' \) -print0 |
    xargs -0 clang-format-14 --dry-run -Werror && echo "format: all files are as .clang-format says" && check_lines
}

# Prints where a line has more than 120 columns. Rows of tables cannot be wrapped, and data is as it is.
check_lines() {
  LC_ALL=C.UTF-8 grep -rnoIP '^(?!\|).{121}' . tests/data/*/README.md \
    --exclude-dir={.git,'.*cache',build,node_modules,data,corpus,dict} \
    --exclude={openapi.json,package-lock.json,'*.ipynb','*.svg','*.tsv'}
  [ $? -eq 1 ] && echo "format: no line has more than 120 columns"
}

# Configures and builds a preset; further arguments are targets.
build() { # preset [target...]
  local preset=$1
  shift
  cmake --preset "$preset" >build/"$preset".log || { cat build/"$preset".log; return 1; }
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# Runs the tests of a preset (by the program `runner`, if set) and keeps ctest's verdict.
run_tests() { # preset [ctest argument...]
  local preset=$1 log=build/$1-ctest.log status
  shift
  "${runner[@]}" ctest --preset "$preset" -j "$jobs" "$@" | tee "$log"
  status=${PIPESTATUS[0]}
  verdict=$(grep 'tests passed' "$log")
  return "$status"
}

# Builds and runs the unit tests of `modules`.
run_modules() { # preset
  build "$1" "${modules[@]/#/test_}" && run_tests "$1" -R "^($(IFS='|'; echo "${modules[*]}"))\$"
}

step_ci() { build ci && run_tests ci -LE long; }

step_long() { build ci && run_tests ci -L long; }

# The package is built as the preset ci builds, so that ccache has most of it already. Two files of
# tests run at a time: Spark waits for its tasks most of the time. What kith serve answers is compared
# with its description by a package of PyPI as well.
step_python() {
  local venv=build/python-venv wheels=build/python-wheel
  rm -rf "$wheels"
  python3 -m venv --clear "$venv" &&
    CMAKE_CXX_COMPILER_LAUNCHER=ccache "$venv/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$wheels" \
      --config-settings=cmake.define.CMAKE_CXX_COMPILER=g++ \
      --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O2 \
      --config-settings=cmake.define.KITH_WERROR=ON . &&
    "$venv/bin/pip" install -q --disable-pip-version-check "$(echo "$wheels"/*.whl)[test]" &&
    "$venv/bin/python" -m mypy --cache-dir build/mypy python/kith python/tests python/examples &&
    "$venv/bin/python" -m pytest -q -p no:cacheprovider --durations 10 -n 2 --dist loadfile &&
    build ci kith &&
    KITH=$PWD/build/ci/bin/kith "$venv/bin/python" -m pytest -q -p no:cacheprovider tests/api
}

# What five kinds of users do, with the wheel and the libraries of the step python and the program of ci.
step_journeys() {
  local walk status=0 python=$PWD/build/python-venv/bin/python
  build ci || return 1
  for walk in tests/journeys/*.sh; do
    [ "$walk" = tests/journeys/steps.sh ] ||
      KITH_BUILD=$PWD/build/ci KITH_WHEEL=$(echo "$PWD"/build/python-wheel/*.whl) KITH_PYTHON=$python \
        KITH_LIBRARIES=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
        bash "$walk" || status=1
  done
  return "$status"
}

# After the step python, whose stub has the classes of the compiled module.
step_site() { tools/site.sh; }

# Configures FOLDER as the preset ci, with the sources of the package, and makes what is generated only.
configure_all() { # folder [argument...]
  local folder=$1 venv=build/nanobind-venv
  shift
  { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } &&
    "$venv/bin/pip" install -q --disable-pip-version-check 'nanobind>=2.4,<4' &&
    cmake --preset ci -B "$folder" -D KITH_BUILD_PYTHON=ON -D KITH_BUILD_TESTS=OFF \
      -D Python_EXECUTABLE="$PWD/$venv/bin/python" "$@" >"$folder.log" &&
    cmake --build "$folder" --target kith_generated kith_commit >>"$folder.log" || { cat "$folder.log"; return 1; }
}

step_alone() { configure_all build/alone -D KITH_TOGETHER=0 && tools/check_alone.py build/alone --jobs "$jobs"; }

# Sources are read together, which is faster.
step_tidy() { configure_all build/tidy && tools/run_clang_tidy.py build/tidy --jobs "$jobs" src/ apps/ python/; }

# The modules that read bytes of strangers or keep files of their own; by night all, and the tests of the
# program except for the longest: limits on memory mean nothing here. Of tests that repeat a job with other
# parameters one is enough. Long unit tests that repeat a job by other numbers of threads run under
# ThreadSanitizer only; those that see how time grows run without any sanitizer.
step_asan() {
  local long='^cli_(classify|cluster_families|dedup_families|dedup_memory|evaluate|full_disk|manual|memory'
  long+='|neighbours|open_files|options|pairs|paper|resume|serve_load|shard|smooth|stream|synthetic|topics'
  long+='|tune_fingerprint)$'
  local modules=(base text crawl bags dedup server stream)
  local -x GTEST_FILTER='-OtherSites.OfTables*:ExactPairs.Equal*:*OfATemplateGrow*:*InLinearTime*'
  GTEST_FILTER+=':Refinement.*ListsInFiles:RareWords.BagsAreRead*:Kinds/Resume.*/0:Kinds/Resume.*/1:Kinds/Resume.*/2'
  GTEST_FILTER+=':HtmlHostile.Megabytes*:ToUtf8.HostileBytesAreLinear:*DedupCopyTest.GoesOn*/1'
  GTEST_FILTER+=':RareWords.*OnOtherSites:*RefinementOf.*Threads*:LshJoin*.*TheSame*Threads*'
  GTEST_FILTER+=':SimhashJoin.Threads*:DedupFamiliesTest.*Threads*:Tree.*Threads*:SmoothStage.*Threads*'
  local -x RC_PARAMS=$few_cases
  if [ -n "$is_nightly" ]; then
    build asan-ubsan && run_tests asan-ubsan -E "$long|^tools_|^html5lib_twin\$|^evaluate_sklearn\$"
  else
    run_modules asan-ubsan
  fi
}

# The modules that run on several threads; by night all of them, else those that hand out the work: the
# pool, and the reader. What gives the same by any number of threads has a test that
# says so; those are run, and whole jobs. Some long ones run under AddressSanitizer only.
step_tsan() {
  local modules=(parallel crawl)
  [ -n "$is_nightly" ] && modules+=(bags similar sets cluster topics dedup jobs server)
  local -x GTEST_FILTER='*Thread*:Background.*:FirstError.*:RadixSort*:LeaderIndex.IsCenterOnClusteredBags'
  GTEST_FILTER+=':Admission.*:*Pipeline.*:DedupTest.*:Site.*:HttpServer.*:Loopback.*'
  GTEST_FILTER+='-ExactJoin.Equals*:LshJoinFamilies.HaveAll*'
  local -x RC_PARAMS=$few_cases
  # Some kernels randomise addresses more widely than this ThreadSanitizer can follow.
  setarch -R true 2>/dev/null && runner=(setarch -R)
  run_modules tsan
}

step_fuzz() { tools/fuzz.sh "${KITH_FUZZ_SECONDS:-5}"; }

# Decisions that depend on bytes which nothing has written, where files and strangers' bytes are read.
# MemorySanitizer would report those of ICU, zstd and the C++ library as well, which are not compiled with it.
# Tests of time and of size are left out: everything takes some forty times as long.
step_memcheck() {
  local modules=(base crawl text stream server) status=0 module
  local -x RC_PARAMS=$few_cases GTEST_FILTER='-*Linear*:*Megabytes*:*Threads*:*Grow*:*Simulation.*'
  build ci "${modules[@]/#/test_}" || return 1
  for module in "${modules[@]}"; do
    valgrind -q --error-exitcode=1 "build/ci/bin/test_$module" --gtest_brief=1 || status=1
  done
  return "$status"
}

step_coverage() { tools/coverage.sh; }

# The readers of WARC and HTML beside those of PyPI, which are installed into a Python of their own.
step_differential() {
  local venv=build/differential-venv kith=build/ci/bin/kith
  { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } &&
    PATH=$PWD/$venv/bin:$PATH tools/install_packages.sh differential &&
    build ci kith || return 1
  "$venv/bin/python" -B tests/differential/warc_twin.py "$kith" --seeds 1000 &&
    "$venv/bin/python" -B tests/differential/text_twin.py "$kith" --pages 1000 \
      tests/data/crawl/sample.warc.gz tests/data/warc/*/*.warc.gz
}

run_step() { # name
  local start=$SECONDS result=passed
  verdict=
  runner=()
  printf '\n==== %s ====\n' "$1"
  if ! "step_$1"; then
    result=FAILED
    failed+=("$1")
  fi
  summary+=("$(printf '%-12s %-6s %4d s  %s' "$1" "$result" $((SECONDS - start)) "$verdict")")
}

steps=${*:-$quick_steps}
is_nightly=
if [ "$steps" = nightly ]; then
  is_nightly=yes
  : "${KITH_FUZZ_SECONDS:=60}"
  export KITH_ALL_FAULTS=1 # tests/support/fault_loop.h
  steps=$nightly_steps
fi
[ "$steps" = all ] && steps=$all_steps
for step in $steps; do
  [[ " $nightly_steps " == *" $step "* ]] ||
    { echo "test.sh: no step '$step'; there are: all nightly $nightly_steps" >&2; exit 2; }
done
printf '==== packages ====\n'
tools/install_packages.sh build python web test || exit 1
mkdir -p build
for step in $steps; do
  run_step "$step"
done

printf '\n==== summary ====\n'
printf '%s\n' "${summary[@]}"
printf 'total    %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "all steps passed"
