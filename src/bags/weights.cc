#include "bags/weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kith::bags {
namespace {

constexpr uint32_t largest_bag = 1 << 16;

// Moves the `count` largest values' indices, ties to the earlier index, to the front; in no
// order. `indices` is filled anew.
void select_largest(std::span<const double> values, size_t count, std::vector<uint32_t>& indices) {
  indices.resize(values.size());
  std::iota(indices.begin(), indices.end(), 0u);
  if (count >= indices.size()) return;
  std::ranges::nth_element(indices, indices.begin() + static_cast<ptrdiff_t>(count),
                           [&](uint32_t a, uint32_t b) {
                             return values[a] != values[b] ? values[a] > values[b] : a < b;
                           });
  indices.resize(count);
}

}  // namespace

double term_factor(Weighting weighting, uint64_t df, uint64_t n) {
  switch (weighting) {
    case Weighting::tf_idf:
      return std::log(static_cast<double>(n + 1) / static_cast<double>(df));
    case Weighting::nmdf: {
      const double span = std::log(static_cast<double>(n) + 1.0);
      const double distance = (std::log(static_cast<double>(df)) - span / 2) / (span / 5);
      return std::exp(-distance * distance / 2);
    }
    case Weighting::tf:
      return 1.0;
  }
  return 1.0;
}

double count_factor(Weighting weighting, uint32_t count) {
  return weighting == Weighting::tf ? count : std::sqrt(static_cast<double>(count));
}

size_t normalise(std::span<const RealWeight> weights, uint32_t max_terms,
                 std::vector<sketch::BagEntry>& bag) {
  bag.clear();
  if (weights.empty()) return 0;
  std::vector<double> values(weights.size());
  std::ranges::transform(weights, values.begin(), &RealWeight::weight);
  std::vector<uint32_t> kept;
  select_largest(values, max_terms == 0 ? largest_bag : std::min(max_terms, largest_bag), kept);
  if (kept.size() < values.size()) std::ranges::sort(kept);  // entries keep their order
  double sum = 0;
  for (const uint32_t i : kept) sum += values[i];

  // One unit each is set aside; the rest is shared out in proportion.
  const auto shared_out = static_cast<double>(sketch::bag_total - kept.size());
  uint64_t given = 0;
  std::vector<double> remainders;
  for (const uint32_t i : kept) {
    const double exact = values[i] / sum * shared_out;
    const double whole = std::floor(exact);
    bag.push_back({weights[i].term, 1 + static_cast<uint32_t>(whole)});
    remainders.push_back(exact - whole);
    given += bag.back().weight;
  }
  // Rounding of `sum` can leave a unit more or less than the remainders account for.
  const size_t left = given < sketch::bag_total ? sketch::bag_total - given : 0;
  std::vector<uint32_t> rounded_up;
  select_largest(remainders, std::min(left, bag.size()), rounded_up);
  for (const uint32_t i : rounded_up) {
    ++bag[i].weight;
    ++given;
  }
  const auto heaviest = std::ranges::max_element(bag, {}, &sketch::BagEntry::weight);
  heaviest->weight = static_cast<uint32_t>(heaviest->weight + sketch::bag_total - given);
  return weights.size() - kept.size();
}

void MeanBag::add(sketch::Bag bag, uint32_t share) {
  for (const sketch::BagEntry& entry : bag) sums_[entry.term] += uint64_t{share} * entry.weight;
}

void MeanBag::take(uint32_t max_terms, std::vector<sketch::BagEntry>& bag) {
  ordered_.assign(sums_.begin(), sums_.end());
  sums_.clear();
  if (ordered_.size() > max_terms) {
    std::ranges::nth_element(ordered_, ordered_.begin() + static_cast<ptrdiff_t>(max_terms),
                             [](const auto& a, const auto& b) {
                               return a.second != b.second ? a.second > b.second
                                                           : a.first < b.first;
                             });
    ordered_.resize(max_terms);
  }
  std::ranges::sort(ordered_);
  weights_.clear();
  for (const auto& [term, sum] : ordered_) weights_.push_back({term, static_cast<double>(sum)});
  normalise(weights_, 0, bag);
}

}  // namespace kith::bags
