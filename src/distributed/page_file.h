// A file of a crawl in the place of texts (docs/formats/inputs.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "bags/boilerplate/sites.h"
#include "bags/boilerplate/templates.h"
#include "base/hash.h"
#include "base/page_keys.h"
#include "crawl/read/page_reader.h"
#include "distributed/fragments.h"
#include "distributed/page_words.h"
#include "run/pages.h"

namespace kith::distributed {

// Pages of a file: the canonical URL of each, and their words.
struct FilePages {
  StringList urls;
  PageWords words;
};

// The URLs of captures, and their ranks (base/page_keys.h).
struct FileUrls {
  StringList urls;
  std::vector<uint32_t> ranks;
};

// What is known of a file by the others.
struct PageFileOptions {
  // Canonical URLs with several captures, and of each the rank of the one that this file gives, or
  // no_capture: all others are skipped, and counted as duplicates. Of other URLs the first capture
  // counts. As many ranks as URLs.
  std::span<const std::string_view> several = {};
  std::span<const uint32_t> ranks = {};
  // Whether next_urls() keeps what site_samples() gives: it then reads the pages, not their URLs
  // alone.
  bool sample_sites = false;
  // What site_templates() has found for this file, of all slices; where boilerplate is
  // removed.
  std::span<const std::string_view> templates = {};
};

inline constexpr uint32_t no_capture = UINT32_MAX;

// Of the samples of all files for one slice of hosts, in any order.
using bags::site_templates;

// The files of all inputs, in the order in which one machine reads them. Errors: an option out of
// range, an input that does not exist, a folder without a file of a crawl.
Result<std::vector<std::string>> list_page_files(const ReadOptions& options);

// What one machine does with many files is done file by file: of a URL with several captures, the
// first file that has one of the greatest rank gives the page. Not thread-safe; different files may
// be read at once.
class PageFile {
 public:
  // options.inputs: one file. Of `given` nothing is used later. Errors: an option out of range, a
  // file that does not exist or has no known format, templates that are none.
  static Result<std::unique_ptr<PageFile>> open(const ClusterOptions& options,
                                                const PageFileOptions& given = {});
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  // The canonical URLs of the next pages: sound captures, each better than those of its URL before
  // it in this file; none at the end. An error when the file can no longer be read or, with
  // options.strict, a record is damaged; the file is then at its end.
  Result<FileUrls> next_urls();
  // By slice of hosts, the pages of this file that may be in the sample of a site, for
  // site_templates(), once next_urls() has come to the end; they are forgotten here. file: its
  // number among the files, in their order. Empty without sample_sites. REQUIRES: slices >= 1.
  std::vector<std::string> site_samples(uint32_t file, uint32_t slices) {
    return samples_.take(file, slices);
  }

  // The next pages and their words: at least `pages`, or bodies of `bytes` bytes, and up to some
  // megabytes more; none at the end. Errors: those of next_urls().
  Result<FilePages> next_words(uint64_t pages, uint64_t bytes);
  // The same for bags of links, or of both kinds: what the next pages say about URLs, in `slices`
  // slices; of no pages at the end. REQUIRES: slices >= 1.
  Result<FileFragments> next_fragments(uint64_t pages, uint64_t bytes, uint32_t slices);

  // What was read and what was skipped so far.
  CrawlCounts counts() const { return run::counts_of(reader_->report()); }
  // Pages met so far that name another URL, and redirects: of next_fragments() alone. What is
  // folded is not counted.
  const AliasReport& aliases() const { return aliases_; }
  // What was left out of the words so far: `most` has all hosts that have lost words, and `blocks`
  // is 0.
  BoilerplateReport boilerplate() const {
    return filter_ ? filter_->counts() : BoilerplateReport();
  }

 private:
  explicit PageFile(const ClusterOptions& options) : options_(options) {}
  bool take(const Key128& url, uint32_t rank);
  template <class Visit>
  Result<bool> for_batch(const Visit& visit);
  void count_aliases(const bags::FragmentCounts& counts);

  struct Capture {
    uint32_t rank = 0;       // the best so far, or the one that is chosen
    bool is_chosen = false;  // no other one counts
  };

  const ClusterOptions options_;
  boost::unordered_flat_map<Key128, Capture, Key128Hash> captures_;
  bool finds_better_ = false;  // next_urls() is called
  std::optional<crawl::PageReader> reader_;
  crawl::PageBatch batch_;
  bool is_at_end_ = false;
  bool samples_sites_ = false;
  bags::SiteSamples samples_;
  run::PageText text_;  // for the blocks of samples
  bags::BlockReader block_reader_;
  std::vector<bags::Block> blocks_;
  std::unique_ptr<PageFilter> filter_;  // of the words; null where all count
  AliasReport aliases_;                 // met
};

}  // namespace kith::distributed
