// Text, words and links of a page.
#include <kith/extract.h>

#include "example.h"

int main() {
  const kith::ExtractedPage page = value_of(kith::extract(
      {.bytes = "<html lang=en><title>Roses</title><p>A rose is a <a href=/rose>rose</a>.",
       .url = "https://example.org/flowers",
       .content_type = "text/html; charset=utf-8"}));
  std::printf("%s (%s): %s\n", page.title.c_str(), page.language.c_str(), page.text.c_str());
  for (size_t i = 0; i < page.words.size(); ++i) {
    const std::string_view word = page.words[i];
    std::printf("  word at byte %u: %.*s\n", page.words.places[i], static_cast<int>(word.size()),
                word.data());
  }
  for (const kith::PageLink& link : page.links) std::printf("  link to %s\n", link.url.c_str());
}
