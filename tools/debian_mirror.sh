#!/bin/bash
# Prints the mirror of Debian that apt reads on this machine, or KITH_DEBIAN_MIRROR.
set -euo pipefail
mirror=${KITH_DEBIAN_MIRROR:-$(
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | sort -u | head -1)}
[ -n "$mirror" ] || { echo "debian_mirror: apt has no lists of Debian 12; set KITH_DEBIAN_MIRROR" >&2; exit 1; }
echo "$mirror"
