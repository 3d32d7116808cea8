#include "bags/boilerplate/templates.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "storage/external_sort.h"
#include "text/url/url.h"

namespace kith::bags {

void distinct_hashes(std::span<const Block> blocks, std::vector<uint64_t>& hashes) {
  hashes.clear();
  for (const Block& block : blocks) hashes.push_back(block.hash);
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

uint32_t content_tag(std::span<const uint64_t> hashes) {
  uint64_t hash = hashes.size();
  for (const uint64_t block : hashes) hash = mix64(hash ^ block);
  return static_cast<uint32_t>(hash >> 40);
}

void append_host(uint64_t host, bool is_known, std::span<const uint64_t> keys, std::string& out) {
  append_fixed(out, host);
  append_fixed(out, static_cast<uint8_t>(is_known));
  append_varint(out, keys.size());
  for (const uint64_t key : keys) append_fixed(out, key);
}

bool Templates::add(std::string_view hosts) {
  for (Cursor cursor(hosts); !cursor.at_end();) {
    const auto host = cursor.fixed<uint64_t>();
    const bool is_known = cursor.fixed<uint8_t>() != 0;
    const uint64_t keys = cursor.varint();
    if (keys > cursor.remaining() / sizeof(uint64_t)) return false;
    for (uint64_t i = 0; i < keys; ++i) keys_.insert(cursor.fixed<uint64_t>());
    if (is_known) hosts_.insert(host);
    if (cursor.failed()) return false;
  }
  return true;
}

// Of a record of a block, below the size of the sample.
constexpr unsigned tag_bits = 24;
static_assert(sampled_pages < 1 << (32 - tag_bits));

// Finds the templates in two passes over the pages: the first chooses the samples, the second
// counts the blocks of the sampled pages.
class TemplateFinder {
 public:
  TemplateFinder(storage::FileSystem& fs, ThreadPool& pool, const TemplateOptions& options)
      : fs_(&fs), pool_(&pool), options_(options) {}

  Status choose_samples(const ForEachPage& for_each_page);
  Status count_blocks(const ForEachPage& for_each_page);
  Templates take() { return std::move(templates_); }

 private:
  // A site whose sample is large enough.
  struct Sample {
    uint32_t pages = 0;     // in it
    uint32_t max_hash = 0;  // of the URLs of these pages
  };

  static Status for_sites(const Sites& sites, const auto& take) {
    for (const uint64_t site : sites.all()) KITH_TRY(take(site));
    return Status::ok();
  }

  storage::ExternalSort make_sort(const char* name) const {
    return {*fs_,
            *pool_,
            {.scratch = options_.scratch + name,
             .memory = options_.memory.bytes(Share::template_sorting),
             .writers = pool_->size()}};
  }
  Status check_memory() const;

  storage::FileSystem* fs_;
  ThreadPool* pool_;
  TemplateOptions options_;
  boost::unordered_flat_map<uint64_t, Sample, Templates::Hash> samples_;
  Templates templates_;
};

// Sorted by site and hash, the sample of a site is its first pages.
Status TemplateFinder::choose_samples(const ForEachPage& for_each_page) {
  storage::ExternalSort sort = make_sort("samples");
  const auto add = [&](unsigned worker, const PageDigest& page) {
    return for_sites(sites_of(page.url), [&](uint64_t site) {
      return sort.append({site, sample_hash(page.url)}, worker);
    });
  };
  KITH_TRY(for_each_page([](std::string_view) { return false; }, add));
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  uint64_t site = 0;
  Sample sample;
  const auto end_site = [&] {
    if (sample.pages >= min_sampled_pages) samples_.emplace(site, sample);
    sample = {};
    return check_memory();
  };
  for (;;) {
    KITH_ASSIGN(const auto records, sorted.next());
    if (records.empty()) return end_site();
    for (const KeyId& record : records) {
      if (record.key != site) {
        KITH_TRY(end_site());
        site = record.key;
      }
      if (sample.pages == sampled_pages) continue;
      ++sample.pages;
      sample.max_hash = record.id;
    }
  }
}

// A record for every block of a sampled page: which block of which site, how many pages the sample
// has, and the content of the page. Records of one key are pages that share the block, copies of a
// page side by side.
Status TemplateFinder::count_blocks(const ForEachPage& for_each_page) {
  storage::ExternalSort sort = make_sort("blocks");
  std::vector<std::vector<uint64_t>> hashes(
      pool_->size());  // of each worker's page, without repeats
  const auto add = [&](unsigned worker, const PageDigest& page) {
    std::vector<uint64_t>& distinct = hashes[worker];
    distinct_hashes(page.blocks, distinct);
    const uint32_t tag = content_tag(distinct);
    return for_sites(sites_of(page.url), [&](uint64_t site) -> Status {
      const auto sample = samples_.find(site);
      if (sample == samples_.end() || sample_hash(page.url) > sample->second.max_hash) {
        return Status::ok();
      }
      const uint32_t tagged = sample->second.pages << tag_bits | tag;
      for (const uint64_t hash : distinct) {
        KITH_TRY(sort.append({Templates::key_of(site, hash), tagged}, worker));
      }
      return Status::ok();
    });
  };
  const auto is_sampled = [&](std::string_view url) {
    return std::ranges::any_of(sites_of(url).all(), [&](uint64_t site) {
      const auto sample = samples_.find(site);
      return sample != samples_.end() && sample_hash(url) <= sample->second.max_hash;
    });
  };
  KITH_TRY(for_each_page(is_sampled, add));
  for (const auto& [site, sample] : samples_) templates_.hosts_.insert(site);
  samples_ = {};
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  KeyId last{};
  uint32_t pages = 0;
  uint32_t contents = 0;
  const auto end_block = [&] {
    const bool is_template = pages >= min_template_pages(last.id >> tag_bits);
    if (is_template && contents >= min_template_contents) templates_.keys_.insert(last.key);
    pages = 0;
    contents = 0;
    return check_memory();
  };
  for (;;) {
    KITH_ASSIGN(const auto records, sorted.next());
    if (records.empty()) return end_block();
    for (const KeyId& record : records) {
      if (record.key != last.key) KITH_TRY(end_block());
      contents += pages == 0 || record != last;
      ++pages;
      last = record;
    }
  }
}

Status TemplateFinder::check_memory() const {
  const uint64_t entries = samples_.size() + templates_.keys_.size() + templates_.hosts_.size();
  const Budget memory = options_.memory.share(Share::templates);
  const uint64_t needed = entries * Templates::bytes_of_entry;
  if (needed <= memory.bytes()) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("the templates of the sites do not fit the memory; give memory = {}M or "
                           "more, or boilerplate = keep",
                           (memory.min_whole(needed) >> 20) + 1)};
}

Result<Templates> find_templates(storage::FileSystem& fs, ThreadPool& pool,
                                 const ForEachPage& for_each_page, const TemplateOptions& options) {
  TemplateFinder finder(fs, pool, options);
  KITH_TRY(finder.choose_samples(for_each_page));
  KITH_TRY(finder.count_blocks(for_each_page));
  return finder.take();
}

namespace {

constexpr size_t max_listed_hosts = 10;

// Without a sample, as on a host of a few pages: more than half of its words are links.
bool is_menu(const Block& block, uint32_t words) {
  return 2 * uint64_t{block.link_words} > words;
}

// A block that is nine tenths of its page is what the page says: on copies of a page, too, and on
// pages of an error, however many there are.
bool is_page(uint32_t words, size_t words_of_page) {
  return 10 * uint64_t{words} >= 9 * uint64_t{words_of_page};
}

// Of a block of a page of so many words.
uint32_t words_of(std::span<const Block> blocks, size_t block, size_t words) {
  const size_t end = block + 1 < blocks.size() ? blocks[block + 1].begin : words;
  return static_cast<uint32_t>(end - blocks[block].begin);
}

}  // namespace

void BoilerplateTally::count(std::string_view host, uint64_t key, uint64_t words,
                             uint64_t left_out) {
  Stripe& stripe = stripes_[key % stripes];
  const std::lock_guard lock(stripe.mutex);
  HostBoilerplate& counted = stripe.hosts[key];
  if (counted.words == 0) counted.host = host;
  counted.words += words;
  counted.left_out += left_out;
}

BoilerplateReport BoilerplateTally::report() const {
  BoilerplateReport counts;
  counts.blocks = templates_.blocks();
  counts.most = hosts();
  counts.hosts = counts.most.size();
  if (counts.most.size() > max_listed_hosts) counts.most.resize(max_listed_hosts);
  return counts;
}

std::vector<HostBoilerplate> BoilerplateTally::hosts() const {
  std::vector<HostBoilerplate> hosts;
  for (const Stripe& stripe : stripes_) {
    for (const auto& [key, host] : stripe.hosts) {
      if (host.left_out > 0) hosts.push_back(host);
    }
  }
  std::ranges::sort(hosts, [](const HostBoilerplate& a, const HostBoilerplate& b) {
    return std::tie(b.left_out, a.host) < std::tie(a.left_out, b.host);
  });
  return hosts;
}

uint64_t BoilerplateFilter::choose(std::string_view url, std::span<const Block> blocks,
                                   size_t words) {
  const Templates& templates = tally_->templates();
  const Sites sites = sites_of(url);
  const bool is_known = templates.knows(sites);
  left_out_ = 0;
  is_left_out_.assign(blocks.size(), false);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint32_t size = words_of(blocks, i, words);
    if (is_page(size, words)) continue;
    if (is_known ? !templates.is_template(sites, blocks[i].hash) : !is_menu(blocks[i], size)) {
      continue;
    }
    left_out_ += size;
    is_left_out_[i] = true;
  }
  if (is_known) tally_->count(text::host_of(url), sites.host(), words, left_out_);
  return left_out_;
}

std::span<const uint32_t> BoilerplateFilter::filter(const PageDigest& page) {
  if (choose(page.url, page.blocks, page.terms.size()) == 0) return page.terms;
  terms_.assign(page.terms.begin(), page.terms.end());
  for (size_t i = 0; i < page.blocks.size(); ++i) {
    if (!is_left_out_[i]) continue;
    std::fill_n(terms_.begin() + page.blocks[i].begin, words_of(page.blocks, i, terms_.size()),
                no_term);
  }
  return terms_;
}

void BoilerplateFilter::forget_buffers() {
  free_memory(terms_);
  free_memory(is_left_out_);
}

}  // namespace kith::bags
