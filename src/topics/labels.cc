#include "topics/labels.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <tuple>
#include <utility>

#include "cluster/labels.h"
#include "topics/communities.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

struct Best {
  int suits = -1;
  double fit = -1;
  uint32_t node = no_group;

  void take(const Best& other) {
    if (std::tie(suits, fit, other.node) < std::tie(other.suits, other.fit, node)) *this = other;
  }
};

}  // namespace

std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums,
                                     std::span<const uint8_t> suits, ThreadPool& pool) {
  std::vector<Best> best(sums.groups());
  std::mutex mutex;
  pool.for_chunks(vectors.size(), TopicVectors::grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<Best> found(sums.groups());
    TopicVectors::Stretch stretch(vectors, begin, end);
    for (size_t i = begin; i < end; ++i) {
      double fit = 0;
      for (const Coordinate& c : stretch[i]) {
        fit += as_double(c.value) * as_double(sums[c.term][group[i]]);
      }
      const int suited = suits.empty() ? 0 : suits[i];
      found[group[i]].take({suited, fit, static_cast<uint32_t>(i)});
    }
    const std::lock_guard lock(mutex);
    for (size_t g = 0; g < found.size(); ++g) best[g].take(found[g]);
  });
  std::vector<uint32_t> nodes;
  nodes.reserve(best.size());
  for (const Best& one : best) nodes.push_back(one.node);
  return nodes;
}

namespace {

constexpr uint64_t min_pages = 3;
// Of the best so many are asked for their hosts.
constexpr size_t max_candidates = 64;
constexpr size_t terms_per_chunk = 1 << 14;

struct Candidate {
  uint32_t term;  // in the numbering of the topic
  double score;
};
using Candidates = std::vector<Candidate>;

// Pages by term and group.
TermMatrix<uint32_t> count_pages(const TopicVectors& vectors, std::span<const uint32_t> group,
                                 uint32_t groups, ThreadPool& pool) {
  TermMatrix<uint32_t> counts(vectors.terms(), groups);
  const bool alone = pool.size() == 1;
  pool.for_chunks(vectors.size(), TopicVectors::grain, [&](size_t begin, size_t end, unsigned) {
    TopicVectors::Stretch stretch(vectors, begin, end);
    for (size_t i = begin; i < end; ++i) {
      for (const Coordinate& c : stretch[i]) {
        uint32_t& count = counts[c.term][group[i]];
        if (alone) {
          count += vectors.pages(i);
        } else {
          std::atomic_ref(count).fetch_add(vectors.pages(i), std::memory_order_relaxed);
        }
      }
    }
  });
  return counts;
}

class Labeller {
 public:
  Labeller(const TopicVectors& vectors, const TermMatrix<uint32_t>& counts,
           const TermMatrix<float>& directions, std::span<const uint64_t> pages,
           const std::vector<bool>& words, std::span<const uint32_t> hosts)
      : vectors_(vectors),
        counts_(counts),
        directions_(directions),
        pages_(pages),
        words_(words),
        hosts_(hosts) {
    for (const uint64_t n : pages) all_ += n;
  }

  // By group the words of the terms [begin, end) that are more frequent in it than outside.
  std::vector<Candidates> collect(uint32_t begin, uint32_t end) const {
    std::vector<Candidates> candidates(pages_.size());
    for (uint32_t term = begin; term < end; ++term) {
      if (!words_[vectors_.term_id(term)]) continue;
      uint64_t total = 0;
      for (const uint32_t count : counts_[term]) total += count;
      if (total < min_pages) continue;
      for (uint32_t g = 0; g < pages_.size(); ++g) {
        const uint64_t inside = counts_[term][g];
        const uint64_t members = pages_[g];
        const uint64_t outside = total - inside;
        const uint64_t others = all_ - members;
        if (inside < min_pages || inside * 10 < members) continue;
        if (inside * others <= outside * members) continue;
        const double score = cluster::log_likelihood_ratio(inside, members, outside, others);
        candidates[g].push_back({term, score});
      }
    }
    return candidates;
  }

  std::vector<uint32_t> label(uint32_t g, Candidates candidates, std::span<const uint32_t> members,
                              uint32_t most) const {
    keep_best(candidates, max_candidates);
    const std::vector<uint8_t> local = on_one_host(candidates, members, most);
    std::vector<uint32_t> labels;
    for (size_t i = 0; i < candidates.size() && labels.size() < most; ++i) {
      if (!local[i]) labels.push_back(vectors_.term_id(candidates[i].term));
    }
    return labels.empty() ? of_direction(g, most) : labels;
  }

 private:
  static void keep_best(Candidates& candidates, size_t most) {
    const size_t kept = std::min(candidates.size(), most);
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<ptrdiff_t>(kept),
                              [](const Candidate& a, const Candidate& b) {
                                return std::tie(b.score, a.term) < std::tie(a.score, b.term);
                              });
    candidates.resize(kept);
  }

  std::vector<uint32_t> of_direction(uint32_t g, uint32_t most) const {
    Candidates candidates;
    for (uint32_t term = 0; term < vectors_.terms(); ++term) {
      const float value = directions_[term][g];
      if (value > 0 && counts_[term][g] > 0 && words_[vectors_.term_id(term)]) {
        candidates.push_back({term, value});
      }
    }
    keep_best(candidates, most);
    std::vector<uint32_t> labels;
    labels.reserve(candidates.size());
    for (const Candidate& candidate : candidates) {
      labels.push_back(vectors_.term_id(candidate.term));
    }
    return labels;
  }

  // By candidate: whether it stands on one host only while the members stand on several. Not known
  // of others where the first `most`, which are the labels then, stand on several.
  std::vector<uint8_t> on_one_host(std::span<const Candidate> candidates,
                                   std::span<const uint32_t> members, uint32_t most) const {
    std::vector<uint8_t> local(candidates.size(), 0);
    const bool several = std::ranges::any_of(
        members, [&](uint32_t i) { return hosts_[i] != hosts_[members.front()]; });
    if (!several) return local;
    std::vector<std::pair<uint32_t, uint32_t>> places;  // term, place among the candidates
    for (uint32_t i = 0; i < candidates.size(); ++i) places.emplace_back(candidates[i].term, i);
    std::ranges::sort(places);
    std::vector<uint32_t> host(candidates.size(), similar::no_id);
    // Not known to be on two hosts.
    size_t undecided = candidates.size();
    size_t undecided_labels = std::min<size_t>(undecided, most);
    for (size_t first = 0; first < members.size() && undecided > 0 && undecided_labels > 0;
         first += TopicVectors::grain) {
      const auto some =
          members.subspan(first, std::min(TopicVectors::grain, members.size() - first));
      TopicVectors::Stretch stretch(vectors_, some.front(), some.back() + 1);
      for (const uint32_t i : some) {
        auto place = places.begin();
        for (const Coordinate& c : stretch[i]) {
          while (place != places.end() && place->first < c.term) ++place;
          if (place == places.end()) break;
          if (place->first != c.term) continue;
          uint32_t& known = host[place->second];
          uint8_t& is_local = local[place->second];
          if (known == similar::no_id) {
            known = hosts_[i];
            is_local = 1;
          } else if (is_local && known != hosts_[i]) {
            is_local = 0;
            --undecided;
            undecided_labels -= place->second < most;
          }
        }
      }
    }
    return local;
  }

  const TopicVectors& vectors_;
  const TermMatrix<uint32_t>& counts_;
  const TermMatrix<float>& directions_;
  const std::span<const uint64_t> pages_;
  const std::vector<bool>& words_;
  const std::span<const uint32_t> hosts_;
  uint64_t all_ = 0;
};

}  // namespace

std::vector<std::vector<uint32_t>> label_groups(const TopicVectors& vectors,
                                                std::span<const uint32_t> group,
                                                const TermMatrix<float>& directions,
                                                const std::vector<bool>& words,
                                                std::span<const uint32_t> hosts, uint32_t most,
                                                ThreadPool& pool) {
  const auto groups = static_cast<uint32_t>(directions.groups());
  const TermMatrix<uint32_t> counts = count_pages(vectors, group, groups, pool);
  const Members members = members_of(group, groups);
  std::vector<uint64_t> pages(groups);
  for (size_t i = 0; i < vectors.size(); ++i) pages[group[i]] += vectors.pages(i);
  const Labeller labeller(vectors, counts, directions, pages, words, hosts);
  std::vector<Candidates> candidates(groups);
  std::mutex mutex;
  pool.for_chunks(vectors.terms(), terms_per_chunk, [&](size_t begin, size_t end, unsigned) {
    const auto some = labeller.collect(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
    const std::lock_guard lock(mutex);
    for (size_t g = 0; g < groups; ++g) {
      candidates[g].insert(candidates[g].end(), some[g].begin(), some[g].end());
    }
  });
  std::vector<std::vector<uint32_t>> labels(groups);
  pool.for_chunks(groups, 1, [&](size_t begin, size_t end, unsigned) {
    for (size_t g = begin; g < end; ++g) {
      labels[g] =
          labeller.label(static_cast<uint32_t>(g), std::move(candidates[g]), members[g], most);
    }
  });
  return labels;
}

}  // namespace kith::topics
