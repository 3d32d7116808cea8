// kith::ClusterSteps: the stages of `kith cluster` behind the bags, for bags on many machines.
#include "kith/cluster_steps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "api/batch.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "cluster/leader/index.h"
#include "cluster/leader/part_scan.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/similarity_plan.h"
#include "cluster/plan/similarity_threshold.h"
#include "distributed/table_join.h"
#include "distributed/unpacked_bags.h"
#include "evaluate/brute_force.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "similar/tables/lsh_join.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

namespace kith {
namespace {

static_assert(ClusterSteps::query_neighbours == cluster::query_neighbours);
static_assert(ClusterSteps::histogram_bins == evaluate::SimilarityHistogram::bins);

Status check_many_machines(const SimilarityOptions& options) {
  if (options.engine == EngineChoice::exact) {
    return api::usage("engine exact: bags on many machines are compared by lsh");
  }
  if (options.order != Order::automatic && options.order != Order::mass &&
      options.order != Order::url) {
    return api::usage(fmt::format("order {}: bags on many machines are scanned by mass or url",
                                  name(options.order)));
  }
  return Status::ok();
}

uint64_t packed(const sketch::BagEntry& entry) {
  return uint64_t{entry.weight} << 32 | entry.term;
}

// In a slice: those that are no copy stand for themselves.
similar::DuplicateGroups groups_of(std::span<const uint8_t> is_copy) {
  similar::DuplicateGroups groups = similar::no_duplicates(is_copy.size());
  for (size_t i = 0; i < is_copy.size(); ++i) {
    if (is_copy[i] != 0) groups.representative[i] = similar::no_id;
  }
  return groups;
}

QueryTruths flat(const evaluate::BruteForceResult& result) {
  QueryTruths truths;
  for (uint32_t query = 0; query < result.queries.size(); ++query) {
    const evaluate::QueryTruth& truth = result.queries[query];
    for (const similar::Neighbour& near : truth.nearest) {
      truths.nearest.push_back({query, near.id, near.sum_of_minima});
    }
    for (uint32_t bin = 0; bin < ClusterSteps::histogram_bins; ++bin) {
      truths.histograms.push_back(truth.histogram.count(bin));
    }
  }
  return truths;
}

Status check_sample(const ClusterSteps::Sample& sample, uint32_t lanes) {
  const size_t queries = sample.query_ids.size();
  KITH_TRY(api::check_size(sample.words.size(), queries));
  KITH_TRY(api::check_size(sample.multiplicity.size(), queries));
  KITH_TRY(api::check_size(sample.histograms.size(), queries * ClusterSteps::histogram_bins));
  const auto in_place = [&](const QueryNeighbour& near) { return near.query < queries; };
  if (sample.signatures.size() % lanes != 0 ||
      std::ranges::find(sample.multiplicity, 0u) != sample.multiplicity.end() ||
      std::ranges::adjacent_find(sample.query_ids, std::ranges::greater_equal()) !=
          sample.query_ids.end() ||
      !std::ranges::all_of(sample.nearest, in_place)) {
    return api::usage(
        "the sample: must have the queries ascending, each with its multiplicity, and the results "
        "of "
        "compare() and features() for them");
  }
  return Status::ok();
}

evaluate::BruteForceResult truths_of(const ClusterSteps::Sample& sample) {
  evaluate::BruteForceResult truths;
  truths.queries.resize(sample.query_ids.size());
  for (size_t query = 0; query < truths.queries.size(); ++query) {
    evaluate::QueryTruth& truth = truths.queries[query];
    truth.id = sample.query_ids[query];
    for (uint32_t bin = 0; bin < ClusterSteps::histogram_bins; ++bin) {
      truth.histogram.add_to_bin(bin,
                                 sample.histograms[query * ClusterSteps::histogram_bins + bin]);
    }
  }
  for (const QueryNeighbour& near : sample.nearest) {
    truths.queries[near.query].nearest.push_back({near.id, near.sum_of_minima});
  }
  evaluate::leave_out_own_groups(truths);
  return truths;
}

Status check_similarity(double similarity) {
  if (similarity > 0 && similarity <= 1) return Status::ok();
  return api::usage(fmt::format("similarity {}: must be above 0 and at most 1", similarity));
}

uint32_t plane_bar(double similarity, uint32_t lanes) {
  return cluster::plane_bar(sketch::min_sum_of_minima(similarity), lanes,
                            cluster::LeaderOptions().plane_miss);
}

// The same of `kith pairs`.
uint32_t plane_bar_of_pairs(double similarity, uint32_t lanes) {
  similar::LshJoinOptions options;
  options.min_sum = sketch::min_sum_of_minima(similarity);
  options.top = 0;
  return similar::min_candidate_count(options, lanes);
}

Status check_chosen(const ClusterTables& chosen) {
  KITH_TRY(check_similarity(chosen.similarity));
  return distributed::check_tables(chosen.per_key, chosen.tables);
}

Status check_scan(const ClusterSteps::ScanInput& input, uint32_t lanes) {
  KITH_TRY(api::check_size(input.bags.size(), input.numbers.size()));
  KITH_TRY(distributed::check_signatures(input.bags.size(), input.signatures.size(), lanes));
  KITH_TRY(api::check_size(input.part_names.size(), input.part_members.size()));
  KITH_TRY(api::check_ids(input.numbers, input.count));
  const auto is_pair = [&](const SimilarBags& pair) {
    return pair.a < pair.b && pair.b < input.count && pair.sum_of_minima > 0;
  };
  const auto is_there = [&](uint32_t member) {
    return std::ranges::binary_search(input.numbers, member);
  };
  if (std::ranges::adjacent_find(input.numbers, std::ranges::greater_equal()) ==
          input.numbers.end() &&
      std::ranges::all_of(input.pairs, is_pair) &&
      std::ranges::all_of(input.part_members, is_there)) {
    return Status::ok();
  }
  return api::usage("pairs and parts must name bags by their numbers, a pair the earlier first");
}

}  // namespace

struct ClusterSteps::State {
  std::unique_ptr<const TableJoin::State> tables(const ClusterTables& chosen,
                                                 uint32_t min_equal) const {
    const sketch::TableParams params{.lanes = given.lanes,
                                     .per_key = chosen.per_key,
                                     .tables = chosen.tables,
                                     .seed = cluster::seed_for(given, cluster::SeedUse::tables)};
    const double threshold = sketch::similarity_of(sketch::min_sum_of_minima(chosen.similarity));
    return std::make_unique<const TableJoin::State>(
        params, min_equal, similar::close_pivot_rule(threshold, given.lanes));
  }

  BagFeatures features(const sketch::BagCollection& bags) const {
    BagFeatures features;
    features.offsets.assign(bags.offsets().begin(), bags.offsets().end());
    std::ranges::transform(bags.entries(), std::back_inserter(features.entries), packed);
    features.signatures.resize(bags.size() * given.lanes);
    for (size_t i = 0; i < bags.size(); ++i) {
      const auto bytes = std::as_bytes(bags[i]);
      const Key128 key = bytes.empty()
                             ? Key128()
                             : hash128({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      features.content.push_back(key.high);
      features.content.push_back(key.low);
      sketcher.sketch(bags[i],
                      std::span(features.signatures).subspan(i * given.lanes, given.lanes));
    }
    return features;
  }

  SimilarityOptions given;
  sketch::Sketcher sketcher;
};

ClusterSteps::ClusterSteps(std::unique_ptr<const State> state) : state_(std::move(state)) {}
ClusterSteps::~ClusterSteps() = default;
ClusterSteps::ClusterSteps(ClusterSteps&&) noexcept = default;
ClusterSteps& ClusterSteps::operator=(ClusterSteps&&) noexcept = default;

Result<ClusterSteps> ClusterSteps::make(const SimilarityOptions& options) {
  return run::guarded([&]() -> Result<ClusterSteps> {
    SimilarityOptions given = options;
    if (given.engine == EngineChoice::automatic) given.engine = EngineChoice::lsh;
    KITH_TRY(api::check_options(given));
    KITH_TRY(check_many_machines(given));
    return ClusterSteps(std::make_unique<const State>(
        State{given, sketch::Sketcher(cluster::sketch_options(given))}));
  });
}

const SimilarityOptions& ClusterSteps::options() const {
  return state_->given;
}

Result<BagFeatures> ClusterSteps::features(const Bags& bags) const {
  return run::guarded(
      [&]() -> Result<BagFeatures> { return state_->features(bags.arrays().collection()); });
}

Result<BagFeatures> ClusterSteps::features(const PackedBags& bags) const {
  return run::guarded([&]() -> Result<BagFeatures> {
    KITH_ASSIGN(const distributed::UnpackedBags given, distributed::UnpackedBags::make(bags));
    return state_->features(given.collection());
  });
}

Result<GatheredBags> ClusterSteps::gather(uint64_t entries) const {
  return run::guarded([&]() -> Result<GatheredBags> {
    auto state = std::make_unique<GatheredBags::State>();
    state->options = state_->given;
    state->bags.reserve(entries);
    return GatheredBags(std::move(state));
  });
}

std::vector<uint64_t> ClusterSteps::queries(uint64_t filled) const {
  return cluster::query_places(filled, state_->given);
}

std::vector<uint64_t> ClusterSteps::sketched(uint64_t different) const {
  return cluster::signature_places(different, state_->given);
}

Result<QueryTruths> ClusterSteps::compare(const PackedBags& queries,
                                          std::span<const uint32_t> query_ids,
                                          const PackedBags& bags, uint32_t first,
                                          std::span<const uint8_t> is_copy) const {
  KITH_TRY(api::check_size(query_ids.size(), queries.size()));
  KITH_TRY(api::check_size(is_copy.size(), bags.size()));
  return run::guarded([&]() -> Result<QueryTruths> {
    KITH_ASSIGN(const distributed::UnpackedBags asking, distributed::UnpackedBags::make(queries));
    KITH_ASSIGN(const distributed::UnpackedBags slice, distributed::UnpackedBags::make(bags));
    const sketch::BagCollection collection = slice.collection();
    const similar::DuplicateGroups groups = groups_of(is_copy);
    ThreadPool pool(1);
    return flat(evaluate::brute_force({&collection, first}, asking.collection(), query_ids,
                                      {.top = query_neighbours, .histogram_groups = &groups},
                                      pool));
  });
}

Result<ClusterPlan> ClusterSteps::plan(const Sample& sample) const {
  KITH_TRY(check_sample(sample, state_->given.lanes));
  return run::guarded([&]() -> Result<ClusterPlan> {
    ThreadPool pool(1);
    Report report;
    cluster::SampledBags sampled;
    sampled.bags = sample.bags;
    sampled.distinct = sample.different;
    sampled.entries = sample.entries;
    sampled.truths = truths_of(sample);
    sampled.words.assign(sample.words.begin(), sample.words.end());
    sampled.multiplicity.assign(sample.multiplicity.begin(), sample.multiplicity.end());
    sampled.signatures.assign(sample.signatures.begin(), sample.signatures.end());
    KITH_TRY(cluster::make_plan(std::move(sampled), state_->given, pool, report).status());
    const ClusterTables chosen{report.threshold.similarity, report.engine.per_key,
                               report.engine.tables};
    return ClusterPlan{chosen, report.threshold, report.engine};
  });
}

Result<TableJoin> ClusterSteps::join(const ClusterTables& chosen) const {
  KITH_TRY(check_chosen(chosen));
  return run::guarded([&]() -> Result<TableJoin> {
    return TableJoin(state_->tables(chosen, plane_bar(chosen.similarity, state_->given.lanes)));
  });
}

Result<TableJoin> ClusterSteps::join_for_pairs(const ClusterTables& chosen) const {
  KITH_TRY(check_chosen(chosen));
  return run::guarded([&]() -> Result<TableJoin> {
    const uint32_t bar = plane_bar_of_pairs(chosen.similarity, state_->given.lanes);
    return TableJoin(state_->tables(chosen, bar));
  });
}

Result<BagVerifier> ClusterSteps::verifier(double similarity, uint64_t entries) const {
  KITH_TRY(check_similarity(similarity));
  return run::guarded([&]() -> Result<BagVerifier> {
    auto state = std::make_unique<BagVerifier::State>();
    state->least = sketch::min_sum_of_minima(similarity);
    state->bags.reserve(entries);
    return BagVerifier(std::move(state));
  });
}

Result<std::vector<uint32_t>> ClusterSteps::verify(double similarity, const PackedBags& bags,
                                                   std::span<const uint32_t> a,
                                                   std::span<const uint32_t> b) const {
  KITH_ASSIGN(BagVerifier given, verifier(similarity, bags.entries.size()));
  KITH_TRY(given.add(bags));
  return given.sums(a, b);
}

Result<BagPartPairs> ClusterSteps::part_pairs(double similarity, const PartBags& input) const {
  const uint32_t lanes = state_->given.lanes;
  KITH_TRY(check_similarity(similarity));
  KITH_TRY(distributed::check_signatures(input.bags.size(), input.signatures.size(), lanes));
  KITH_TRY(api::check_size(input.part_names.size(), input.part_members.size()));
  KITH_TRY(api::check_ids(input.part_members, input.bags.size()));
  return run::guarded([&]() -> Result<BagPartPairs> {
    const similar::PartPairRule rule{.min_count = plane_bar_of_pairs(similarity, lanes),
                                     .min_sum = sketch::min_sum_of_minima(similarity)};
    KITH_ASSIGN(auto state, BagPartPairs::State::make(input, lanes, rule));
    return BagPartPairs(std::move(state));
  });
}

Result<ClusterSteps::Centers> ClusterSteps::scan(double similarity, const ScanInput& input) const {
  const uint32_t lanes = state_->given.lanes;
  KITH_TRY(check_similarity(similarity));
  KITH_TRY(check_scan(input, lanes));
  return run::guarded([&]() -> Result<Centers> {
    KITH_ASSIGN(const distributed::UnpackedBags given, distributed::UnpackedBags::make(input.bags));
    const sketch::BagCollection bags = given.collection();
    std::vector<cluster::RowPair> pairs;
    for (const SimilarBags& pair : input.pairs) {
      pairs.push_back({pair.a, pair.b, pair.sum_of_minima});
    }
    std::vector<similar::PartMember> members;
    for (size_t i = 0; i < input.part_members.size(); ++i) {
      const auto at = std::ranges::lower_bound(input.numbers, input.part_members[i]);
      const auto bag = static_cast<uint32_t>(at - input.numbers.begin());
      if (bags[bag].size() < state_->given.min_words) continue;
      members.push_back({input.part_names[i], bag});
    }
    std::vector<uint8_t> plane(input.signatures.size());
    sketch::low_bytes(input.signatures, plane);
    cluster::Clustering found =
        cluster::scan_parts({.rows = input.count,
                             .rows_of_bags = input.numbers,
                             .bags = bags,
                             .plane = sketch::SignaturePlane(plane, lanes),
                             .pairs = pairs,
                             .members = members,
                             .min_sum = sketch::min_sum_of_minima(similarity),
                             .plane_bar = plane_bar(similarity, lanes),
                             .assign = state_->given.assign});
    return Centers{std::move(found.center), std::move(found.sum_of_minima)};
  });
}

}  // namespace kith
