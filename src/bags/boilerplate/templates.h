// Templates of sites: what many of their pages share, and pages without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "bags/boilerplate/sites.h"
#include "bags/page_digest.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

// The template blocks of all sites: what find_templates() has found. The twin of the tests is a map
// from sites to the pages of each block.

// Of every site the pages with the smallest hashes of their URLs are its sample.
inline constexpr uint32_t sampled_pages = 128;
// A site of fewer pages has no template that can be told from what its pages say.
inline constexpr uint32_t min_sampled_pages = 8;
// A block is of the template when it stands on at least this many pages of the sample: a fifth, and
// three. These must have three different contents at least: what copies of a page share is what the
// page says.
inline constexpr uint32_t min_template_contents = 3;
constexpr uint32_t min_template_pages(uint32_t sampled) {
  constexpr uint32_t least = 3;
  return sampled >= 5 * least ? (sampled + 4) / 5 : least;
}

// The hash of a URL by which pages are sampled.
inline uint32_t sample_hash(std::string_view url) {
  return static_cast<uint32_t>(hash64(url) >> 32);
}
// The hashes of the blocks of a page, ascending, each once.
void distinct_hashes(std::span<const Block> blocks, std::vector<uint64_t>& hashes);
// The same for pages of the same blocks: 24 bits over their distinct_hashes().
uint32_t content_tag(std::span<const uint64_t> hashes);

// Thread-safe but for add().
class Templates {
 public:
  // Adds templates that other machines have found: bytes of append_host() one behind the other.
  // Whether they are that.
  [[nodiscard]] bool add(std::string_view hosts);

  bool is_template(const Sites& sites, uint64_t block) const {
    return std::ranges::any_of(sites.all(),
                               [&](uint64_t site) { return keys_.contains(key_of(site, block)); });
  }
  // Whether the host of a page has a sample large enough to tell its template.
  bool knows(const Sites& sites) const { return hosts_.contains(sites.host()); }
  // Template blocks of all sites.
  uint64_t blocks() const { return keys_.size(); }
  // What they take in memory.
  static constexpr uint64_t bytes_of_entry = 24;

  static uint64_t key_of(uint64_t site, uint64_t block) { return mix64(site ^ mix64(block)); }

 private:
  friend class TemplateFinder;
  struct Hash {
    using is_avalanching = void;
    size_t operator()(uint64_t key) const { return key; }
  };
  boost::unordered_flat_set<uint64_t, Hash> keys_;
  boost::unordered_flat_set<uint64_t, Hash> hosts_;
};

// What Templates::add() reads of a host. keys: of key_of(), for it and its sections.
void append_host(uint64_t host, bool is_known, std::span<const uint64_t> keys, std::string& out);

// Calls visit(worker, page) for every page once, in any order, by several workers of the pool at
// once, until a visit returns an error, which it returns. Blocks are read of pages only of whose
// URLs wants_blocks() says so; a page may have them where it says no.
using VisitPage = std::function<Status(unsigned worker, const PageDigest& page)>;
using WantsBlocks = std::function<bool(std::string_view url)>;
using ForEachPage = std::function<Status(const WantsBlocks& wants_blocks, const VisitPage& visit)>;

struct TemplateOptions {
  std::string scratch;  // a prefix for names of temporary files
  Budget memory = {};   // of the bags stage
};

// Goes over the pages twice. The same templates for any order of the pages, number of workers, and
// memory. An error of kind usage when the templates do not fit an eighth of it; it names the
// minimum.
Result<Templates> find_templates(storage::FileSystem& fs, ThreadPool& pool,
                                 const ForEachPage& for_each_page, const TemplateOptions& options);

// Leaves the boilerplate out of the words of a page.

// The templates, and what is left out because of them. Thread-safe.
class BoilerplateTally {
 public:
  explicit BoilerplateTally(Templates templates) : templates_(std::move(templates)) {}

  const Templates& templates() const { return templates_; }
  // A page of a host with a sample.
  void count(std::string_view host, uint64_t key, uint64_t words, uint64_t left_out);
  // The hosts and their templates. REQUIRES: nobody is counting.
  BoilerplateReport report() const;
  // The hosts that have lost words, those of most first. REQUIRES: the same.
  std::vector<HostBoilerplate> hosts() const;

 private:
  static constexpr size_t stripes = 64;
  struct Stripe {
    std::mutex mutex;
    boost::unordered_flat_map<uint64_t, HostBoilerplate> hosts;
  };
  Templates templates_;
  Stripe stripes_[stripes];
};

// One worker's filter; its buffer is reused. Not thread-safe.
class BoilerplateFilter {
 public:
  // `tally` must outlive this object.
  explicit BoilerplateFilter(BoilerplateTally& tally) : tally_(&tally) {}

  // Which blocks of a page of so many words are boilerplate, of whom leaves_out() then tells; how
  // many words they have.
  uint64_t choose(std::string_view url, std::span<const Block> blocks, size_t words);
  // The terms of the page's words with no_term in the place of boilerplate. Valid until the next
  // call, and as long as `page`.
  std::span<const uint32_t> filter(const PageDigest& page);
  // Frees what a large page has made the buffer grow to.
  void forget_buffers();

  // Words that the last page has lost, and whether it has lost a block, by its number.
  uint64_t left_out() const { return left_out_; }
  bool leaves_out(size_t block) const { return is_left_out_[block]; }

 private:
  BoilerplateTally* tally_;
  std::vector<uint32_t> terms_;
  std::vector<bool> is_left_out_;  // by block
  uint64_t left_out_ = 0;
};

}  // namespace kith::bags
