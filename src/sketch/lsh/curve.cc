// The S-curve: how likely a pair of a given similarity meets in some table.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "sketch/lsh/duplicate_tables.h"
#include "sketch/lsh/tables.h"

namespace kith::sketch {
namespace {

using ByEqual = std::vector<double>;  // by the number X of equal minima

// C(n, i) for i = 0 .. n.
std::vector<double> binomial_row(uint32_t n) {
  std::vector<double> row = {1.0};
  for (double i = 0; i < n; ++i) row.push_back(row.back() * ((n - i) / (i + 1)));
  return row;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> product(a.size() + b.size() - 1);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

// The chance that none of n disjoint subsets lies within X of the lanes. Of all ways to choose
// X lanes, the ways without a whole subset are the coefficients of ((1 + z)^k - z^k)^n in the
// subsets times (1 + z)^(m - n k) in the other lanes. C(1024, 512) is in the range of a double.
ByEqual free_of_disjoint(uint32_t lanes, uint32_t per_key, uint32_t n) {
  std::vector<double> not_whole = binomial_row(per_key);
  not_whole.pop_back();
  std::vector<double> ways = {1.0};
  for (uint32_t i = 0; i < n; ++i) ways = product(ways, not_whole);
  ways = product(ways, binomial_row(lanes - n * per_key));
  ways.resize(lanes + 1);
  const std::vector<double> all = binomial_row(lanes);
  for (size_t x = 0; x < ways.size(); ++x) ways[x] /= all[x];
  return ways;
}

// The chance that none of the tables lies within the X equal lanes, of subsets that are drawn order
// by order.
ByEqual misses_of_disjoint(const TableParams& params) {
  const uint32_t of_order = params.lanes / params.per_key;
  const ByEqual whole = free_of_disjoint(params.lanes, params.per_key, of_order);
  ByEqual misses = free_of_disjoint(params.lanes, params.per_key, params.tables % of_order);
  const uint32_t orders = params.tables / of_order;
  for (size_t x = 0; x < misses.size(); ++x) misses[x] *= std::pow(whole[x], orders);
  return misses;
}

// Of distinct subsets, drawn one by one without replacement.
ByEqual misses_of_random(const TableParams& params) {
  const double choices = binomial_coefficient(params.lanes, params.per_key);
  ByEqual misses(params.lanes + 1, 1.0);
  for (uint32_t x = 0; x <= params.lanes; ++x) {
    const double good = binomial_coefficient(x, params.per_key);
    if (good == 0.0) continue;
    for (uint32_t drawn = 0; drawn < params.tables && misses[x] > 0.0; ++drawn) {
      const double left = choices - drawn;
      misses[x] *= good >= left ? 0.0 : 1.0 - good / left;
    }
  }
  return misses;
}

ByEqual misses_of(const TableParams& params) {
  KITH_CHECK(params.per_key >= 1 && params.per_key <= max_per_key);
  KITH_CHECK(params.per_key <= params.lanes);
  return params.subsets == Subsets::disjoint ? misses_of_disjoint(params)
                                             : misses_of_random(params);
}

// The chance of a collision, when X is distributed as given.
double collision(const std::vector<double>& distribution, const ByEqual& misses) {
  double sum = 0.0;
  for (size_t x = 0; x < misses.size(); ++x) sum += distribution[x] * (1.0 - misses[x]);
  return std::min(sum, 1.0);
}

bool inside_unit(double value) {
  return value > 0.0 && value < 1.0;
}

Status check_tables(uint32_t max_tables) {
  if (max_tables < 1 || max_tables > tables_limit) {
    return Error{ErrorKind::usage,
                 fmt::format("max_tables = {}: must be from 1 to {}", max_tables, tables_limit)};
  }
  return Status::ok();
}

// The fewest tables like `request` that reach the recall, at most as many as it has.
struct Search {
  uint32_t tables = 0;
  double recall = 0.0;  // what they reach
};
Search fewest_tables(const std::vector<double>& distribution, const TableParams& request,
                     double recall) {
  const auto recall_of = [&](uint32_t tables) {
    TableParams params = request;
    params.tables = tables;
    return collision(distribution, misses_of(params));
  };
  Search search{request.tables, recall_of(request.tables)};
  if (search.recall < recall) return search;
  for (uint32_t too_few = 0; search.tables - too_few > 1;) {
    const uint32_t middle = (too_few + search.tables) / 2;
    const double reached = recall_of(middle);
    if (reached < recall) {
      too_few = middle;
    } else {
      search = {middle, reached};
    }
  }
  return search;
}

}  // namespace

Status check_request(double similarity, double recall, uint32_t lanes) {
  if (!inside_unit(similarity)) {
    return Error{
        ErrorKind::usage,
        fmt::format("similarity = {}: must be between 0 and 1, both excluded", similarity)};
  }
  if (!inside_unit(recall)) {
    return Error{ErrorKind::usage,
                 fmt::format("recall = {}: must be between 0 and 1, both excluded", recall)};
  }
  if (lanes < 1 || lanes > 1024) {
    return Error{ErrorKind::usage, fmt::format("lanes = {}: must be from 1 to 1024", lanes)};
  }
  return Status::ok();
}

namespace {

// Gives the fewest tables that reach the recall to visit(), for every k, descending, until that
// returns false. request: with as many tables as there may be.
template <class Visit>
Status search_tables(double similarity, TableParams request, double recall, const Visit& visit) {
  KITH_TRY(check_request(similarity, recall, request.lanes));
  KITH_TRY(check_tables(request.tables));
  const std::vector<double> distribution = binomial_distribution(request.lanes, similarity);
  double best = 0.0;
  for (uint32_t k = std::min(max_per_key, request.lanes); k >= 1; --k) {
    request.per_key = k;
    const Search search = fewest_tables(distribution, request, recall);
    best = std::max(best, search.recall);
    if (search.recall < recall) continue;
    TableParams choice = request;
    choice.tables = search.tables;
    if (!visit(choice)) return Status::ok();
  }
  if (best >= recall) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("no tables reach that recall at similarity {:.3g} with {} minima and up "
                           "to {} tables: the best is {:.2f}; give more `lanes`, a higher "
                           "`similarity` or a lower `recall`",
                           similarity, request.lanes, request.tables, two_decimals(best))};
}

}  // namespace

double collision_probability(double similarity, const TableParams& params) {
  KITH_CHECK(similarity >= 0.0 && similarity <= 1.0);
  return collision(binomial_distribution(params.lanes, similarity), misses_of(params));
}

double filtered_collision_probability(double similarity, const TableParams& params, uint32_t bits,
                                      uint32_t min_equal) {
  std::vector<double> distribution = binomial_distribution(params.lanes, similarity);
  for (uint32_t equal = 0; equal < std::min(min_equal, params.lanes + 1); ++equal) {
    // So many of the other lanes must agree in their low bits by chance.
    const auto by_chance =
        binomial_distribution(params.lanes - equal, std::ldexp(1.0, -static_cast<int>(bits)));
    double missed = 0.0;
    for (uint32_t more = 0; equal + more < min_equal && more < by_chance.size(); ++more) {
      missed += by_chance[more];
    }
    distribution[equal] *= std::max(0.0, 1.0 - missed);
  }
  return collision(distribution, misses_of(params));
}

double band_collision_probability(double similarity, uint32_t bands, uint32_t rows) {
  return any_of(std::pow(similarity, rows), bands);
}

CurveAreas curve_areas(double threshold, const TableParams& params) {
  KITH_CHECK(threshold >= 0.0 && threshold <= 1.0);
  const ByEqual misses = misses_of(params);
  const auto hit = [&](double s) {
    return collision(binomial_distribution(params.lanes, s), misses);
  };
  const auto miss = [&](double s) { return 1.0 - hit(s); };
  return {integral(0.0, threshold, hit), integral(threshold, 1.0, miss)};
}

Result<std::vector<TableParams>> table_choices(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables, uint64_t seed) {
  std::vector<TableParams> choices;
  KITH_TRY(search_tables(similarity, {.lanes = lanes, .tables = max_tables, .seed = seed}, recall,
                         [&](const TableParams& choice) {
                           choices.push_back(choice);
                           return true;
                         }));
  std::ranges::reverse(choices);
  return choices;
}

Result<TableParams> choose_tables(double similarity, double recall, uint32_t lanes,
                                  uint32_t max_tables, uint64_t seed) {
  TableParams chosen;
  KITH_TRY(search_tables(similarity, {.lanes = lanes, .tables = max_tables, .seed = seed}, recall,
                         [&](const TableParams& choice) {
                           chosen = choice;
                           return false;
                         }));
  return chosen;
}

}  // namespace kith::sketch
