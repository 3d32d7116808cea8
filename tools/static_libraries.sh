#!/bin/bash
# Makes, on Debian 12, the static libraries that the preset `static` links and Debian has as shared
# ones only: fmt, simdjson, ISA-L (igzip) and CLD2.
#
#   tools/static_libraries.sh
#
# From the upstream sources of the versions that are installed, as Debian keeps them and apt verifies
# them; compiled as Debian compiles them, with the same tables of CLD2. apt gets lists of its own:
# those of the system stay as they are. Output: build/static-libraries/lib/.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install_packages.sh build release
folder=$PWD/build/static-libraries
export CCACHE_BASEDIR=$folder CCACHE_NOHASHDIR=1
jobs=${KITH_JOBS:-$(nproc)}
map=-ffile-prefix-map=$folder=.

# A package, and the development package that is installed.
libraries="fmtlib:libfmt-dev simdjson:libsimdjson-dev libisal:libisal-dev cld2:libcld2-dev"
versions=$(for library in $libraries; do
  echo "${library%:*}=$(dpkg-query -W -f '${source:Version}' "${library#*:}")"
done)
if [ "$(cat "$folder/versions" 2>/dev/null)" = "$versions" ]; then
  echo "static_libraries: those in build/static-libraries are made of these versions already"
  exit 0
fi

mirror=$(tools/debian_mirror.sh)
rm -rf "$folder"
mkdir -p "$folder"/{lists/partial,lib}
cd "$folder"
cat >own.sources <<END
Types: deb-src
URIs: $mirror
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$folder/own.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$folder/lists" -o APT::Sandbox::User=root "$@"
}
apt update
apt source --download-only --tar-only $versions >/dev/null
for library in $libraries; do
  mkdir "${library%:*}"
  tar xf "${library%:*}"_*.orig.tar.* -C "${library%:*}" --strip-components 1 --wildcards \
    --exclude '*/docs/*' --exclude '*/jsonexamples/*' --exclude '*/test/*'
done

# Compiles sources of a folder, and packs them in the same order every time.
archive() { # library folder flags source...
  local library=$1 from=$2 compile="ccache g++ -O2 -DNDEBUG -fPIC -w $map $3"
  shift 3
  (cd "$from" && mkdir objects && printf '%s\n' "$@" |
    xargs -P "$jobs" -I{} sh -c "$compile"' -c "$1" -o "objects/$(basename "$1").o"' - {} &&
    rm -f "$folder/lib/lib$library.a" && ar Dcrs "$folder/lib/lib$library.a" objects/*.o)
}
archive fmt fmtlib "-std=c++20 -Iinclude" src/format.cc src/os.cc
archive simdjson simdjson "-std=c++17 -Iinclude -Isrc" src/simdjson.cpp
# The list of sources is that of compile_libs.sh for libcld2.so.
archive cld2 cld2/internal "-std=c++98" \
  cldutil.cc cldutil_shared.cc compact_lang_det.cc compact_lang_det_hint_code.cc \
  compact_lang_det_impl.cc debug.cc fixunicodevalue.cc \
  generated_entities.cc generated_language.cc generated_ulscript.cc \
  getonescriptspan.cc lang_script.cc offsetmap.cc scoreonescriptspan.cc tote.cc utf8statetable.cc \
  cld_generated_cjk_uni_prop_80.cc cld2_generated_cjk_compatible.cc \
  cld_generated_cjk_delta_bi_4.cc generated_distinct_bi_0.cc \
  cld2_generated_quadchrome_2.cc cld2_generated_deltaoctachrome.cc \
  cld2_generated_distinctoctachrome.cc cld_generated_score_quad_octa_2.cc
# One after the other: its makefile does not know all that its files need.
make -s -C libisal -f Makefile.unx units="igzip crc" lib CC=gcc AS=nasm \
  >isal.log 2>&1 || { tail -20 isal.log >&2; exit 1; }
cp libisal/bin/isa-l.a lib/libisal.a
echo "$versions" >versions
ls -l lib
