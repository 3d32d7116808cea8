#include "crawl/read/tally.h"

#include <algorithm>

#include "base/json_walk.h"

namespace kith::crawl {

std::string_view skip_name(Skip kind) {
  return word_of(
      kind, {"other_record", "status", "media_type", "bad_url", "duplicate", "damaged", "empty",
             "pdf", "image", "archive", "font", "media", "executable", "binary"});
}

void Tally::skip(Skip kind, Rank rank, Place place, std::string_view reason) {
  ++counts.skipped[static_cast<size_t>(kind)];
  if (kind != Skip::damaged && kind != Skip::bad_url) return;
  size_t earlier = 0;
  for (const Ranked& kept : examples_) {
    earlier += kept.example.kind == kind && kept.rank < rank ? 1 : 0;
  }
  if (earlier >= kExamples) return;
  keep({rank, {kind, *place.file, place.file_number, place.offset, std::string(reason)}});
}

void Tally::keep(Ranked example) {
  const Skip kind = example.example.kind;
  const auto at = std::ranges::upper_bound(examples_, example.rank, {}, &Ranked::rank);
  examples_.insert(at, std::move(example));
  size_t seen = 0;
  const auto surplus = std::ranges::find_if(examples_, [&](const Ranked& kept) {
    return kept.example.kind == kind && ++seen > kExamples;
  });
  if (surplus != examples_.end()) examples_.erase(surplus);
}

void Tally::merge(const Tally& other) {
  counts += other.counts;
  for (size_t kind = 0; kind < std::size(counts.skipped); ++kind) {
    counts.skipped[kind] += other.counts.skipped[kind];
  }
  for (const Ranked& example : other.examples_) keep(example);
}

const SkipExample* Tally::first_damage() const {
  const auto damaged = std::ranges::find_if(
      examples_, [](const Ranked& kept) { return kept.example.kind == Skip::damaged; });
  return damaged == examples_.end() ? nullptr : &damaged->example;
}

CrawlReport Tally::report() const {
  CrawlReport report = counts;
  for (const Ranked& kept : examples_) report.examples.push_back(kept.example);
  return report;
}

}  // namespace kith::crawl
