#!/bin/bash
# From nothing to the clusters of a real crawl, on Debian 12: installs what is missing, builds kith,
# downloads fifteen documentation packages (47 MB), makes a crawl of their 20,000 pages and clusters
# it twice: by the words around links alone, and with the defaults.
#
# Everything it makes lies below build/. Run it again and what is there is used.
set -euo pipefail
cd "$(dirname "$0")/.."

kith=build/release/bin/kith
demo=build/demo
crawl=$demo/demo.warc.gz

heading() { printf '\n==== %s ====\n' "$1"; }
show() { # prints a command and runs it
  printf '\n$ %s\n' "$*"
  "$@"
}
clusters() { # run directory
  printf '\n$ %s clusters %s --summary | head -15\n' "$kith" "$1"
  $kith clusters "$1" --summary | sed -n 1,15p |
    awk -F '\t' '{ printf "%7s %6s  %-40.40s  %-56.56s  %.60s\n", $1, $2, $3, $4, $6 == "" ? $5 : $6 }'
}
related() { # run directory, URL
  printf '\n$ %s related %s %s -n 5\n' "$kith" "$1" "$2"
  $kith related "$1" "$2" -n 5 | awk -F '\t' '{ printf "%-10s  %-80.80s  %.60s\n", $2, $1, $3 }'
}

heading "packages"
tools/install_packages.sh build web

heading "build"
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)"

heading "crawl"
if [ ! -f "$crawl" ]; then
  mkdir -p "$demo"
  tools/debian_crawl.py --set demo --cache build/debs -o "$crawl" --labels $demo/labels.tsv
fi
ls -sh "$crawl"

rm -rf $demo/run $demo/run-anchor

heading "by the words around links alone, menus included"
show $kith cluster $crawl -o $demo/run-anchor --bags anchor --urls all --boilerplate keep --min-words 1 --topics none
clusters $demo/run-anchor
related $demo/run-anchor https://docs.python.org/3/library/asyncio-task.html

heading "by the words of the page and around its links, without menus: the defaults"
show $kith cluster $crawl -o $demo/run
show $kith topics $demo/run | cut -c 1-160
clusters $demo/run
related $demo/run https://www.sqlite.org/fts5.html
related $demo/run https://docs.python.org/3/library/asyncio-task.html

cat <<END

==== where to look next ====
$kith clusters $demo/run                    every URL with its cluster
$kith topics $demo/run --under 1 --depth 2
                                            the tree of topics: what is below the first
$kith related $demo/run URL -n 10           what is related to a page; the URLs are in $demo/labels.tsv
$kith serve $demo/run                       all of it in a browser
$kith info $demo/run                        what was read and chosen, and the measured recall
$kith evaluate $demo/run $demo/labels.tsv --column topic,package
                                            clusters and related pages beside the topics of the packages
$kith cluster YOUR.warc.gz -o run           your own crawl; $kith cluster --help
END
