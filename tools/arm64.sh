#!/bin/bash
# Builds kith for arm64 with the cross compiler of Debian 12 and runs its tests by qemu-user; then clusters
# a crawl with it and with the program of this machine, whose files must be the same byte for byte.
#
#   tools/arm64.sh [OPTION OF CTEST...]      for example -R sketch
#
# The libraries of arm64 come from the mirror of Debian into build/arm64-root; no package of arm64 is
# installed on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
root=$repository/build/arm64-root
jobs=${KITH_JOBS:-$(nproc)}
export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1

tools/install_packages.sh build test arm64

# apt for another machine, with lists and packages of its own.
apt_arm64() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$root.apt/state" \
    -o Dir::State::status="$root.apt/status" -o Dir::Cache="$root.apt/cache" "$@"
}

# A folder with the libraries that kith and its unit tests are linked with.
make_root() {
  local packages
  packages=$(awk '/^\[/ { inside = ($1 == "[build]") } inside && /^(lib.*|nlohmann.*|zlib.*)-dev$/' tools/packages.txt)
  rm -rf "$root" "$root.apt" "$root.unfinished"
  mkdir -p "$root.apt/state/lists/partial" "$root.apt/cache/archives/partial" "$root.unfinished/usr/lib"
  : >"$root.apt/status"
  apt_arm64 update
  # shellcheck disable=SC2086
  apt_arm64 install -y --no-install-recommends --download-only $packages \
    libc6-dev libstdc++-12-dev libgmock-dev libgtest-dev librapidcheck-dev
  ln -s usr/lib "$root.unfinished/lib"
  for package in "$root.apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root.unfinished"
  done
  # What the packages' scripts would do.
  ln -s blas/libblas.so.3 "$root.unfinished/usr/lib/aarch64-linux-gnu/libblas.so.3"
  rm -rf "$root.apt"
  mv "$root.unfinished" "$root"
}

[ -d "$root" ] || make_root
cmake --preset arm64
cmake --build --preset arm64 -j "$jobs"
# Not those that measure time.
ctest --preset arm64 -j "$jobs" -LE long "$@"

cmake --preset ci
cmake --build --preset ci -j "$jobs" --target kith
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
crawl=tests/data/crawl/sample.warc.gz
build/ci/bin/kith cluster "$crawl" -o "$work/here" --quiet
qemu-aarch64-static -L "$root" build/arm64/bin/kith cluster "$crawl" -o "$work/there" --quiet
for file in "$work"/here/*.kith; do cmp "$file" "$work/there/$(basename "$file")"; done
echo "arm64: the run of $crawl has the same files as that of this machine"
