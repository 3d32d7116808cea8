#!/bin/bash
# Wants the steps of the paper again, on a labelled collection, and numbers to cite.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have crawl crawl.warc.gz
have labels labels.tsv

install_package
step README.md "kith paper crawl.warc.gz -o paper"
step README.md "kith info paper"
prints "[Bb]ag generation"
step "kith evaluate --help" "kith evaluate paper labels.tsv --column topic"
prints "purity"
step "kith cluster --help" "kith cluster crawl.warc.gz -o run --similarity 0.2"
step "kith evaluate --help" "kith evaluate run labels.tsv --column topic --json"
prints '"purity"'
step "kith tune --help" "kith tune --similarity 0.2 --recall 0.9 --svg curve.svg"
leaves curve.svg "<svg"
done_with
