// What the pages of crawl files say about URLs, the files read one by one as on machines of their
// own: crawl_steps FILE...
#include <string>
#include <string_view>
#include <vector>

#include <kith/crawl_steps.h>

#include "example.h"

namespace {

constexpr uint32_t slices = 2;  // of URLs
constexpr uint64_t pages = 4096;
constexpr uint64_t bytes = 64 << 20;

// Adds what a file says to what its slice has of others.
void read_file(const kith::BagSteps& steps, const std::string& path,
               std::vector<std::vector<std::string>>& said) {
  kith::PageFile file = value_of(kith::PageFile::open({.inputs = {path}}));
  for (;;) {
    const kith::FileFragments some = value_of(file.next_fragments(steps, pages, bytes, slices));
    if (some.pages == 0) return;
    for (uint32_t slice = 0; slice < slices; ++slice) {
      if (!some.slices[slice].empty()) said[slice].push_back(some.slices[slice]);
    }
  }
}

void print_words(kith::UrlWords words) {
  for (;;) {
    const kith::FilePages some = value_of(words.next(pages));
    if (some.urls.size() == 0) return;
    for (size_t i = 0; i < some.urls.size(); ++i) {
      std::printf("%.*s:", static_cast<int>(some.urls[i].size()), some.urls[i].data());
      for (uint64_t at = some.words.offsets[i]; at < some.words.offsets[i + 1]; ++at) {
        const std::string stem(some.words.stems[some.words.terms[at]]);
        std::printf(" %s %u", stem.c_str(), some.words.counts[at]);
      }
      std::printf("\n");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const kith::BagSteps steps = value_of(kith::BagSteps::make(
      {.bags = kith::BagKind::anchor, .language = "en", .window = 1, .urls = kith::UrlScope::all}));
  std::vector<std::vector<std::string>> said(slices);
  for (int i = 1; i < argc; ++i) read_file(steps, argv[i], said);
  for (const std::vector<std::string>& of_slice : said) {
    const std::vector<std::string_view> views(of_slice.begin(), of_slice.end());
    print_words(value_of(kith::UrlWords::make(steps, views)));
  }
}
