// In-links: where pages point, and how often documents are pointed at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "text/html/html.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::jobs {

// Where a page points, as hashes of canonical URLs: what in-links are counted from.

// One worker's reader of links; its buffers are reused. Not thread-safe.
class PageLinks {
 public:
  // rules: of the spelling of all URLs.
  explicit PageLinks(text::UrlRules rules = {}) : rules_(std::move(rules)) {}

  // `name`: the URL of the page as its record spells it. A page without an http(s) URL has no
  // links: nobody can link to it, and it is no page that could be counted as another one's source.
  void read(std::string_view name, const text::HtmlText& page);

  bool has_url() const { return has_url_; }
  // XXH3-64 of the canonical URL (text/url/url.h), by the rules. REQUIRES: has_url().
  uint64_t url() const { return url_hash_; }
  // Of the URLs of its links, relative to <base href> where there is one: ascending, each once. Not
  // of the page's own, nor of what is no http(s) URL.
  std::span<const uint64_t> targets() const { return targets_; }

 private:
  bool has_url_ = false;
  uint64_t url_hash_ = 0;
  std::vector<uint64_t> targets_;
  text::UrlRules rules_;
  text::Url url_;
  text::Url base_;
  text::Url target_;
};

// Where the links of documents go.
class LinkSink {
 public:
  virtual ~LinkSink() = default;
  // `url` and `targets` of a document as PageLinks has them; each document at most once.
  virtual Status add(unsigned worker, uint32_t document, uint64_t url,
                     std::span<const uint64_t> targets) = 0;
};

// How many pages of the input link to each document (`kith dedup --keep inlinks`).
inline constexpr storage::FileKind inlinks_kind{"inln", 1};
inline constexpr std::string_view inlinks_section = "inlinks";

struct InlinkCounts {
  uint64_t links = 0;   // from a document to a URL, each once a document; links to itself are none
  uint64_t linked = 0;  // documents that another page links to
};

// Sorts all links by their targets, beyond memory if need be. URLs are told apart by 64-bit hashes.
// The pages that link to a URL count once each, however many links and captures they have; all
// captures of a URL have the same in-links. Redirects are not followed. Not thread-safe, but for
// add().
class InlinkCounter : public LinkSink {
 public:
  // Both outlive this object. Temporary files are SCRATCH-*; memory: of buffers.
  InlinkCounter(storage::FileSystem& fs, ThreadPool& pool, const std::string& scratch,
                const Budget& memory);

  // Documents in any order. Thread-safe for different workers of the pool.
  Status add(unsigned worker, uint32_t document, uint64_t url,
             std::span<const uint64_t> targets) override;

  // Writes the number of in-links of every document to `path` (docs/formats/dedup.md). To be called
  // once, outside the pool's jobs. Memory: 28 bytes per document besides.
  Result<InlinkCounts> write(const std::string& path, uint32_t documents);

 private:
  Result<std::vector<KeyId>> sort_urls(std::vector<uint32_t>& first);
  Status join(std::span<const KeyId> urls, std::span<const uint32_t> first, InlinkCounts& counts);

  storage::FileSystem& fs_;
  storage::ExternalSort urls_;   // hash of a document's URL, document
  storage::ExternalSort links_;  // hash of a link's URL, document
  storage::ExternalSort found_;  // document << 32 | one that links to it; the first of their URLs
};

// The links of some consecutive documents, on their way to the counter. One for a worker.
class LinkBlock {
 public:
  // rules: see PageLinks.
  explicit LinkBlock(text::UrlRules rules = {}) : links_(std::move(rules)) {}

  void clear();
  // The next document.
  void add(std::string_view name, const text::HtmlText& page);
  // Gives all to the sink; `first` is the number of the first document.
  Status give(LinkSink& sink, unsigned worker, uint32_t first) const;

 private:
  struct Row {
    uint64_t url;
    size_t end;  // of its targets
    bool has_url;
  };
  PageLinks links_;
  std::vector<Row> rows_;  // a document each
  std::vector<uint64_t> targets_;
};

}  // namespace kith::jobs
