#!/bin/bash
# Has a collection of a web archive, and wants to know what is in it, and what it holds twice.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have crawl collection.warc.gz

install_package
step README.md "kith cluster collection.warc.gz -o run"
prints "340 pages"
step README.md "kith topics run"
prints "^1 +[0-9]+ .*\[.*%"
step README.md "kith dedup collection.warc.gz -o copies --write clean.warc.gz"
leaves copies/groups.tsv "^group	"
leaves clean.warc.gz
step "kith report --help" "kith report run --html report.html"
leaves report.html "<html"
done_with
