#include "bags/boilerplate/templates.h"

#include <algorithm>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/external_sort.h"

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
             .memory = options_.memory / 8,
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
  const uint64_t needed = 8 * entries * Templates::bytes_of_entry;
  if (needed <= options_.memory) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("the templates of the sites do not fit the memory; give memory = {}M or "
                           "more, or boilerplate = keep",
                           ((needed + options_.reserved) >> 20) + 1)};
}

Result<Templates> find_templates(storage::FileSystem& fs, ThreadPool& pool,
                                 const ForEachPage& for_each_page, const TemplateOptions& options) {
  TemplateFinder finder(fs, pool, options);
  KITH_TRY(finder.choose_samples(for_each_page));
  KITH_TRY(finder.count_blocks(for_each_page));
  return finder.take();
}

}  // namespace kith::bags
