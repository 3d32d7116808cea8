// The S-curve: how likely a pair of a given similarity meets in some table.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "lsh/binomial.h"
#include "lsh/curve_parts.h"
#include "lsh/tables.h"

namespace kith::lsh {
namespace {

// For every number X of equal minima, the chance that none of the tables so far lies within
// the X equal lanes. Tables are distinct subsets, drawn one by one without replacement.
class Misses {
 public:
  Misses(uint32_t lanes, uint32_t per_key)
      : choices_(binomial_coefficient(lanes, per_key)), good_(lanes + 1), miss_(lanes + 1, 1.0) {
    for (uint32_t x = 0; x <= lanes; ++x) good_[x] = binomial_coefficient(x, per_key);
  }

  void add_table() {
    const double left = choices_ - drawn_;
    for (size_t x = 0; x < miss_.size(); ++x) {
      const bool certain = good_[x] > 0.0 && good_[x] >= left;
      miss_[x] *= certain ? 0.0 : 1.0 - (left > 0.0 ? good_[x] / left : 0.0);
    }
    drawn_ += 1.0;
  }

  // The chance of a collision, when X is distributed as given.
  double collision(const std::vector<double>& distribution) const {
    double sum = 0.0;
    for (size_t x = 0; x < miss_.size(); ++x) sum += distribution[x] * (1.0 - miss_[x]);
    return std::min(sum, 1.0);
  }

 private:
  double choices_;
  double drawn_ = 0.0;
  std::vector<double> good_;
  std::vector<double> miss_;
};

Misses misses_of(const TableParams& params) {
  KITH_CHECK(params.per_key >= 1 && params.per_key <= max_per_key);
  Misses misses(params.lanes, params.per_key);
  for (uint32_t table = 0; table < params.tables; ++table) misses.add_table();
  return misses;
}

bool inside_unit(double value) {
  return value > 0.0 && value < 1.0;
}

Status check_tables(uint32_t max_tables) {
  if (max_tables < 1 || max_tables > most_tables) {
    return Error{ErrorKind::usage, fmt::format("{} tables are out of range: choose 1 to {}",
                                               max_tables, most_tables)};
  }
  return Status::ok();
}

// The fewest tables of k lanes that reach the recall, at most max_tables of them.
struct Search {
  uint32_t tables = 0;
  double recall = 0.0;  // what they reach
};
Search fewest_tables(const std::vector<double>& distribution, uint32_t per_key, double recall,
                     uint32_t max_tables) {
  Misses misses(static_cast<uint32_t>(distribution.size()) - 1, per_key);
  Search search;
  while (search.tables < max_tables && search.recall < recall) {
    misses.add_table();
    ++search.tables;
    search.recall = misses.collision(distribution);
  }
  return search;
}

}  // namespace

Status check_wish(double similarity, double recall, uint32_t lanes) {
  if (!inside_unit(similarity)) {
    return Error{ErrorKind::usage,
                 fmt::format("similarity {} is out of range: it must lie between 0 and 1, both "
                             "excluded",
                             similarity)};
  }
  if (!inside_unit(recall)) {
    return Error{
        ErrorKind::usage,
        fmt::format("recall {} is out of range: it must lie between 0 and 1, both excluded",
                    recall)};
  }
  if (lanes < 1 || lanes > 1024) {
    return Error{ErrorKind::usage,
                 fmt::format("{} minima are out of range: choose 1 to 1024", lanes)};
  }
  return Status::ok();
}

double collision_probability(double similarity, const TableParams& params) {
  KITH_CHECK(similarity >= 0.0 && similarity <= 1.0);
  return misses_of(params).collision(binomial_distribution(params.lanes, similarity));
}

double filtered_collision_probability(double similarity, const TableParams& params, uint32_t bits,
                                      uint32_t least_equal) {
  std::vector<double> distribution = binomial_distribution(params.lanes, similarity);
  for (uint32_t equal = 0; equal < std::min(least_equal, params.lanes + 1); ++equal) {
    // So many of the other lanes must agree in their low bits by chance.
    const auto by_chance =
        binomial_distribution(params.lanes - equal, std::ldexp(1.0, -static_cast<int>(bits)));
    double missed = 0.0;
    for (uint32_t more = 0; equal + more < least_equal && more < by_chance.size(); ++more) {
      missed += by_chance[more];
    }
    distribution[equal] *= std::max(0.0, 1.0 - missed);
  }
  return misses_of(params).collision(distribution);
}

double independent_collision_probability(double similarity, const TableParams& params) {
  return any_of(std::pow(similarity, params.per_key), params.tables);
}

double band_collision_probability(double similarity, uint32_t bands, uint32_t rows) {
  return any_of(std::pow(similarity, rows), bands);
}

CurveAreas curve_areas(double threshold, const TableParams& params) {
  KITH_CHECK(threshold >= 0.0 && threshold <= 1.0);
  const Misses misses = misses_of(params);
  const auto hit = [&](double s) {
    return misses.collision(binomial_distribution(params.lanes, s));
  };
  const auto miss = [&](double s) { return 1.0 - hit(s); };
  return {integral(0.0, threshold, hit), integral(threshold, 1.0, miss)};
}

Result<std::vector<TableParams>> table_choices(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables, uint64_t seed) {
  KITH_TRY(check_wish(similarity, recall, lanes));
  KITH_TRY(check_tables(max_tables));
  const std::vector<double> distribution = binomial_distribution(lanes, similarity);
  std::vector<TableParams> choices;
  double best = 0.0;
  for (uint32_t k = 1; k <= std::min(max_per_key, lanes); ++k) {
    const Search search = fewest_tables(distribution, k, recall, max_tables);
    best = std::max(best, search.recall);
    if (search.recall < recall) continue;
    choices.push_back({.lanes = lanes, .per_key = k, .tables = search.tables, .seed = seed});
  }
  if (!choices.empty()) return choices;
  return Error{ErrorKind::usage,
               fmt::format("no tables reach that recall at similarity {:.3g} with {} minima and up "
                           "to {} tables: the best is {:.2f}; give more --lanes, a higher "
                           "--similarity or a lower --recall",
                           similarity, lanes, max_tables, two_decimals(best))};
}

Result<TableParams> choose_tables(double similarity, double recall, uint32_t lanes,
                                  uint32_t max_tables, uint64_t seed) {
  KITH_ASSIGN(const auto choices, table_choices(similarity, recall, lanes, max_tables, seed));
  return choices.back();
}

}  // namespace kith::lsh
