#!/bin/bash
# Tries the Debian package in a fresh Debian 12 that has nothing else: installs it by apt, clusters a
# crawl, then installs a compiler and builds the outside project of tests/install with it, and removes
# it.
#
#   tools/deb_alone.sh DEB
#
# Needs root, a network and debootstrap. The root is a tmpfs in a mount namespace of its own: it is gone
# when the script ends, however that is.
set -euo pipefail

if [ "$1" != --inside ]; then
  [ "$(id -u)" -eq 0 ] || { echo "deb_alone: needs root" >&2; exit 1; }
  command -v debootstrap >/dev/null ||
    { echo "deb_alone: needs debootstrap: tools/install_packages.sh release" >&2; exit 1; }
  deb=$(realpath "$1")
  cd "$(dirname "$0")/.."
  exec unshare --mount --propagation private tools/deb_alone.sh --inside "$deb"
fi
deb=$2
mirror=$(tools/debian_mirror.sh)

root=$(mktemp -d)
trap 'cd /; umount --recursive "$root" && rmdir "$root"' EXIT
mount -t tmpfs -o size=3G none "$root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
rm "$root.log"
mount -t proc none "$root/proc"
mkdir "$root/work"
cp "$deb" "$root/work/kith.deb"
cp tests/data/crawl/sample.warc.gz "$root/work/"
cp --parents -r tests/install include/kith docs/library.md "$root/work/"
cp /etc/resolv.conf "$root/etc/resolv.conf"

inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
install() {
  local log=$root/work/apt.log
  inside apt-get -qq install -y --no-install-recommends "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}
inside apt-get -qq update
install /work/kith.deb
inside kith --version
inside kith cluster /work/sample.warc.gz -o /work/run --quiet
inside kith info /work/run --verify >/dev/null
for file in man/man1/kith-cluster.1.gz bash-completion/completions/kith zsh/vendor-completions/_kith \
  fish/vendor_completions.d/kith.fish doc/kith/copyright; do
  [ -s "$root/usr/share/$file" ] || { echo "deb_alone: the package has no /usr/share/$file" >&2; exit 1; }
done

install g++ cmake make pkg-config python3
inside env KITH_PREFIX=/usr KITH_SOURCE=/work KITH_CXX=c++ KITH_CMAKE=cmake PYTHONDONTWRITEBYTECODE=1 \
  python3 /work/tests/install/install_test.py
inside apt-get -qq purge -y kith >/dev/null 2>&1
left=$(find "$root/usr" -iname '*kith*' | head)
[ -z "$left" ] || { echo "deb_alone: left behind: $left" >&2; exit 1; }
echo "$(basename "$deb"): installed, used, built against and removed in a fresh Debian 12"
