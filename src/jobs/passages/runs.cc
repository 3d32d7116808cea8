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
  if (std::tie(known.text_units, passage.rank, passage.begin) <
      std::tie(passage.text_units, known.rank, known.begin)) {
    known = passage;
  }
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
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tuple(a.second.documents, a.second.text_units, a.first) >
           std::tuple(b.second.documents, b.second.text_units, b.first);
  });
  std::vector<ListedPassage> sorted;
  sorted.reserve(all.size());
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
    if (!follows || levels_.size() == most_levels) end_stretch();
    document_ = unit.document;
    if (!levels_.empty() && unit.documents == levels_.back().documents) {
      // Cores that begin alike are one, whatever behind it stands in fewer documents.
      if (++levels_.back().units == 2) {
        levels_.back().hash = mix64(levels_.back().hash + unit.hash);
      }
    } else {
      levels_.push_back({unit.unit, 1, unit.documents, mix64(unit.hash + golden)});
    }
    return Status::ok();
  }

  template <class Write>
  Status finish(const Write& write) {
    end_stretch();
    return run_.units > 0 ? write(run_) : Status::ok();
  }

 private:
  // Consecutive units that stand in as many documents, whichever occurrence is kept.
  struct Level {
    uint32_t begin;
    uint32_t units;
    uint32_t documents;
    uint64_t hash;
    bool is_taken = false;  // in the text of a passage
  };

  // So that memory does not grow with a document: a longer stretch is taken for several.
  static constexpr size_t most_levels = size_t{1} << 16;

  // Finds the passages of consecutive units.
  void end_stretch() {
    std::vector<size_t> peaks;
    for (size_t i = 0; i < levels_.size(); ++i) {
      const uint32_t documents = levels_[i].documents;
      const bool rises = i == 0 || levels_[i - 1].documents < documents;
      const bool falls = i + 1 == levels_.size() || levels_[i + 1].documents < documents;
      if (rises && falls) peaks.push_back(i);
    }
    std::ranges::sort(peaks, [&](size_t a, size_t b) {
      return std::pair(levels_[b].documents, a) < std::pair(levels_[a].documents, b);
    });
    std::map<uint64_t, uint64_t> taken;  // elements, by their ends where they begin
    for (const size_t peak : peaks) add(peak, taken);
    levels_.clear();
  }

  // Adds the passage unless it overlaps the text of one before.
  void add(size_t peak, std::map<uint64_t, uint64_t>& taken) {
    const Level& core = levels_[peak];
    const auto end_of = [&](const Level& level) {
      return uint64_t{level.begin} + level.units + width_ - 1;
    };
    const auto other = taken.upper_bound(core.begin);
    if (other != taken.end() && other->second < end_of(core)) return;
    const auto belongs = [&](size_t level) {
      return !levels_[level].is_taken && levels_[level].documents >= (core.documents + 1) / 2;
    };
    size_t first = peak;
    size_t last = peak;
    while (first > 0 && belongs(first - 1)) --first;
    while (last + 1 < levels_.size() && belongs(last + 1)) ++last;
    for (size_t i = first; i <= last; ++i) levels_[i].is_taken = true;
    const uint32_t text_begin = levels_[first].begin;
    taken.emplace(end_of(levels_[last]), text_begin);
    const uint32_t text_units = levels_[last].begin + levels_[last].units - text_begin;
    frequent_.add(core.hash,
                  {core.documents, texts_.rank(document_), core.begin, text_begin, text_units});
  }

  const bool lines_;
  const uint32_t width_;  // elements of a unit
  const PassageTexts& texts_;
  FrequentPassages& frequent_;
  PassageRun run_;
  uint32_t document_ = 0;      // of the levels
  std::vector<Level> levels_;  // of consecutive units
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
  PassageRuns runs(resources.scratch + "/passages");
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
