// A page with its markup forgotten: all that the bags stage will ever ask about it. Digests are
// made of pages, or read back from the file of a shard (shard/file.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "bags/fragment.h"
#include "bags/url_groups.h"
#include "bags/vocabulary/vocabulary.h"
#include "base/dates.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"
#include "text/html/html.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"
#include "text/words/language.h"
#include "text/words/words.h"

namespace kith::bags {

// A word of the title counts as often in the content of a page as so many words of its text.
inline constexpr uint32_t title_count = 5;

// A link that counts: the words [begin, end) of PageDigest::terms are its text. Its URL has the
// same number in PageDigest::link_urls.
struct DigestLink {
  uint32_t begin;
  uint32_t end;
};

struct PageDigest {
  std::string_view url;    // canonical; like the title a view into what the digest was made of
  std::string_view title;  // as it is shown: perhaps cut
  // A term for every word, or no_term for a stop word: of the whole title, and of the text.
  std::vector<uint32_t> title_terms;
  std::vector<uint32_t> terms;
  std::vector<Block> blocks;       // of the text, if they were asked for
  std::vector<DigestLink> links;   // in the order of their texts
  LinkUrls link_urls;              // canonical ones
  int64_t time = no_time;          // of the capture
  bool links_stand_alone = false;  // the words around a link are no context of it
  text::Language language = text::Language::other;
  // Met, whether they count or not; see TextCounts.
  uint64_t long_words = 0;
  uint64_t links_met = 0;
  uint64_t bad_links = 0;
  uint64_t self_links = 0;
  // Other URLs that the page names in its place; empty when it names none.
  std::string canonical;
  std::string refresh;

  // Frees what it has grown to; the lists are empty then.
  void free();
};

struct DigestOptions {
  BagKind kind = BagKind::anchor;
  LinkScope links = LinkScope::all;
  bool blocks = false;         // whether digests have their blocks
  bool count_inlinks = false;  // content bags only: anchor bags always know their in-links
  std::optional<text::Language> language = {};  // of every page; nothing: detected
  text::UrlRules url_rules = {};                // of links, and of the pages themselves
};

// The bytes that the whole URLs of a page's links may have, by the bytes of the links in the
// markup: so that what a page brings is bounded by its size. Further links are bad ones.
inline constexpr uint64_t max_link_growth = 128;
inline constexpr uint64_t free_link_bytes = uint64_t{1} << 20;

// One worker's maker of digests; its buffers are reused. Not thread-safe.
class PageDigester {
 public:
  // `terms` must outlive this object.
  PageDigester(const DigestOptions& options, TermReader& terms)
      : options_(options), terms_(&terms) {}

  // `url` is rewritten by the rules. `title` wins over page.title unless it is empty. The digest is
  // valid until the next call, and as long as the arguments.
  const PageDigest& read(const text::Url& url, const text::HtmlText& page, std::string_view title,
                         int64_t time);

  // Where a link of `url`, perhaps relative, leads: a canonical URL, valid until the next call.
  // Nothing when that is no http(s) URL or `url` itself, which the rules have rewritten.
  std::optional<std::string_view> other_url(const text::Url& url, const text::Url& base,
                                            std::string_view link);

  // Of links and pages.
  const text::UrlRules& url_rules() const { return options_.url_rules; }

  // Frees what a large page has made the buffers grow to.
  void forget_buffers() {
    digest_.free();
    free_memory(word_offsets_);
  }

 private:
  void read_words(text::Language language, std::string_view text, std::vector<uint32_t>& terms,
                  BlockHasher* blocks);
  void read_text(text::Language language, const text::HtmlText& page);
  void count_link_words(const text::HtmlText& page);
  void read_links(const text::Url& url, const text::Url& base, const text::HtmlText& page);

  DigestOptions options_;
  TermReader* terms_;
  PageDigest digest_;
  text::WordSplitter splitter_;
  std::vector<uint32_t> word_offsets_;  // where each word begins, in bytes
  text::Url base_;
  text::Url target_;
};

// Digests of pages on the disk, from when they are read until the templates of their sites are
// known.
class DigestSpool {
 public:
  // One worker's buffer in front of the spool. Not thread-safe.
  class Writer {
   public:
    // `spool` must outlive this object.
    explicit Writer(DigestSpool& spool) : spool_(&spool) {}
    Status add(const PageDigest& page);
    Status flush();

   private:
    void append_part();

    DigestSpool* spool_;
    std::string pages_;
    std::string part_;
  };

  // `fs` must outlive this object.
  static Result<std::unique_ptr<DigestSpool>> create(storage::FileSystem& fs,
                                                     const std::string& path);

  // Ends writing. To be called once, when all writers are flushed.
  Status close() { return file_->close(); }

  // What of each page is read: its URL and its blocks alone take a fraction of the time.
  enum class Part : uint8_t { head, whole };

  // Calls visit(worker, page) for every page, in any order, by so many threads of the pool at most,
  // until it returns an error. Large pages come one at a time: forget(worker) is called behind
  // each. REQUIRES: close() was called. May be called several times.
  using Visit = std::function<Status(unsigned worker, const PageDigest& page)>;
  using Forget = std::function<void(unsigned worker)>;
  Status for_each(ThreadPool& pool, unsigned workers, Part part, const Visit& visit,
                  const Forget& forget) const;

  // Removes the file.
  Status remove() { return fs_->remove(path_); }

 private:
  struct Chunk {
    uint64_t offset;
    uint64_t size;
  };
  DigestSpool(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status append(std::string_view pages);

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> file_;
  std::mutex mutex_;  // guards what follows while pages are added
  uint64_t bytes_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace kith::bags
