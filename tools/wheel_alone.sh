#!/bin/bash
# Tries a wheel on a machine that has nothing else: in a root folder with no more than Python and its
# standard library, glibc and the C++ run time.
#
#   tools/wheel_alone.sh PYTHON WHEEL CRAWL
#
# Needs no rights, but a kernel that lets users make namespaces (unshare). Leaves nothing behind.
set -euo pipefail

if [ "$1" != --inside ]; then
  exec unshare --user --map-root-user --mount "$0" --inside "$@"
fi
shift
check=$(dirname "$0")/../python/tests/wheel_check.py
wheel=$2 crawl=$3
python=$("$1" -c 'import os, sys; print(os.path.realpath(sys.executable))')
library=$("$1" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')

root=$(mktemp -d)
trap 'cd /; umount --recursive "$root"; rmdir "$root"' EXIT
mount -t tmpfs none "$root"
mkdir -p "$root"/{proc,tmp,wheel,work} "$root$library"
mount --rbind /proc "$root/proc"
mount --bind "$library" "$root$library"

copy() { # file: to the same place in the root
  mkdir -p "$root$(dirname "$1")"
  cp "$1" "$root$1"
}
# The libraries of the interpreter, and of the wheel those that every Linux has, if they are there.
needs() { ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && !/:$/ { print $1 }' | sort -u; }
"$python" -m zipfile -e "$wheel" "$root/wheel"
copy "$python"
for path in $(needs "$python"); do copy "$path"; done
find "$root/wheel" -name '*.so*' >"$root/work/objects"
for path in $(needs $(cat "$root/work/objects")); do
  [[ $path == */lib@(c|m|dl|rt|pthread|stdc++|gcc_s|z).so* ]] && copy "$path"
done
cp "$check" "$root/work/check.py"
cp "$crawl" "$root/work/crawl.warc.gz"
echo "alone with Python and $(find "$root" -xdev -name '*.so*' -not -path "$root/wheel/*" -printf '%f ')"
PYTHONPATH=/wheel PYTHONDONTWRITEBYTECODE=1 chroot "$root" "$python" -s /work/check.py /work/crawl.warc.gz
