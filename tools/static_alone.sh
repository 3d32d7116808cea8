#!/bin/bash
# Tries the static program where there is nothing else: no library, no shell, no /proc, no /tmp. With a
# second program, such as the one of the Debian package, their runs must be the same byte for byte.
#
#   tools/static_alone.sh KITH CRAWL [OTHER]
#
# Needs no rights, but a kernel that lets users make namespaces (unshare). Leaves nothing behind.
set -euo pipefail

if [ "$1" != --inside ]; then
  exec unshare --user --map-root-user --mount "$0" --inside "$@"
fi
shift
kith=$1 crawl=$2 other=${3:-}

root=$(mktemp -d)
trap 'cd /; umount "$root" && rmdir "$root"' EXIT
mount -t tmpfs none "$root"
mkdir "$root/work"
cp "$kith" "$root/kith"
cp "$crawl" "$root/work/crawl.warc.gz"
if readelf -l "$root/kith" | grep -q INTERP; then
  echo "static_alone: $kith needs a loader" >&2
  exit 1
fi
alone() { chroot "$root" /kith "$@"; }
alone --version
alone cluster /work/crawl.warc.gz -o /work/run --quiet
alone info /work/run --verify >/dev/null
alone dedup /work/crawl.warc.gz -o /work/copies --quiet
alone help --man >"$root/work/kith.1"
# A server needs no more either.
chroot "$root" /kith serve /work/run --port 0 2>"$root/work/serve.log" &
server=$!
for _ in $(seq 100); do
  grep -q 'serving on' "$root/work/serve.log" && break
  sleep 0.1
done
address=$(sed -n 's/.*serving on http:\/\/\([^:]*\):\([0-9]*\).*/\/dev\/tcp\/\1\/\2/p' "$root/work/serve.log")
exec 3<>"$address"
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
head -1 <&3 | grep -q ' 200 '
exec 3>&-
kill "$server"
wait "$server" || true
if [ -n "$other" ]; then
  "$other" cluster "$root/work/crawl.warc.gz" -o "$root/work/other" --quiet
  for file in "$root"/work/run/*.kith; do cmp "$file" "$root/work/other/$(basename "$file")"; done
fi
echo "$kith: $(stat -c %s "$kith") bytes, runs alone${other:+, with the same files as $other}"
