#!/bin/bash
# Makes the site of the documents in build/site/html: the documents, and references of the C++ library (Doxygen) and
# of the Python package (mkdocstrings). Fails on links that lead nowhere and on what would come from another server.
#
#   tools/site.sh
#   python3 -m http.server -d build/site/html    # to read it; the search needs a server
#
# The classes of the compiled module are in the Python reference where a build has made their stub (the step python of
# tools/test.sh does). mkdocs and what it needs go into a Python of their own, build/site-venv.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/site-venv site=build/site
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
PATH=$PWD/$venv/bin:$PATH tools/install_packages.sh site
rm -rf "$site"
stub=$(find build -name _kith.pyi -printf '%T@ %p\n' | sort -n | tail -1 | cut -d ' ' -f 2-)
[ -n "$stub" ] || echo "site: without the classes of the compiled module: no build has made _kith.pyi"
python3 tools/site/stage.py "$site" ${stub:+"$stub"}

doxygen -l "$site/layout.xml"
sed -i 's|<navindex>|&<tab type="user" url="../cpp.html" title="Back to the documents"/>|' "$site/layout.xml"
{ cat tools/site/Doxyfile && printf '%s\n' "LAYOUT_FILE = $site/layout.xml" \
  "OUTPUT_DIRECTORY = $site/pages/reference/cpp"; } >"$site/Doxyfile"
mkdir -p "$site/pages/reference/cpp"
doxygen "$site/Doxyfile"
# The notice is about the next version of mkdocs.
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --quiet -f tools/site/mkdocs.yml
python3 tools/site/check_pages.py "$site/html"
