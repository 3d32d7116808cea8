#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

constexpr double shared_words = 0.2;  // cosine of sums

using ByLanguage = std::array<uint64_t, 256>;

// The largest languages, most pages first, that have so many.
std::vector<uint8_t> large_languages(const TopicVectors& vectors, std::span<const uint8_t> language,
                                     uint64_t least) {
  ByLanguage pages{};
  for (size_t i = 0; i < vectors.size(); ++i) pages[language[i]] += vectors.pages(i);
  std::vector<uint8_t> large;
  for (unsigned one = 1; one < pages.size(); ++one) {
    if (pages[one] >= least) large.push_back(static_cast<uint8_t>(one));
  }
  std::ranges::stable_sort(large, [&](uint8_t a, uint8_t b) { return pages[a] > pages[b]; });
  if (large.size() > max_separated) large.resize(max_separated);
  return large;
}

double cosine(const TermMatrix<uint64_t>& sums, size_t a, size_t b) {
  double product = 0;
  double of_a = 0;
  double of_b = 0;
  for (size_t term = 0; term < sums.terms(); ++term) {
    const double x = as_double(sums[term][a]);
    const double y = as_double(sums[term][b]);
    product += x * y;
    of_a += x * x;
    of_b += y * y;
  }
  return product == 0 ? 0 : product / std::sqrt(of_a * of_b);
}

// By node: the number of the large language whose words its own has; no_group for the others.
std::vector<uint32_t> number_languages(const TopicVectors& vectors,
                                       std::span<const uint8_t> language, uint64_t least,
                                       ThreadPool& pool) {
  const std::vector<uint8_t> large = large_languages(vectors, language, least);
  if (large.size() < 2) return {};
  std::vector<uint32_t> number(256, no_group);
  for (uint32_t i = 0; i < large.size(); ++i) number[large[i]] = i;
  std::vector<uint32_t> of_node(vectors.size());
  for (size_t i = 0; i < of_node.size(); ++i) of_node[i] = number[language[i]];
  const auto count = static_cast<uint32_t>(large.size());
  const Groups all = make_groups(vectors, of_node, count, pool);
  std::vector<uint32_t> like(count);
  for (uint32_t i = 0; i < count; ++i) {
    like[i] = i;
    for (uint32_t j = 0; j < i && like[i] == i; ++j) {
      if (cosine(all.sums, i, j) > shared_words) like[i] = like[j];
    }
  }
  for (uint32_t& one : of_node) {
    if (one != no_group) one = like[one];
  }
  return of_node;
}

// Where the nodes of a group and a language belong.
class Separation {
 public:
  Separation(const TopicVectors& vectors, std::span<const uint32_t> language, uint64_t least,
             const Groups& groups)
      : groups_(groups), least_(least), pages_(groups.pages.size()) {
    for (size_t i = 0; i < vectors.size(); ++i) {
      if (language[i] != no_group) pages_[groups.group[i]][language[i]] += vectors.pages(i);
    }
    for (const auto& pages : pages_) home_.push_back(largest(pages));
    groups_made_ = static_cast<uint32_t>(pages_.size());
  }

  uint32_t group_of(uint32_t group, uint32_t language) {
    if (language == no_group || home_[group] == language) return group;
    const bool is_own = pages_[group][language] >= least_;
    const auto key = is_own ? std::pair(group, language) : std::pair(no_group, language);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const uint32_t chosen = choose(is_own, language);
    made_[key] = chosen;
    return chosen;
  }
  uint32_t groups() const { return groups_made_; }

 private:
  static uint32_t largest(const std::map<uint32_t, uint64_t>& pages) {
    uint32_t best = no_group;
    uint64_t most = 0;
    for (const auto& [language, count] : pages) {
      if (count > most) best = language;
      most = std::max(most, count);
    }
    return best;
  }

  uint32_t choose(bool is_own, uint32_t language) {
    uint32_t home = no_group;
    for (uint32_t g = 0; g < home_.size(); ++g) {
      const bool is_larger = home == no_group || groups_.pages[g] > groups_.pages[home];
      if (home_[g] == language && is_larger) home = g;
    }
    const bool has_room = groups_made_ < home_.size() + max_separated;
    if (home != no_group && (!is_own || !has_room)) return home;
    const uint32_t largest = is_own ? no_group : largest_part(language);
    return largest == no_group ? groups_made_++ : group_of(largest, language);
  }

  // The group with the most pages of a language, if these become a group of their own.
  uint32_t largest_part(uint32_t language) const {
    uint32_t best = no_group;
    uint64_t most = least_ - 1;
    for (uint32_t g = 0; g < pages_.size(); ++g) {
      const auto found = pages_[g].find(language);
      if (found == pages_[g].end() || found->second <= most) continue;
      best = g;
      most = found->second;
    }
    return best;
  }

  const Groups& groups_;
  uint64_t least_;
  std::vector<std::map<uint32_t, uint64_t>> pages_;  // by group, by language
  std::vector<uint32_t> home_;                       // by group: its language
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> made_;
  uint32_t groups_made_ = 0;
};

}  // namespace

void separate_languages(const TopicVectors& vectors, std::span<const uint64_t> sum,
                        std::span<const uint8_t> language, uint64_t least, Groups& groups,
                        ThreadPool& pool) {
  const std::vector<uint32_t> numbers = number_languages(vectors, language, least, pool);
  if (numbers.empty()) return;
  Separation separation(vectors, numbers, least, groups);
  std::vector<uint32_t> group(vectors.size());
  for (size_t i = 0; i < group.size(); ++i) {
    group[i] = separation.group_of(groups.group[i], numbers[i]);
  }
  if (group == groups.group) return;
  groups = make_groups(vectors, std::move(group), separation.groups(), pool);
  set_directions(vectors, sum, groups, pool);
}

}  // namespace kith::topics
