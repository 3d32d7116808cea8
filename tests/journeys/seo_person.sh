#!/bin/bash
# Has the HTML files of a site, and wants a sheet: which pages are about the same, and which are copies.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have site site

install_wheel pandas
step "kith cluster --help" "kith cluster site --base-url https://cmake.org/ -o run"
prints "34 pages"
step "kith clusters --help" "kith clusters run --format csv-bom -o pages.csv"
leaves pages.csv "cluster,url,role,.*,title"
[ "$(wc -l <pages.csv)" -eq 35 ] || fail "pages.csv has other rows than the files of the folder"
step "kith clusters --help" "kith clusters run --summary --format csv-bom -o clusters.csv"
leaves clusters.csv "label"
step "kith dedup --help" "kith dedup site -o copies --similarity 0.7 --format csv-bom"
leaves copies/groups.csv "group,"
step docs/python.md "python - <<'END'
import kith

run = kith.open('run')
pages = run.clusters().to_pandas().merge(run.cluster_summary().to_pandas()[['cluster', 'label']], how='left')
pages.to_csv('joined.csv', index=False)
print(len(pages), 'rows')
END"
prints "^34 rows"
leaves joined.csv "label"
done_with
