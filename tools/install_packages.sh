#!/bin/bash
# Installs the packages of the named sections of tools/packages.txt, as far as they are missing: those of
# Debian by apt-get, those of PyPI by pip for python3.
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

is_installed_of_pypi() { # NAME==VERSION
  python3 -c 'import importlib.metadata, sys
name, version = sys.argv[1].split("==")
try:
    sys.exit(importlib.metadata.version(name) != version)
except importlib.metadata.PackageNotFoundError:
    sys.exit(1)' "$1" 2>/dev/null
}

# Lines: a package, and perhaps a program that does instead of it.
packages_of() { # section
  awk -v wanted="[$1]" '
    /^\[/ { inside = ($1 == wanted); found = found || inside; next }
    inside && NF && !/^#/ { print $1, $2 }
    END { exit !found }' "$list"
}

missing=()
missing_of_pypi=()
for section in "$@"; do
  packages=$(packages_of "$section") || { echo "install_packages: no section [$section] in $list" >&2; exit 2; }
  while read -r package program; do
    if [[ $package == pypi:* ]]; then
      is_installed_of_pypi "${package#pypi:}" || missing_of_pypi+=("${package#pypi:}")
      continue
    fi
    is_installed "$package" || { [ -n "$program" ] && command -v "$program" >/dev/null; } || missing+=("$package")
  done <<<"$packages"
done
all=("${missing[@]}" "${missing_of_pypi[@]}")
if [ ${#all[@]} -eq 0 ]; then
  echo "install_packages: everything of [$*] is installed"
  exit 0
fi

# Debian's pip wants to be told that it may install beside Debian's packages; older ones do not know that.
pip_install=(env PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install -q --disable-pip-version-check
  --root-user-action=ignore --no-deps)

if [ ${#missing[@]} -gt 0 ] && ! command -v apt-get >/dev/null; then
  echo "install_packages: this system has no apt-get; install what corresponds to: ${all[*]}" >&2
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
    echo "install_packages: not root, and there is no sudo. As root:" >&2
    [ ${#missing[@]} -eq 0 ] || echo "    apt-get install ${missing[*]}" >&2
    [ ${#missing_of_pypi[@]} -eq 0 ] || echo "    ${pip_install[*]} ${missing_of_pypi[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
echo "install_packages: installing ${all[*]}"
if [ ${#missing[@]} -gt 0 ]; then
  "${sudo[@]}" apt-get -q update
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
fi
if [ ${#missing_of_pypi[@]} -gt 0 ]; then
  "${sudo[@]}" "${pip_install[@]}" "${missing_of_pypi[@]}"
fi
