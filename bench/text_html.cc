// HTML to text and links, in bytes of HTML a second: on a made-up page of documentation, and on
// the files below the folder that KITH_BENCH_HTML names.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "text/charset/charset.h"
#include "text/html/html.h"

namespace {

using kith::text::HtmlText;

// Sections of highlighted code, prose with links, and tables, as documentation has them.
std::string documentation_page() {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<title>A page &mdash; of documentation</title>\n<style>body { margin: 0 }</style>\n"
      "<script>document.documentElement.dataset.theme = 'light';</script>\n</head>\n<body>\n";
  for (int section = 0; section < 60; ++section) {
    const std::string number = std::to_string(section);
    page += "<div class=\"section\" id=\"section-" + number + "\">\n  <h2>Section " + number +
            "<a class=\"headerlink\" href=\"#section-" + number +
            "\">&para;</a></h2>\n"
            "  <p>The function <a class=\"reference internal\" href=\"../library/functions.html#f" +
            number +
            "\"><code class=\"docutils literal\"><span class=\"pre\">open_file</span></code></a>\n"
            "  returns a value &gt; 0 when the file could be opened, and raises an error "
            "otherwise.\n  It is an <em>ordinary</em> function: nothing more is said here.</p>\n"
            "  <div class=\"highlight\"><pre><span></span><span class=\"k\">for</span> "
            "<span class=\"n\">line</span> <span class=\"o\">in</span> "
            "<span class=\"n\">file</span><span class=\"p\">:</span>\n"
            "    <span class=\"nb\">print</span><span class=\"p\">(</span>"
            "<span class=\"n\">line</span><span class=\"p\">)</span>\n</pre></div>\n"
            "  <table border=\"1\"><tr><td>name</td><td>" +
            number + "</td></tr></table>\n</div>\n";
  }
  return page + "</body>\n</html>\n";
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (!entry.is_regular_file() || (extension != ".html" && extension != ".htm")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

void extract(benchmark::State& state, const std::vector<std::string>& pages) {
  HtmlText text;
  std::string buffer;
  size_t bytes = 0;
  size_t links = 0;
  for (auto _ : state) {
    for (const std::string& page : pages) {
      kith::text::extract_html(kith::text::to_utf8(page, {}, true, buffer).bytes, text);
      benchmark::DoNotOptimize(text.text.data());
      bytes += page.size();
      links += text.links.size();
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.counters["links"] =
      benchmark::Counter(static_cast<double>(links), benchmark::Counter::kIsRate);
}

void only_to_utf8(benchmark::State& state, const std::vector<std::string>& pages) {
  std::string buffer;
  size_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& page : pages) {
      benchmark::DoNotOptimize(kith::text::to_utf8(page, {}, true, buffer).bytes.data());
      bytes += page.size();
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<std::string> generated = {documentation_page()};
  benchmark::RegisterBenchmark("generated/extract", extract, generated);
  benchmark::RegisterBenchmark("generated/to_utf8", only_to_utf8, generated);
  std::vector<std::string> real;
  if (const char* folder = std::getenv("KITH_BENCH_HTML")) real = files_below(folder);
  if (!real.empty()) {
    benchmark::RegisterBenchmark("files/extract", extract, real);
    benchmark::RegisterBenchmark("files/to_utf8", only_to_utf8, real);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
