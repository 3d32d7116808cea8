#!/bin/bash
# Wants related pages in a program of C++ and by HTTP, and to know where new pages belong.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have crawl crawl.warc.gz
have new_page new.jsonl

install_package
step README.md "kith cluster crawl.warc.gz -o run"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(my_program LANGUAGES CXX)
find_package(kith 0.1 REQUIRED)
add_executable(my_program my_program.cc)
target_link_libraries(my_program PRIVATE kith::kith)
END
cat >my_program.cc <<'END'
#include <cstdio>

#include <kith/run.h>

int main() {
  const auto run = kith::Run::open("run");
  if (!run) return 1;
  const auto found = run->related(*run->find("https://httpd.apache.org/docs/2.4/en/rewrite/rewritemap.html"), 5);
  if (!found) return 1;
  for (const kith::Related& page : *found) std::printf("%s\n", run->url(page.id)->c_str());
}
END
step docs/library.md "cmake -S . -B build && cmake --build build && build/my_program"
prints "^https://httpd.apache.org/"
step "kith serve --help" "kith serve run --port 0 >serving 2>&1 &"
for _ in $(seq 100); do
  if grep -q 'http://' serving 2>/dev/null; then break; fi
  sleep 0.1
done
address=$(grep -oE 'http://[0-9.:]+/' serving) || fail "kith serve does not say where it serves"
page=httpd.apache.org/docs/2.4/en/rewrite/rewritemap.html
step docs/serve.md "curl -s '${address}api/related?url=$page&n=5&words=6'"
prints '"similarity"'
step "kith route --help" "kith route run new.jsonl"
prints "new.example/1"
done_with
