// Which groups there are, who belongs to each, and what they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/dates.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/groups.h"

namespace kith::jobs {

// The groups of two documents or more: the largest first, of equal ones that whose kept document
// comes first. Immutable, thread-safe. Holds 8 bytes a group, and at most 8 a document.
class GroupIndex {
 public:
  GroupIndex() = default;
  // kept: by document, the one of its group that stays.
  explicit GroupIndex(std::span<const uint32_t> kept);

  uint64_t size() const { return begins_.size() - 1; }
  // The documents of a group: the one that is kept, then the others in input order. REQUIRES:
  // number < size().
  std::span<const uint32_t> operator[](uint64_t number) const {
    return std::span(ids_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  // The number of the group whose kept document this is; size() if there is none.
  uint64_t find(uint32_t kept) const {
    return numbers_[kept] == none ? size() : uint64_t{numbers_[kept]};
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<uint32_t> ids_;        // group by group
  std::vector<uint64_t> begins_{0};  // of each group, and the end
  std::vector<uint32_t> numbers_;    // of groups, by their kept document
};

// What a kept document stands for. Similarities are those of the removed documents with the kept
// one, by the measure of the run: their resemblance, or how much of them is contained in it.
struct GroupFacts {
  uint64_t number = 0;  // as lists have it, from 1; 0: the document is in no group
  uint64_t size = 1;
  double min_similarity = 1;
  double max_similarity = 1;
  uint64_t hosts = 0;  // different ones
  int64_t first_time = no_time;
  int64_t last_time = no_time;
};

// How similar a document is to the one that is kept.
double similarity_to_kept(const DocumentTable& documents, const Groups& groups, DedupMethod method,
                          uint32_t id);

// Facts of kept documents, one after the other. Not thread-safe.
class GroupReader {
 public:
  // All outlive this object.
  GroupReader(const DocumentTable& documents, const Groups& groups, const GroupIndex& index,
              DedupMethod method)
      : documents_(documents), groups_(groups), index_(index), method_(method) {}

  // REQUIRES: the document is kept. Time follows the size of its group.
  GroupFacts facts(uint32_t kept);

 private:
  const DocumentTable& documents_;
  const Groups& groups_;
  const GroupIndex& index_;
  const DedupMethod method_;
  std::vector<uint64_t> hosts_;
};

// The host of a name as it stands there, in lower case; empty where it is no http or https URL.
// `buffer` may hold it.
std::string_view host_in_name(std::string_view name, std::string& buffer);

// DedupOptions::weights.
class GroupWeights {
 public:
  // An error of kind usage for another text.
  static Result<GroupWeights> parse(std::string_view text);
  double operator()(uint64_t size) const;

 private:
  enum class Kind : uint8_t { one, log, sqrt, cap };
  Kind kind_ = Kind::one;
  uint64_t cap_ = 1;
};

}  // namespace kith::jobs
