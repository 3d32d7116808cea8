// Which leaders may be similar to a document: what the kinds of streams differ in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kith/stream.h"

#include "jobs/stream/features.h"

namespace kith::jobs {

// Leaders are numbered from 0 in the order in which they are added. find() may be called by many
// threads at once, but not while add() is at work.
class LeaderIndex {
 public:
  virtual ~LeaderIndex() = default;
  // Adds the next leader. The features are not kept. REQUIRES: they are not empty.
  virtual void add(Features features) = 0;
  // The numbers of leaders that may be similar, ascending, each once. All that are, by fingerprint
  // and simhash; by shingles and bags with the recall of the options.
  virtual void find(Features features, std::vector<uint32_t>& leaders) const = 0;
  virtual uint64_t bytes() const = 0;
};

// An empty index. REQUIRES: valid options.
std::unique_ptr<LeaderIndex> make_leader_index(const StreamOptions& options);

// What tables are planned for: at a similarity of 1 any of them find all.
inline double plan_similarity(double similarity) {
  return similarity < 1 ? similarity : 0.999;
}

// The share of leaders at the minimum that a filter of candidates may lose, by bags: a part of what
// the recall leaves. Others have no such filter.
inline double plane_miss(const StreamOptions& options) {
  return options.by == StreamBy::bags ? (1 - options.recall) / 11 : 0;
}
// The recall of the tables, so that with the filter it is that of the options.
inline double table_recall(const StreamOptions& options) {
  return options.recall + plane_miss(options);
}

// The indexes by kind.
std::unique_ptr<LeaderIndex> make_resemblance_index(const StreamOptions& options);
std::unique_ptr<LeaderIndex> make_bag_index(const StreamOptions& options);
std::unique_ptr<LeaderIndex> make_containment_index(const StreamOptions& options);
std::unique_ptr<LeaderIndex> make_simhash_index(const StreamOptions& options);
std::unique_ptr<LeaderIndex> make_fingerprint_index();

}  // namespace kith::jobs
