#include "bags/join_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bags/run_merger.h"

namespace kith::bags {
namespace {

using Take = std::function<Status(const RawBag& bag)>;

constexpr size_t max_fan_in = 64;

uint32_t capped_sum(uint32_t a, uint32_t b) {
  return a + std::min(b, UINT32_MAX - a);
}

// Adds counts to counts, both in the order of their terms.
void add_terms(std::vector<TermCount>& terms, std::span<const TermCount> more,
               std::vector<TermCount>& buffer) {
  buffer.clear();
  auto a = terms.begin();
  for (const TermCount& entry : more) {
    while (a != terms.end() && a->term < entry.term) buffer.push_back(*a++);
    buffer.push_back(entry);
    if (a != terms.end() && a->term == entry.term) {
      buffer.back().count = capped_sum(a++->count, entry.count);
    }
  }
  buffer.insert(buffer.end(), a, terms.end());
  terms.swap(buffer);
}

// The records at the front that are of one URL, as one bag.
class BagJoiner {
 public:
  Result<const RawBag*> next(RunMerger& runs) {
    bag_.surt = runs.surt();
    bag_.facts = 0;
    bag_.inlinks = 0;
    bag_.content = 0;
    bag_.title.clear();
    bag_.terms.clear();
    while (runs.more() && runs.surt() == bag_.surt) {
      RunRecord record;
      if (!read_record(runs.record(), record, terms_)) return runs.damaged(runs.source());
      bag_.facts = std::max(bag_.facts, record.facts);
      bag_.inlinks = capped_sum(bag_.inlinks, record.inlinks);
      bag_.content = std::max(bag_.content, record.content);
      if (bag_.title.empty()) bag_.title = record.title;
      add_terms(bag_.terms, terms_, buffer_);
      KITH_TRY(runs.next());
    }
    return &bag_;
  }

 private:
  RawBag bag_;
  std::vector<TermCount> terms_;
  std::vector<TermCount> buffer_;
};

Status join_few(storage::FileSystem& fs, std::span<const std::string> runs, const std::string& path,
                uint64_t memory, const Take& take) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, memory / 2));
  const auto write_block = std::clamp<size_t>(memory / 8, 64 << 10, 1 << 20);
  KITH_ASSIGN(RunWriter out, RunWriter::create(fs, path, write_block));
  BagJoiner joiner;
  while (merger->more()) {
    KITH_ASSIGN(const RawBag* const bag, joiner.next(*merger));
    if (take) KITH_TRY(take(*bag));
    KITH_TRY(out.add(*bag));
  }
  KITH_TRY(out.finish());
  for (const std::string& run : runs) KITH_TRY(fs.remove(run));
  return Status::ok();
}

}  // namespace

Status join_runs(storage::FileSystem& fs, std::vector<std::string> runs, const std::string& path,
                 uint64_t memory, const Take& take) {
  for (uint64_t level = 0; runs.size() > max_fan_in; ++level) {
    std::vector<std::string> joined;
    for (size_t begin = 0; begin < runs.size(); begin += max_fan_in) {
      const auto some = std::span(runs).subspan(begin, std::min(max_fan_in, runs.size() - begin));
      joined.push_back(fmt::format("{}-joined-{}-{}", path, level, joined.size()));
      KITH_TRY(join_few(fs, some, joined.back(), memory, nullptr));
    }
    runs = std::move(joined);
  }
  return join_few(fs, runs, path, memory, take);
}

}  // namespace kith::bags
