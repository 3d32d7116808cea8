// Leaders that may contain a document, or be contained in it. Of a document A of which the share c
// of the elements, each as likely as any other, lies in B, one of the `probes` smallest elements
// lies in B but for a chance of at most (1 - c)^probes. So leaders are listed under all of their
// elements, and, apart from that, under their smallest ones: the smaller document of a pair meets
// the larger one with its smallest elements, whichever of both came first.
#include <algorithm>
#include <cmath>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"
#include "jobs/stream/leader_index.h"

namespace kith::jobs {
namespace {

// The elements by which a document is found in others, so that the recall is reached at the
// minimum similarity.
size_t probes_of(const StreamOptions& options) {
  if (options.similarity >= 1) return 1;
  const double probes = std::log1p(-options.recall) / std::log1p(-options.similarity);
  return std::max<size_t>(1, static_cast<size_t>(std::ceil(probes)));
}

// Leaders by element.
class Lists {
 public:
  void add(uint64_t element, uint32_t leader) {
    const auto older = static_cast<uint32_t>(entries_.size());
    const auto [place, is_new] = newest_.try_emplace(element, older);
    entries_.push_back({leader, is_new ? nobody : place->second});
    place->second = older;
  }
  void find(uint64_t element, std::vector<uint32_t>& leaders) const {
    const auto place = newest_.find(element);
    if (place == newest_.end()) return;
    for (uint32_t at = place->second; at != nobody; at = entries_[at].older) {
      leaders.push_back(entries_[at].leader);
    }
  }
  uint64_t bytes() const {
    return newest_.bucket_count() * (sizeof(uint64_t) + sizeof(uint64_t)) +
           entries_.capacity() * sizeof(Entry);
  }

 private:
  static constexpr uint32_t nobody = UINT32_MAX;
  struct Entry {
    uint32_t leader;
    uint32_t older;  // of the same element
  };
  boost::unordered_flat_map<uint64_t, uint32_t> newest_;
  std::vector<Entry> entries_;
};

class ContainmentIndex : public LeaderIndex {
 public:
  explicit ContainmentIndex(const StreamOptions& options) : probes_(probes_of(options)) {}

  void add(Features features) override {
    for (const uint64_t element : features) all_.add(element, leaders_);
    for (const uint64_t element : smallest(features)) smallest_.add(element, leaders_);
    ++leaders_;
  }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    leaders.clear();
    for (const uint64_t element : smallest(features)) all_.find(element, leaders);
    for (const uint64_t element : features) smallest_.find(element, leaders);
    std::ranges::sort(leaders);
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  }
  uint64_t bytes() const override { return all_.bytes() + smallest_.bytes(); }

 private:
  Features smallest(Features features) const {
    return features.first(std::min(probes_, features.size()));
  }

  const size_t probes_;
  uint32_t leaders_ = 0;
  Lists all_;
  Lists smallest_;
};

}  // namespace

std::unique_ptr<LeaderIndex> make_containment_index(const StreamOptions& options) {
  return std::make_unique<ContainmentIndex>(options);
}

}  // namespace kith::jobs
