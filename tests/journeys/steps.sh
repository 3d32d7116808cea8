#!/bin/bash
# What the journeys share; each sources this file first. A journey is what one kind of user does, from an empty folder
# to a result, with no more than the documents say: each word of kith in a step must stand in the document that the
# step names. Its output ends with the number of steps. `tools/test.sh journeys` runs all of them, with
#   KITH_BUILD      the folder of a build, which is installed as the package of Debian would be
#   KITH_WHEEL      the wheel
#   KITH_LIBRARIES  the site-packages that have the libraries which users have beside it
#   KITH_PYTHON     an interpreter with these libraries, which makes the inputs
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

end() {
  local status=$? job
  for job in $(jobs -p); do kill "$job"; done
  wait
  rm -rf "$folder"
  exit "$status"
}

user=$(basename "$0" .sh | tr _ ' ')
folder=$(mktemp -d --tmpdir kith-journey-XXXXXX)
trap end EXIT
mkdir "$folder/home" "$folder/work"
export HOME=$folder/home TMPDIR=$folder/home PYTHONDONTWRITEBYTECODE=1
cd "$folder/work"
steps=0

fail() {
  printf '%s: step %d: %s\n' "$user" "$steps" "$*" >&2
  cat "$folder/out" "$folder/err" >&2 2>/dev/null
  exit 1
}

# What people have before they begin. No step.
have() { "$KITH_PYTHON" "$checkout/tests/journeys/inputs.py" "$@"; }

check_documented() { # document command
  local text word names="(^| )--[a-z][a-z-]+|kith\.[A-Za-z_]+|\.to_(polars|pandas|arrow)|/api/[a-z]+"
  if [[ $1 == kith\ * ]]; then text=$($1 all); else text=$(cat "$checkout/$1"); fi
  for word in $(grep -oE -- "$names" <<<"$2" | sort -u) \
      $(grep -oE '(^|[|;&] *)kith [a-z]+' <<<"$2" | sed 's/.*kith //' | sort -u); do
    grep -qF -e "$word" <<<"$text" || fail "$1 does not have '$word'"
  done
}

# Runs a command of the user, in this shell. Of a program the first line that calls kith is shown.
step() { # document command
  steps=$((steps + 1))
  printf '%3d  %s\n' "$steps" "$(grep -m 1 -E '^kith |kith\.' <<<"$2" || head -n 1 <<<"$2")"
  eval "$2" >"$folder/out" 2>"$folder/err" || fail "failed: $2"
  check_documented "$1" "$2"
}

# What the step before must have printed.
prints() { grep -qE -e "$1" "$folder/out" "$folder/err" || fail "'$1' is not printed"; }
# A file that it must have left, with this text.
leaves() { grep -qaE -e "${2-}" "$1" || fail "$1 does not have '${2-}'"; }

done_with() { printf '%s: %d steps\n' "$user" "$steps"; }

# README.md: the package of Debian, by the rules that make it.
install_package() {
  steps=$((steps + 1))
  printf '%3d  %s\n' "$steps" "apt install ./kith_*.deb"
  cmake --install "$KITH_BUILD" --prefix "$folder/usr" >"$folder/out" 2>"$folder/err" || fail "not installed"
  export PATH=$folder/usr/bin:$PATH CMAKE_PREFIX_PATH=$folder/usr
  kith --version >"$folder/out" || fail "does not start"
}

# README.md and docs/python.md: the wheel, into an environment of its own, with other libraries beside it.
install_wheel() { # library...
  steps=$((steps + 1))
  printf '%3d  %s\n' "$steps" "pip install $(basename "$KITH_WHEEL") $*"
  "$KITH_PYTHON" -m venv "$folder/environment"
  local pip=(pip install -q --disable-pip-version-check --no-index --no-deps)
  "$folder/environment/bin/${pip[0]}" "${pip[@]:1}" "$KITH_WHEEL" >"$folder/out" 2>"$folder/err" || fail "no install"
  echo "$KITH_LIBRARIES" >"$(echo "$folder"/environment/lib/python3*/site-packages)/libraries.pth"
  export PATH=$folder/environment/bin:$PATH
  kith --version >"$folder/out" || fail "does not start"
}
