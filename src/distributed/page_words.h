// The words of some pages, as one of many machines reads them (docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"

#include "bags/boilerplate/templates.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::distributed {

// Strings side by side.
struct StringList {
  std::string bytes;
  std::vector<uint64_t> offsets = {0};  // string i is bytes[offsets[i], offsets[i + 1])

  size_t size() const { return offsets.size() - 1; }
  // REQUIRES: i < size(). A view of `bytes`.
  std::string_view operator[](size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
};

// Where words are counted in these bags.
inline bags::Slots slots_of(const ClusterOptions& options) {
  return bags::Slots(options.bags == BagKind::both ? 2 : 1);
}

// Two numbers of 32 bits in one, as they travel: of bags a term and its weight, of pages a stem and
// its count.
inline uint64_t packed(uint32_t number, uint32_t count) {
  return uint64_t{count} << 32 | number;
}

// The words of some pages, stop words left out. Stems have numbers here, from 0, that mean nothing
// elsewhere. In bags of both kinds words of the content and of links are counted apart: 2 * n
// stands for stem n there, and 2 * n + 1 for the same in links.
struct PageWords {
  StringList stems;                 // the different ones, in no particular order
  std::vector<uint32_t> documents;  // by number of a stem: how many of these pages have it
  // Page i has entries[offsets[i], offsets[i + 1]): packed() stems, ascending, and their counts.
  std::vector<uint64_t> offsets = {0};
  std::vector<uint64_t> entries;
  // The different words that have a stem, as they are written, in lower case; ascending by the
  // number of the stem, then by their bytes.
  StringList forms;
  std::vector<uint32_t> form_stems;   // by form: the number of its stem
  std::vector<uint64_t> form_counts;  // by form: how often it stands in these pages
  uint64_t words = 0;                 // of these pages, stop words included
  uint64_t filled = 0;                // pages with a stem; in bags of both kinds in the content,
  uint64_t linked = 0;                // and pages with one in links

  size_t pages() const { return offsets.size() - 1; }
  // Adds a page. counts: ascending by their slots, which are below documents.size().
  void add_page(std::span<const bags::TermCount> counts, bags::Slots slots);
};

// Leaves boilerplate out of the words of pages, and counts what. Not thread-safe.
class PageFilter {
 public:
  explicit PageFilter(bags::Templates templates) : tally_(std::move(templates)), filter_(tally_) {}

  // The terms of the text, no_term in the place of boilerplate. A page of nothing else keeps it
  // unless it has a title. Valid until the next call, and as long as `page`.
  std::span<const uint32_t> filter(const bags::PageDigest& page);
  // For those that leave it out by themselves, and add what they count.
  bags::BoilerplateTally& tally() { return tally_; }
  void add(const bags::FragmentCounts& counts);

  // PageFile::boilerplate().
  BoilerplateReport counts() const;

 private:
  bags::BoilerplateTally tally_;
  bags::BoilerplateFilter filter_;
  BoilerplateReport counts_;
};

// Appends the words that a reader has met to the forms of `words`, which has none yet.
void add_forms(const bags::TermReader& terms, PageWords& words);

// To be used once: add some pages, then take(). Not thread-safe.
class PageWordReader {
 public:
  // filter: may be null; it must outlive this object.
  explicit PageWordReader(const ClusterOptions& options, PageFilter* filter = nullptr);

  // page: no redirect; its URL is canonical, its body cut already.
  void add(const crawl::Page& page);
  // A text as JSON lines have it. Without a text there are no words, whatever the title.
  void add_text(std::string_view text, std::string_view title);

  PageWords take();

 private:
  void count(const crawl::Page& page);
  void end_page();

  const uint64_t max_page_;
  PageFilter* filter_;
  text::Url url_;  // of a text that of no page: links are not looked at
  bags::Vocabulary vocabulary_;
  bags::TermReader terms_;
  bags::PageDigester digester_;
  run::PageText page_text_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
  PageWords words_;
};

// The words of texts. titles: as many as texts, or none; of a title the first 64 KiB count. A page
// without a text has no words, whatever its title is: one machine does not read it.
PageWords words_of_texts(const ClusterOptions& options, std::span<const std::string_view> texts,
                         std::span<const std::string_view> titles = {});

// What URLs are ordered by: the bytes of these keys have the order of the ids of a run, and equal
// keys are one page to `kith cluster` (docs/algorithms/urls.md). Empty for what is no http(s) URL;
// names: unless it names a row that has none.
StringList url_keys(std::span<const std::string_view> urls, bool names = false);

}  // namespace kith::distributed
