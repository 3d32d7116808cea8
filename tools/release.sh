#!/bin/bash
# Makes all that a release consists of, on Debian 12, from a clean clone of the commit that is checked out.
#
#   tools/release.sh            to build/release-VERSION/
#   tools/release.sh --check    again in another folder, without ccache; fails unless all bytes are the same
#
#   kith-VERSION.tar.gz                 the sources
#   kith-VERSION-linux-x86_64.tar.gz    the program, linked statically, for any Linux
#   kith_VERSION_amd64.deb              the package for Debian 12
#   kith_web-VERSION-*.whl              the Python package, for each interpreter that is there (tools/wheel.sh)
#   kith-VERSION.spdx.json              what it is made of (tools/sbom.py)
#   SHA256SUMS
#
# Times are those of the commit, paths are relative, and what is packed is sorted, so that the bytes
# depend on the commit, the Debian packages and the build tools of PyPI; --check finds what else they
# depend on.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD

tools/install_packages.sh build python web package release
if [ -n "$(git status --porcelain)" ]; then
  echo "release: there are changes that no commit has; they would not be released" >&2
  exit 1
fi
version=$(sed -n 's/^project(kith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -q "^## $version" CHANGELOG.md || { echo "release: CHANGELOG.md has no entry $version" >&2; exit 1; }
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC PYTHONHASHSEED=0
umask 022
made=$repository/build/release-$version
work=$repository/build/release-clone
if [ "${1:-}" = --check ]; then
  [ -f "$made/SHA256SUMS" ] || { echo "release: --check needs what tools/release.sh has made" >&2; exit 1; }
  expected=$made/SHA256SUMS
  made=$(mktemp -d)
  work=$made/another/folder
  trap 'rm -rf "$made"' EXIT
  export CCACHE_DISABLE=1
fi
rm -rf "$made" "$work"
mkdir -p "$made" "$(dirname "$work")"
git clone -q --no-hardlinks "$repository" "$work"
cd "$work"
git checkout -q --detach "$commit"
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
jobs=${KITH_JOBS:-$(nproc)}

# A .tar.gz of a folder, the same for the same files.
pack() { # parent folder archive
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -cf - "$2" | gzip -9 -n >"$3"
}

build() { # preset
  cmake --preset "$1" >"$1.log" && cmake --build --preset "$1" -j "$jobs" >>"$1.log" ||
    { tail -50 "$1.log" >&2; return 1; }
}

echo "release: the sources"
git archive --format=tar --prefix="kith-$version/" "$commit" | gzip -9 -n >"$made/kith-$version.tar.gz"

echo "release: the Debian package"
build package
cpack --preset package >>package.log || { tail -50 package.log >&2; exit 1; }
deb=build/package/kith_${version}_amd64.deb
lintian --fail-on error --suppress-tags bogus-mail-host "$deb"
cp "$deb" "$made/"

echo "release: the static program"
KITH_JOBS=$jobs tools/static_libraries.sh >static-libraries.log
build static
name=kith-$version-linux-x86_64
DESTDIR=$PWD/stage cmake --install build/static --strip >>static.log
mkdir -p "$name/licences"
mv stage/usr/bin stage/usr/share "$name/"
cp README.md CHANGELOG.md LICENSE "$name/"
# Of what is linked into it; the sources are those of Debian.
linked=$(awk '/^\[/ { inside = ($1 == "[build]") } inside && /^(lib.*|nlohmann.*|zlib.*)-dev$/' tools/packages.txt)
for package in $linked libblas-dev nettle-dev libc6-dev libstdc++-12-dev; do
  cp -L "/usr/share/doc/$package/copyright" "$name/licences/$package"
done
pack . "$name" "$made/$name.tar.gz"
tools/static_alone.sh "$name/bin/kith" tests/data/crawl/sample.warc.gz build/package/bin/kith

echo "release: the Python package"
tools/wheel.sh >wheel.log || { tail -50 wheel.log >&2; exit 1; }
cp build/wheels/kith_web-*.whl "$made/"

tools/sbom.py --version "$version" --commit "$commit" --date "$SOURCE_DATE_EPOCH" --deb "$deb" \
  >"$made/kith-$version.spdx.json"
cd "$made"
LC_ALL=C bash -c 'sha256sum kith*' >SHA256SUMS
if [ -n "${expected:-}" ]; then
  diff "$expected" SHA256SUMS || {
    trap - EXIT
    rm -rf "$made/another"
    echo "release: the bytes differ; both are kept, in $(dirname "$expected") and $made" >&2
    exit 1
  }
  echo "release: the same bytes in another folder"
  exit 0
fi
rm -rf "$work"
ls -l "$made"
