#!/bin/bash
# Installs the Debian packages of the named sections of tools/packages.txt, as far as they are missing.
#
#   tools/install_packages.sh build test
#
# Needs no network and no rights when nothing is missing; uses sudo when it must install and is not root.
set -euo pipefail

list=$(dirname "$0")/packages.txt
if [ $# -eq 0 ]; then
  echo "usage: tools/install_packages.sh SECTION...   (sections: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | xargs))" >&2
  exit 2
fi

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Lines: a package, and perhaps a program that does instead of it.
packages_of() { # section
  awk -v wanted="[$1]" '
    /^\[/ { inside = ($1 == wanted); found = found || inside; next }
    inside && NF && !/^#/ { print $1, $2 }
    END { exit !found }' "$list"
}

missing=()
for section in "$@"; do
  packages=$(packages_of "$section") || { echo "install_packages: no section [$section] in $list" >&2; exit 2; }
  while read -r package program; do
    is_installed "$package" || { [ -n "$program" ] && command -v "$program" >/dev/null; } || missing+=("$package")
  done <<<"$packages"
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install_packages: everything of [$*] is installed"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "install_packages: this system has no apt-get; install what corresponds to: ${missing[*]}" >&2
  exit 1
fi
if [[ " ${missing[*]} " == *" libboost1.81-dev "* ]] && is_installed libboost1.74-dev; then
  echo "install_packages: libboost1.81-dev cannot be installed beside libboost1.74-dev. Remove that first:" >&2
  echo "    sudo apt-get remove libboost1.74-dev" >&2
  exit 1
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages: not root, and there is no sudo. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
echo "install_packages: installing ${missing[*]}"
"${sudo[@]}" apt-get -q update
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
