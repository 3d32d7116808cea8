#include "jobs/dedup/inlink_counter.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"

namespace kith::jobs {

void PageLinks::read(std::string_view name, const text::HtmlText& page) {
  targets_.clear();
  has_url_ = text::parse_url(name, nullptr, url_);
  if (!has_url_) return;
  target_ = url_;
  rules_.apply(target_);
  url_hash_ = hash64(target_.href);
  // Links are relative to the URL as the page spells it.
  const bool has_base = !page.base_href.empty() && text::parse_url(page.base_href, &url_, base_);
  for (const text::HtmlLink& link : page.links) {
    if (!text::parse_url(page.href(link), has_base ? &base_ : &url_, target_)) continue;
    rules_.apply(target_);
    const uint64_t hash = hash64(target_.href);
    if (hash != url_hash_) targets_.push_back(hash);
  }
  std::ranges::sort(targets_);
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
}

InlinkCounter::InlinkCounter(storage::FileSystem& fs, ThreadPool& pool, const std::string& scratch,
                             const Budget& memory)
    : fs_(fs),
      urls_(fs, pool,
            {.scratch = scratch + "-urls",
             .memory = memory.bytes(Share::link_urls),
             .writers = pool.size()}),
      links_(fs, pool,
             {.scratch = scratch + "-links",
              .memory = memory.bytes(Share::link_targets),
              .writers = pool.size()}),
      found_(fs, pool, {.scratch = scratch + "-found", .memory = memory.bytes(Share::linking)}) {}

Status InlinkCounter::add(unsigned worker, uint32_t document, uint64_t url,
                          std::span<const uint64_t> targets) {
  KITH_TRY(urls_.append({url, document}, worker));
  for (const uint64_t target : targets) KITH_TRY(links_.append({target, document}, worker));
  return Status::ok();
}

// The URLs of documents, each once with its first document, ascending by hash. `first`: by document
// the first one with its URL.
Result<std::vector<KeyId>> InlinkCounter::sort_urls(std::vector<uint32_t>& first) {
  std::vector<KeyId> urls;
  KITH_ASSIGN(storage::SortedRecords sorted, urls_.finish());
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) return urls;
    for (const KeyId& record : records) {
      if (urls.empty() || urls.back().key != record.key) urls.push_back(record);
      first[record.id] = urls.back().id;
    }
  }
}

// Links whose target is a document, from one URL to another.
Status InlinkCounter::join(std::span<const KeyId> urls, std::span<const uint32_t> first,
                           InlinkCounts& counts) {
  KITH_ASSIGN(storage::SortedRecords sorted, links_.finish());
  auto url = urls.begin();
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) return Status::ok();
    counts.links += records.size();
    for (const KeyId& link : records) {
      while (url != urls.end() && url->key < link.key) ++url;
      if (url == urls.end() || url->key != link.key) continue;
      KITH_TRY(found_.append({uint64_t{url->id} << 32 | first[link.id], 0}));
    }
  }
}

Result<InlinkCounts> InlinkCounter::write(const std::string& path, uint32_t documents) {
  InlinkCounts counts;
  std::vector<uint32_t> first(documents);
  std::iota(first.begin(), first.end(), 0u);
  {
    KITH_ASSIGN(const std::vector<KeyId> urls, sort_urls(first));
    KITH_TRY(join(urls, first, counts));
  }
  std::vector<uint32_t> inlinks(documents);
  KITH_ASSIGN(storage::SortedRecords sorted, found_.finish());
  uint64_t last = UINT64_MAX;  // no pair: a document does not count for itself
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) break;
    for (const KeyId& record : records) {
      if (record.key != last) ++inlinks[record.key >> 32];
      last = record.key;
    }
  }
  for (uint32_t id = 0; id < documents; ++id) {
    inlinks[id] = inlinks[first[id]];  // the first of a URL is never behind the others
    counts.linked += inlinks[id] > 0 ? 1 : 0;
  }
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs_, path, inlinks_kind));
  KITH_TRY(file.write_array(inlinks_section, inlinks));
  KITH_TRY(file.finish());
  return counts;
}

void LinkBlock::clear() {
  rows_.clear();
  targets_.clear();
}

void LinkBlock::add(std::string_view name, const text::HtmlText& page) {
  links_.read(name, page);
  targets_.insert(targets_.end(), links_.targets().begin(), links_.targets().end());
  rows_.push_back({links_.has_url() ? links_.url() : 0, targets_.size(), links_.has_url()});
}

Status LinkBlock::give(LinkSink& sink, unsigned worker, uint32_t first) const {
  size_t begin = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const auto targets = std::span(targets_).subspan(begin, row.end - begin);
    begin = row.end;
    if (!row.has_url) continue;
    KITH_TRY(sink.add(worker, first + static_cast<uint32_t>(i), row.url, targets));
  }
  return Status::ok();
}

}  // namespace kith::jobs
