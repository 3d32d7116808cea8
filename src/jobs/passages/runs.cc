#include "jobs/passages/runs.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::jobs {

// Which of two passages is the more frequent one; of equal ones the hash decides.
struct FrequentPassages::Order {
  static std::pair<uint32_t, uint64_t> key(uint32_t documents, uint64_t hash) {
    return {documents, ~hash};
  }
};

void FrequentPassages::add(uint64_t hash, const ListedPassage& passage) {
  if (most_ == 0 || (least_ && Order::key(passage.documents, hash) < *least_)) return;
  const auto [entry, is_new] = found_.try_emplace(hash, passage);
  ListedPassage& known = entry->second;
  if (std::tie(passage.rank, passage.begin) < std::tie(known.rank, known.begin)) known = passage;
  if (is_new && found_.size() >= 2 * most_) drop();
}

// Leaves the most frequent ones.
void FrequentPassages::drop() {
  std::vector<std::pair<uint32_t, uint64_t>> keys;
  keys.reserve(found_.size());
  for (const auto& [hash, passage] : found_) keys.push_back(Order::key(passage.documents, hash));
  const auto last = keys.begin() + static_cast<ptrdiff_t>(most_ - 1);
  std::ranges::nth_element(keys, last, std::greater());
  least_ = *last;
  boost::unordered::erase_if(found_, [&](const auto& entry) {
    return Order::key(entry.second.documents, entry.first) < *least_;
  });
}

std::vector<ListedPassage> FrequentPassages::sorted() const {
  std::vector<std::pair<std::pair<uint32_t, uint64_t>, ListedPassage>> all;
  for (const auto& [hash, passage] : found_) {
    all.emplace_back(Order::key(passage.documents, hash), passage);
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.first > b.first; });
  all.resize(std::min(all.size(), most_));
  std::vector<ListedPassage> sorted;
  for (const auto& [key, passage] : all) sorted.push_back(passage);
  return sorted;
}

namespace {

constexpr uint64_t first_flag = uint64_t{1} << 31;
constexpr size_t run_bytes = 4 * sizeof(uint32_t);

// Joins repeated units to runs.
class RunJoiner {
 public:
  RunJoiner(bool lines, uint32_t width, const PassageTexts& texts, FrequentPassages& frequent)
      : lines_(lines), width_(width), texts_(texts), frequent_(frequent) {}

  // Calls write(run) for a run that has ended.
  template <class Write>
  Status add(const RepeatedUnit& unit, const Write& write) {
    const bool follows = !lines_ && run_.units > 0 && unit.document == run_.document &&
                         unit.unit == run_.begin + run_.units;
    if (follows && unit.documents == run_.documents && unit.is_first == run_.is_first) {
      ++run_.units;
    } else {
      if (run_.units > 0) KITH_TRY(write(run_));
      run_ = {unit.document, unit.unit, 1, unit.documents, unit.is_first};
    }
    if (follows && unit.documents == level_.documents) {
      ++level_.units;
      hash_ = mix64(hash_ + unit.hash);
      return Status::ok();
    }
    end_level(follows ? unit.documents : 0);
    if (!follows) end_stretch();
    rises_ = !follows || unit.documents > level_.documents;
    level_ = {unit.documents, texts_.rank(unit.document), unit.unit, 1};
    hash_ = mix64(unit.hash + golden);
    return Status::ok();
  }

  template <class Write>
  Status finish(const Write& write) {
    end_level(0);
    end_stretch();
    return run_.units > 0 ? write(run_) : Status::ok();
  }

 private:
  // next: in how many documents the next unit stands.
  void end_level(uint32_t next) {
    if (level_.units > 0 && rises_ && next < level_.documents) {
      peaks_.push_back({level_, hash_});
    }
  }

  // Of passages that overlap the most frequent one is listed, of equal ones the first.
  void end_stretch() {
    std::ranges::sort(peaks_, [](const Peak& a, const Peak& b) {
      return std::pair(b.passage.documents, a.passage.begin) <
             std::pair(a.passage.documents, b.passage.begin);
    });
    std::map<uint64_t, uint64_t> taken;  // by their ends, where they begin
    for (const Peak& peak : peaks_) {
      const uint64_t begin = peak.passage.begin;
      const uint64_t end = begin + peak.passage.units + width_ - 1;
      const auto other = taken.upper_bound(begin);
      if (other != taken.end() && other->second < end) continue;
      taken.emplace(end, begin);
      frequent_.add(peak.hash, peak.passage);
    }
    peaks_.clear();
  }

  struct Peak {
    ListedPassage passage;
    uint64_t hash;
  };

  const bool lines_;
  const uint32_t width_;  // elements of a unit
  const PassageTexts& texts_;
  FrequentPassages& frequent_;
  std::vector<Peak> peaks_;  // of consecutive units
  PassageRun run_;
  ListedPassage level_;  // the same, whichever occurrence is kept
  bool rises_ = false;   // what is before it stands in fewer documents
  uint64_t hash_ = 0;
};

}  // namespace

Status PassageRuns::append(const PassageRun& run) {
  constexpr size_t block = size_t{1} << 20;
  append_fixed(buffer_, run.document);
  append_fixed(buffer_, run.begin);
  append_fixed(buffer_, run.units);
  append_fixed(buffer_, static_cast<uint32_t>(run.documents | (run.is_first ? first_flag : 0)));
  return buffer_.size() < block ? Status::ok() : flush();
}

Status PassageRuns::flush() {
  KITH_TRY(writing_->append(as_bytes(buffer_)));
  buffer_.clear();
  return Status::ok();
}

Result<PassageRuns> PassageRuns::write(storage::WideSortedRecords& repeated,
                                       const PassageOptions& options, const PassageTexts& texts,
                                       const PassageResources& resources,
                                       FrequentPassages& frequent) {
  PassageRuns runs(resources.fs, resources.scratch + "/passages");
  KITH_ASSIGN(runs.writing_, resources.fs.create(runs.path_));
  const bool lines = options.unit != PassageUnit::span;
  const uint32_t width = lines ? 1 : min_tokens_of(options);
  const auto write = [&](const PassageRun& run) { return runs.append(run); };
  RunJoiner joiner(lines, width, texts, frequent);
  for (;;) {
    KITH_ASSIGN(const std::span<const WideKeyId> block, repeated.next());
    if (block.empty()) break;
    for (const WideKeyId& record : block) KITH_TRY(joiner.add(RepeatedUnit::of(record), write));
  }
  KITH_TRY(joiner.finish(write));
  KITH_TRY(runs.flush());
  KITH_TRY(runs.writing_->close());
  runs.writing_.reset();
  KITH_ASSIGN(runs.reading_, resources.fs.open(runs.path_));
  return runs;
}

Status PassageRuns::next(uint32_t end, std::vector<PassageRun>& runs) {
  constexpr size_t most = size_t{1} << 16;
  runs.clear();
  for (;;) {
    for (; at_ < block_.size() && block_[at_].document < end; ++at_) runs.push_back(block_[at_]);
    if (at_ < block_.size()) return Status::ok();
    std::string bytes(most * run_bytes, '\0');
    KITH_ASSIGN(const size_t got, reading_->read_at(position_, std::as_writable_bytes(std::span(
                                                                   bytes.data(), bytes.size()))));
    position_ += got;
    at_ = 0;
    block_.clear();
    Cursor cursor(std::string_view(bytes).substr(0, got));
    while (!cursor.at_end()) {
      PassageRun run;
      run.document = cursor.fixed<uint32_t>();
      run.begin = cursor.fixed<uint32_t>();
      run.units = cursor.fixed<uint32_t>();
      const auto documents = cursor.fixed<uint32_t>();
      run.documents = static_cast<uint32_t>(documents & ~first_flag);
      run.is_first = (documents & first_flag) != 0;
      block_.push_back(run);
    }
    if (block_.empty()) return Status::ok();
  }
}

}  // namespace kith::jobs
