#include "jobs/dedup/families/meeting_rule.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "jobs/dedup/directory.h"
#include "jobs/dedup/methods.h"
#include "run/stage_files.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/sets/set_join.h"
#include "sketch/set_sketches.h"
#include "sketch/simhash.h"

namespace kith::jobs {
namespace {

// Whether the low bytes of signatures agree often enough for a similarity.
class AgreeingBytes {
 public:
  AgreeingBytes(uint32_t lanes, double similarity)
      : lanes_(lanes),
        min_equal_(similar::min_equal_bytes({.similarity = similarity}, lanes)),
        count_equal_(sketch::count_equal_kernel()) {}

  bool operator()(const uint8_t* a, const uint8_t* b) const {
    return count_equal_(a, b, lanes_) >= min_equal_;
  }

 private:
  const uint32_t lanes_;
  const uint32_t min_equal_;
  const sketch::CountEqualKernel count_equal_;
};

class MinHashRule final : public MeetingRule {
 public:
  MinHashRule(const sketch::Signatures& signatures, double similarity)
      : signatures_(signatures), agree_(signatures.lanes(), similarity) {}

  size_t row_bytes() const override { return signatures_.lanes(); }
  void read(uint32_t id, std::span<uint8_t> row) const override {
    std::vector<uint16_t> buffer(signatures_.lanes());
    sketch::low_bytes(signatures_.read(id, buffer), row);
  }
  bool is_candidate(const uint8_t* a, const uint8_t* b) const override { return agree_(a, b); }

 private:
  const sketch::Signatures& signatures_;
  const AgreeingBytes agree_;
};

// A row is the super-shingles, and behind them the low bytes of the signature.
class SuperShingleRule final : public MeetingRule {
 public:
  SuperShingleRule(const sketch::Signatures& signatures, const DedupSuperShingles& chosen,
                   double similarity)
      : signatures_(signatures), chosen_(chosen), agree_(signatures.lanes(), similarity) {}

  size_t row_bytes() const override { return key_bytes() + signatures_.lanes(); }
  void read(uint32_t id, std::span<uint8_t> row) const override {
    std::vector<uint16_t> buffer(signatures_.lanes());
    std::vector<uint64_t> keys(chosen_.groups);
    const std::span<const uint16_t> signature = signatures_.read(id, buffer);
    sketch::super_shingles(signature, chosen_.minima, 0, keys);
    std::memcpy(row.data(), keys.data(), key_bytes());
    sketch::low_bytes(signature, row.subspan(key_bytes()));
  }
  bool is_near(const uint8_t* a, const uint8_t* b) const override {
    return agree_(a + key_bytes(), b + key_bytes());
  }
  bool is_candidate(const uint8_t* a, const uint8_t* b) const override {
    uint32_t equal = 0;
    for (uint32_t group = 0; group < chosen_.groups; ++group) {
      const size_t at = group * sizeof(uint64_t);
      equal += std::memcmp(a + at, b + at, sizeof(uint64_t)) == 0 ? 1 : 0;
    }
    return equal >= chosen_.least;
  }

 private:
  size_t key_bytes() const { return chosen_.groups * sizeof(uint64_t); }

  const sketch::Signatures& signatures_;
  const DedupSuperShingles chosen_;
  const AgreeingBytes agree_;
};

class SimhashRule final : public MeetingRule {
 public:
  SimhashRule(const similar::FingerprintGroups& groups, uint32_t documents, uint32_t distance)
      : fingerprints_(documents), distance_(distance) {
    for (size_t place = 0; place < groups.size(); ++place) {
      for (const uint32_t id : groups.documents(place)) {
        fingerprints_[id] = groups.fingerprints()[place];
      }
    }
  }

  size_t row_bytes() const override { return sizeof(uint64_t); }
  void read(uint32_t id, std::span<uint8_t> row) const override {
    std::memcpy(row.data(), &fingerprints_[id], sizeof(uint64_t));
  }
  bool is_candidate(const uint8_t* a, const uint8_t* b) const override {
    return distance_of(a, b) <= distance_;
  }
  // Half of what strangers have: documents of a resemblance of 0.8 differ in 9 bits.
  bool is_near(const uint8_t* a, const uint8_t* b) const override {
    return distance_of(a, b) <= 16;
  }

 private:
  static uint32_t distance_of(const uint8_t* a, const uint8_t* b) {
    uint64_t first = 0;
    uint64_t second = 0;
    std::memcpy(&first, a, sizeof(first));
    std::memcpy(&second, b, sizeof(second));
    return hamming_distance(first, second);
  }

  std::vector<uint64_t> fingerprints_;  // by document
  const uint32_t distance_;
};

// Of methods without large buckets.
class NoRule final : public MeetingRule {
 public:
  size_t row_bytes() const override { return 1; }
  void read(uint32_t, std::span<uint8_t> row) const override { row[0] = 0; }
  bool is_candidate(const uint8_t*, const uint8_t*) const override { return false; }
};

}  // namespace

Result<std::unique_ptr<MeetingRule>> meeting_rule(const DocumentTable& documents,
                                                  bool has_large_buckets,
                                                  const DedupOptions& options,
                                                  const DedupResources& resources) {
  std::unique_ptr<MeetingRule> rule = std::make_unique<NoRule>();
  if (!has_large_buckets) return rule;
  if (options.method == DedupMethod::minhash) {
    rule = std::make_unique<MinHashRule>(documents.signatures(), options.similarity);
  } else if (options.method == DedupMethod::supershingle) {
    KITH_ASSIGN(const auto plan, plan_super_shingles(options));
    rule = std::make_unique<SuperShingleRule>(documents.signatures(), chosen_of(plan),
                                              options.similarity);
  } else if (options.method == DedupMethod::simhash) {
    const std::string path = resources.folder + "/" + std::string(fingerprints_file);
    KITH_ASSIGN(const auto groups,
                similar::FingerprintGroups::open(resources.fs, path, documents.size()));
    rule = std::make_unique<SimhashRule>(groups, documents.size(), options.distance);
  }
  return rule;
}

namespace {

constexpr uint32_t nobody = UINT32_MAX;

// The union of ascending lists, block by block.
class UnionReader {
 public:
  explicit UnionReader(std::vector<std::span<const uint32_t>> lists) : lists_(std::move(lists)) {}

  // The next ids, ascending; none at the end.
  void next(size_t count, std::vector<uint32_t>& ids) {
    ids.clear();
    while (ids.size() < count) {
      uint32_t id = nobody;
      for (const auto& list : lists_) {
        if (!list.empty()) id = std::min(id, list.front());
      }
      if (id == nobody) return;
      ids.push_back(id);
      for (auto& list : lists_) {
        if (!list.empty() && list.front() == id) list = list.subspan(1);
      }
    }
  }

 private:
  std::vector<std::span<const uint32_t>> lists_;
};

// Compares one document with many.
class PairFinder {
 public:
  PairFinder(const similar::HashSets& sets, const MeetingRule& meeting,
             const similar::PairRule& rule, ThreadPool& pool)
      : sets_(sets), meeting_(meeting), rule_(rule), pool_(pool), row_(meeting.row_bytes()) {}

  Status find(uint32_t a, UnionReader others, const PartPairSink& sink) {
    constexpr size_t block = 1 << 16;
    meeting_.read(a, row_);
    for (;;) {
      others.next(block, others_);
      if (others_.empty()) return Status::ok();
      compare(a);
      for (size_t i = 0; i < others_.size(); ++i) {
        if (common_[i] != nobody) KITH_TRY(sink({a, others_[i], common_[i]}));
      }
    }
  }

 private:
  // Elements in both, nobody where the others are no pair with a.
  void compare(uint32_t a) {
    constexpr size_t grain = 256;
    common_.assign(others_.size(), nobody);
    pool_.for_chunks(others_.size(), grain, [&](size_t begin, size_t end, unsigned) {
      std::vector<uint8_t> row(row_.size());
      similar::OverlapReader overlap_of(sets_, sets_);
      for (size_t i = begin; i < end; ++i) {
        meeting_.read(others_[i], row);
        if (!meeting_.is_candidate(row_.data(), row.data())) continue;
        const sketch::SetOverlap both = overlap_of(a, others_[i]);
        if (!rule_.is_pair(a, others_[i], both)) continue;
        common_[i] = static_cast<uint32_t>(both.common);
      }
    });
  }

  const similar::HashSets& sets_;
  const MeetingRule& meeting_;
  const similar::PairRule& rule_;
  ThreadPool& pool_;
  std::vector<uint8_t> row_;  // of a
  std::vector<uint32_t> others_;
  std::vector<uint32_t> common_;  // by other
};

}  // namespace

Status for_each_part_pair(const WholeParts& parts, const similar::HashSets& sets,
                          const MeetingRule& meeting, const similar::PairRule& rule,
                          ThreadPool& pool, const PartPairSink& sink) {
  // What is left of each part, by the document that comes next in it: the smallest first.
  using Next = std::pair<uint32_t, size_t>;  // document, part
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  std::vector<std::span<const uint32_t>> left(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    left[part] = parts.members(part);
    queue.emplace(left[part].front(), part);
  }
  PairFinder finder(sets, meeting, rule, pool);
  while (!queue.empty()) {
    const uint32_t document = queue.top().first;
    std::vector<std::span<const uint32_t>> others;
    while (!queue.empty() && queue.top().first == document) {
      const size_t part = queue.top().second;
      queue.pop();
      left[part] = left[part].subspan(1);
      others.push_back(left[part]);
      if (!left[part].empty()) queue.emplace(left[part].front(), part);
    }
    KITH_TRY(finder.find(document, UnionReader(std::move(others)), sink));
  }
  return Status::ok();
}

}  // namespace kith::jobs
