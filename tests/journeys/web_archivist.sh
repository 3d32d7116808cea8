#!/bin/bash
# Has a collection of a web archive, and wants to know what is in it, and what it holds twice.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have wacz collection.wacz

install_package
step "kith doctor --help" "kith doctor collection.wacz"
prints "^read +340 pages"
step docs/recipes.md "kith cluster collection.wacz -o run"
prints "340 pages"
step README.md "kith info run"
prints "^Pages by month of capture"
step README.md "kith topics run"
prints "^1 +[0-9]+ .*\[.*%"
step README.md "kith dedup collection.wacz -o copies --write clean"
leaves copies/groups.tsv "^group	"
[ -s "$(find clean -name "*.warc.gz")" ] || fail "no copy"
step "kith report --help" "kith report run --html report.html"
leaves report.html "<html"
done_with
