// A small crawl with topics, and the bags of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/tables.h"
#include "base/random.h"
#include "distributed/page_words.h"
#include "storage/file_system.h"

namespace kith::test {

// Lines of pages of three topics, each of some words of one; one page has no word.
inline std::string three_topics() {
  Rng rng(3);
  std::string lines;
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (int k = 0; k < 30 && i != 7; ++k) {
      text += std::string(1, static_cast<char>('k' + i % 3));
      for (int letter = 0; letter < 2; ++letter) {
        text.push_back(static_cast<char>('a' + rng.below(5)));
      }
      text += " ";
    }
    lines += "{\"url\":\"https://site" + std::to_string(i % 5) + ".example/" + std::to_string(i) +
             "\",\"text\":\"" + (text.empty() ? "of the and" : text) + "\"}\n";
  }
  return lines;
}

// The bags of a run, as BagRunWriter takes them.
struct RunTables {
  explicit RunTables(const std::string& run)
      : urls(*bags::UrlTable::open(storage::posix_file_system(), run + "/urls.kith")),
        terms(*bags::TermTable::open(storage::posix_file_system(), run + "/terms.kith")),
        bags(*bags::BagTable::open(storage::posix_file_system(), run + "/bags.kith")) {}

  std::vector<std::string_view> stems() const {
    std::vector<std::string_view> found;
    for (uint32_t term = 0; term < terms.size(); ++term) found.push_back(terms.stem(term));
    return found;
  }
  std::vector<std::string_view> forms() const {
    std::vector<std::string_view> found;
    for (uint32_t term = 0; term < terms.size(); ++term) found.push_back(terms.surface(term));
    return found;
  }
  std::vector<uint64_t> documents() const {
    const auto numbers = terms.document_frequency();
    return {numbers.begin(), numbers.end()};
  }
  std::string key(uint32_t id) const {
    const std::string url = urls.url(id);
    const std::string_view views[] = {url};
    return distributed::url_keys(views).bytes;
  }
  std::vector<uint64_t> entries(uint32_t id) const {
    std::vector<uint64_t> packed;
    for (const sketch::BagEntry& entry : bags.bags()[id]) {
      packed.push_back(distributed::packed(entry.term, entry.weight));
    }
    return packed;
  }

  bags::UrlTable urls;
  bags::TermTable terms;
  bags::BagTable bags;
};

}  // namespace kith::test
