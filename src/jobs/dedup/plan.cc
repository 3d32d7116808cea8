#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kith/dedup.h"

#include "base/check.h"
#include "base/json_walk.h"
#include "base/random.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/table_costs.h"
#include "jobs/dedup/group_index.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/methods.h"
#include "run/memory_budget.h"
#include "similar/sets/set_join.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/signature.h"
#include "text/words/shingles.h"

namespace kith::jobs {
namespace {

constexpr uint32_t max_tables = 512;
constexpr uint32_t plane_bits = 8;

// In how many values sampled documents agree with others.
struct Sample {
  // By query, how many others agree with it in so many values: [0, m].
  std::vector<std::vector<uint64_t>> agreeing;
  size_t others = 0;  // that each query was compared with
};

// Copies: rows that are read at random where they are mapped would all become resident. places: of
// the ids.
std::vector<uint16_t> copy_rows(const sketch::Signatures& signatures, std::span<const uint32_t> ids,
                                std::span<const uint64_t> places) {
  constexpr size_t released_together = 16;
  std::vector<uint16_t> rows;
  rows.reserve(places.size() * signatures.lanes());
  for (size_t i = 0; i < places.size(); ++i) {
    const std::span<const uint16_t> row = signatures[ids[places[i]]];
    rows.insert(rows.end(), row.begin(), row.end());
    if (i % released_together == 0) signatures.release(0, signatures.size());
  }
  return rows;
}

Sample compare_sample(const SamplePlaces& places, const SampleRows& rows, uint32_t lanes,
                      ThreadPool& pool) {
  constexpr size_t rows_at_a_time = 1 << 10;
  const std::vector<uint64_t>& queries = places.queries;
  Sample sample;
  sample.others = places.others.size();
  sample.agreeing.assign(queries.size(), std::vector<uint64_t>(lanes + 1));
  for (size_t begin = 0; begin < sample.others; begin += rows_at_a_time) {
    const size_t end = std::min(sample.others, begin + rows_at_a_time);
    const std::vector<uint16_t> some = rows.others(begin, end);
    pool.for_chunks(queries.size(), 1, [&](size_t query, size_t, unsigned) {
      const uint16_t* const one = rows.queries.data() + query * lanes;
      for (size_t i = begin; i < end; ++i) {
        if (places.others[i] == queries[query]) continue;
        const uint16_t* const other = some.data() + (i - begin) * lanes;
        uint32_t equal = 0;
        for (uint32_t lane = 0; lane < lanes; ++lane) equal += one[lane] == other[lane] ? 1 : 0;
        ++sample.agreeing[query][equal];
      }
    });
  }
  return sample;
}

// C(x, k) / C(m, k): the share of the k-subsets of m lanes that lie among x.
double subset_share(uint32_t x, uint32_t m, uint32_t k) {
  double share = 1;
  for (uint32_t i = 0; i < k; ++i) {
    if (x <= i) return 0;
    share *= static_cast<double>(x - i) / static_cast<double>(m - i);
  }
  return share;
}

DedupTables cost_of(const sketch::TableParams& tables, const Sample& sample, uint64_t ids,
                    const DedupOptions& options) {
  DedupTables cost;
  cost.per_key = tables.per_key;
  cost.tables = tables.tables;
  const uint32_t least = similar::min_equal_bytes({.similarity = options.similarity}, tables.lanes);
  cost.recall =
      sketch::filtered_collision_probability(options.similarity, tables, plane_bits, least);
  const double scale =
      static_cast<double>(ids) / static_cast<double>(std::max<size_t>(1, sample.others));
  double others = 0;  // in the buckets of all queries, of one table
  double split = 0;
  for (const std::vector<uint64_t>& agreeing : sample.agreeing) {
    double bucket = 0;
    for (uint32_t equal = 0; equal < agreeing.size(); ++equal) {
      bucket += scale * static_cast<double>(agreeing[equal]) *
                subset_share(equal, tables.lanes, tables.per_key);
    }
    others += bucket;
    split += bucket > similar::largest_bucket ? 1 : 0;
  }
  const auto queries = static_cast<double>(std::max<size_t>(1, sample.agreeing.size()));
  cost.split = split / queries;
  cost.collisions = others / queries * static_cast<double>(ids) / 2 * tables.tables;
  const double keys = static_cast<double>(ids) * tables.tables;
  cost.seconds =
      1e-9 * (keys * cluster::cost::sort + cost.collisions * cluster::cost::join_compare);
  return cost;
}

// Buckets that are split lose pairs: the cheapest of the tables that split the fewest.
DedupTables& best_of(std::vector<DedupTables>& considered) {
  return *std::ranges::min_element(considered, {}, [](const DedupTables& tables) {
    return std::pair(tables.split, tables.seconds);
  });
}

Result<std::vector<sketch::TableParams>> choices_for(const DuplicateOptions& options) {
  // The plane may lose a few as well.
  const double wanted = std::min(options.recall / (1 - similar::SetJoinOptions().plane_miss),
                                 (1 + options.recall) / 2);
  return sketch::table_choices(options.similarity, wanted, options.lanes, max_tables,
                               cluster::seed_for(options, cluster::SeedUse::dedup_tables));
}

}  // namespace

Status check_tables(const DuplicateOptions& options) {
  return choices_for(options).status();
}

sketch::TableParams table_params(uint32_t per_key, uint32_t tables, const DedupOptions& options) {
  return {.lanes = options.lanes,
          .per_key = per_key,
          .tables = tables,
          .seed = cluster::seed_for(options, cluster::SeedUse::dedup_tables)};
}

SamplePlaces sample_places(uint64_t documents, const DedupOptions& options) {
  constexpr uint64_t max_queries = 64;
  constexpr uint64_t max_others = 1 << 13;
  SamplePlaces places;
  Rng rng(cluster::seed_for(options, cluster::SeedUse::dedup_plan));
  for (uint64_t i = 0; i < std::min(max_queries, documents); ++i) {
    places.queries.push_back(rng.below(documents));
  }
  // Evenly over all, so that families which stand side by side are met.
  places.others.resize(std::min(max_others, documents));
  for (size_t i = 0; i < places.others.size(); ++i) {
    places.others[i] = i * documents / places.others.size();
  }
  return places;
}

Result<DedupPlan> plan_tables(uint64_t documents, const SamplePlaces& places,
                              const SampleRows& rows, const DedupOptions& options,
                              ThreadPool& pool) {
  KITH_ASSIGN(const auto choices, choices_for(options));
  const Sample sample = compare_sample(places, rows, options.lanes, pool);
  DedupPlan plan;
  for (const sketch::TableParams& tables : choices) {
    plan.considered.push_back(cost_of(tables, sample, documents, options));
  }
  DedupTables& best = best_of(plan.considered);
  best.chosen = true;
  plan.tables = choices[static_cast<size_t>(&best - plan.considered.data())];
  return plan;
}

Result<DedupPlan> plan_tables(const sketch::Signatures& signatures, std::span<const uint32_t> ids,
                              const DedupOptions& options, ThreadPool& pool) {
  const SamplePlaces places = sample_places(ids.size(), options);
  SampleRows rows;
  rows.queries = copy_rows(signatures, ids, places.queries);
  rows.others = [&](size_t begin, size_t end) {
    return copy_rows(signatures, ids, std::span(places.others).subspan(begin, end - begin));
  };
  return plan_tables(ids.size(), places, rows, options, pool);
}

}  // namespace kith::jobs

// Ranges and names of the options of `kith dedup`.
namespace kith {
namespace {

// A document is removed only where it is contained in the one that is kept.
Status check_containment(const DuplicateOptions& options) {
  if (options.method != DedupMethod::containment) return Status::ok();
  if (options.groups == Grouping::components) {
    return usage_error(
        "groups = components would remove documents that are not contained in what is kept: with "
        "method = containment groups have centers");
  }
  if (options.order == CenterOrder::degree) {
    return usage_error(
        "order = degree: with method = containment the longest documents become centers first, so "
        "that none is removed for one that lies in it");
  }
  if (jobs::keeps_by(options, jobs::KeepKind::shortest)) {
    return usage_error(
        "keep = shortest: with method = containment the document that contains the others is kept; "
        "keep = longest decides among documents of equally many shingles only");
  }
  return Status::ok();
}

// What would find no more without verification, or what has none.
Status check_verification(const DuplicateOptions& options) {
  if (options.verify) return Status::ok();
  if (options.method == DedupMethod::containment) {
    return usage_error("verify = false: method = containment verifies every pair");
  }
  if (options.method == DedupMethod::exact) {
    return usage_error(
        "verify = false: method = exact finds equal documents only, and always compares them");
  }
  if (options.similarity == 1 && options.method != DedupMethod::simhash) {
    return usage_error(
        "verify = false: at similarity = 1 only equal documents are looked for, and always "
        "compared; "
        "give a lower similarity");
  }
  return Status::ok();
}

// Equal texts are equal to their last word.
Status check_boilerplate(const DedupOptions& options) {
  if (options.boilerplate != Boilerplate::remove || options.method != DedupMethod::exact) {
    return Status::ok();
  }
  return usage_error(
      "boilerplate = remove: method = exact compares whole texts; give similarity = 1 to find "
      "pages "
      "that are equal except for their frames");
}

// Of a text as it stands every byte counts.
Status check_numbers(bool normalize, Numbers numbers) {
  if (normalize || numbers == Numbers::keep) return Status::ok();
  return usage_error(fmt::format(
      "numbers = {}: a text that is compared as it is (normalize = false) keeps its numbers",
      name(numbers)));
}

// Documents of two runs meet by their MinHash sketches, or by all their elements.
Status check_against(const DedupOptions& options) {
  if (options.against.empty()) return Status::ok();
  if (std::ranges::find(options.against, "") != options.against.end()) {
    return usage_error("against = '': names no run directory");
  }
  if (options.method == DedupMethod::minhash || options.method == DedupMethod::exact) {
    return Status::ok();
  }
  return usage_error(fmt::format("against = {}: not with method = {}; use minhash or exact",
                                 options.against.front(), name(options.method)));
}

}  // namespace

Status validate(const ShingleOptions& options) {
  if (options.width < 1 || options.width > text::ShingleOptions::max_width) {
    return usage_error(fmt::format("width = {}: must be from 1 to {}", options.width,
                                   text::ShingleOptions::max_width));
  }
  return check_numbers(options.normalize, options.numbers);
}

Status validate(const DuplicateOptions& options) {
  if (!(options.similarity > 0 && options.similarity <= 1)) {
    return usage_error(
        fmt::format("similarity = {}: must be above 0 and at most 1", options.similarity));
  }
  if (!(options.recall > 0 && options.recall < 1)) {
    return usage_error(fmt::format("recall = {}: must be between 0 and 1", options.recall));
  }
  KITH_TRY(sketch::check_lanes(options.lanes));
  if (options.distance > sketch::max_distance) {
    return usage_error(
        fmt::format("distance = {}: must be at most {}", options.distance, sketch::max_distance));
  }
  KITH_TRY(jobs::keep_rules(options.keep).status());
  KITH_TRY(check_containment(options));
  return check_verification(options);
}

Status validate(const DedupOptions& options) {
  constexpr uint32_t max_queries = 1u << 16;
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.output.empty()) return usage_error("no output: name the run directory with -o");
  KITH_TRY(validate(static_cast<const ShingleOptions&>(options)));
  KITH_TRY(validate(static_cast<const DuplicateOptions&>(options)));
  KITH_TRY(check_boilerplate(options));
  if (options.check_queries > max_queries) {
    return usage_error(
        fmt::format("check_queries = {}: must be at most {}", options.check_queries, max_queries));
  }
  KITH_TRY(check_against(options));
  KITH_TRY(validate(options, options.inputs));
  KITH_TRY(jobs::GroupWeights::parse(options.weights).status());
  if (!(options.max_loss > 0 && options.max_loss <= 1)) {
    return usage_error(
        fmt::format("max_loss = {}: must be above 0 and at most 1", options.max_loss));
  }
  if (options.revisit && (options.annotate || options.weights != "1")) {
    return usage_error(
        "`revisit`: of WARC, whose records have no fields for `annotate` and "
        "`weights`; leave one of them out");
  }
  if (options.dry_run && options.write.empty()) {
    return usage_error(
        "`dry_run`: leaves out the copy of the input, and there is none; name its place with "
        "`write`");
  }
  if (options.revisit && options.write.empty()) {
    return usage_error(
        "`revisit`: its records stand in the copy of the input; name that with `write`");
  }
  if (options.shards > 0 && !options.write.empty()) {
    return usage_error(fmt::format(
        "write = {}: a shard does not know yet what is removed; give it to the merge of "
        "the shards",
        options.write));
  }
  return validate(static_cast<const Resources&>(options));
}

std::string_view name(DedupMethod value) {
  return word_of(value, {"minhash", "simhash", "supershingle", "containment", "exact"});
}
std::string_view name(ShingleUnit value) {
  return word_of(value, {"words", "characters"});
}
std::string_view name(Numbers value) {
  return word_of(value, {"keep", "mask", "drop"});
}
std::string_view name(Grouping value) {
  return word_of(value, {"center", "components"});
}
std::string_view name(CenterOrder value) {
  return word_of(value, {"degree", "keep"});
}
std::string_view name(PairList value) {
  return word_of(value, {"centers", "all"});
}

}  // namespace kith
