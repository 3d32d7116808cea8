#include "jobs/dedup/families/meeting_rule.h"

#include <cstring>
#include <utility>
#include <vector>

#include "jobs/dedup/files.h"
#include "jobs/dedup/super_shingles.h"
#include "run/stage_files.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/sets/set_join.h"
#include "sketch/simhash.h"
#include "sketch/super_shingles.h"

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

}  // namespace kith::jobs
