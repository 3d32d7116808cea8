#include "jobs/dedup/methods.h"

#include <algorithm>

#include "kith/tune.h"

#include "base/check.h"
#include "base/hash.h"
#include "jobs/dedup/directory.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "similar/fingerprints/simhash_join.h"
#include "similar/sets/set_join.h"
#include "sketch/lsh/duplicate_tables.h"

namespace kith::jobs {
namespace {

constexpr uint32_t shared = 2;
constexpr uint32_t max_groups = 64;

}  // namespace

Result<std::vector<DedupSuperShingles>> plan_super_shingles(const DuplicateOptions& options) {
  std::vector<DedupSuperShingles> considered;
  const uint32_t most = std::min(max_groups, options.lanes);
  Status last = Status::ok();
  for (uint32_t groups = shared; groups <= most; ++groups) {
    const auto plans =
        plan_all_super_shingles(options.similarity, options.recall, options.lanes, groups, shared);
    if (!plans) last = plans.status();
    if (!plans) continue;
    // Longer ones than with fewer groups: the fewest groups for their length.
    for (const SuperShinglePlan& plan : *plans) {
      if (!considered.empty() && plan.minima <= considered.back().minima) continue;
      considered.push_back(
          {plan.minima, plan.groups, plan.least, plan.recall, plan.false_positives, false});
    }
  }
  if (considered.empty()) return last.error();
  std::ranges::min_element(considered, {}, &DedupSuperShingles::false_positives)->chosen = true;
  return considered;
}

const DedupSuperShingles& chosen_of(const std::vector<DedupSuperShingles>& considered) {
  const auto chosen = std::ranges::find(considered, true, &DedupSuperShingles::chosen);
  KITH_CHECK(chosen != considered.end());
  return *chosen;
}

namespace {

// What a method works with.
struct MethodJoin {
  const DocumentTable& documents;
  std::span<const uint32_t> ids;
  const DedupOptions& options;
  const DedupResources& resources;
  Budget memory;
  const similar::SetJoinSinks& sinks;
  std::function<void(double share)> progress;

  std::string scratch() const { return resources.scratch + "/join"; }
};

Status by_tables(const MethodJoin& join, DedupReport& report) {
  const sketch::Signatures& signatures = join.documents.signatures();
  KITH_ASSIGN(const DedupPlan plan,
              plan_tables(signatures, join.ids, join.options, join.resources.pool));
  report.tables = plan.considered;
  KITH_TRY(join.memory.check(similar::min_set_join_memory(join.ids.size(), plan.tables.lanes),
                             run::counted(join.documents.size(), "documents")));
  const similar::SetJoinOptions options{
      .similarity = join.options.similarity, .verify = join.options.verify, .memory = join.memory};
  KITH_ASSIGN(
      const similar::SetJoinStats stats,
      similar::set_join(join.documents.sets(), join.ids, signatures, sketch::Tables(plan.tables),
                        options, join.resources.pool, join.sinks, join.progress));
  report.pairs.collisions = stats.collisions;
  report.pairs.candidates = stats.candidates;
  report.pairs.similar = stats.similar;
  report.pairs.split_buckets = stats.splits.buckets;
  report.pairs.largest_split = stats.splits.largest;
  report.pairs.blocks = stats.blocks;
  return Status::ok();
}

Status by_super_shingles(const MethodJoin& join, DedupReport& report) {
  KITH_ASSIGN(report.super_shingles, plan_super_shingles(join.options));
  const DedupSuperShingles& chosen = chosen_of(report.super_shingles);
  const similar::SuperShingleJoinOptions options{.minima = chosen.minima,
                                                 .groups = chosen.groups,
                                                 .least = chosen.least,
                                                 .rule = pair_rule(join.options),
                                                 .scratch = join.scratch(),
                                                 .memory = join.memory};
  KITH_ASSIGN(const similar::SuperShingleJoinStats stats,
              similar::super_shingle_join(join.resources.fs, join.documents.sets(), join.ids,
                                          join.documents.signatures(), options, join.resources.pool,
                                          join.sinks, join.progress));
  report.pairs.collisions = stats.collisions;
  report.pairs.candidates = stats.candidates;
  report.pairs.similar = stats.similar;
  return Status::ok();
}

// Of two sets of n elements that share c, the resemblance is c / (2n - c) and the cosine c / n.
double cosine_of_equal_sizes(double resemblance) {
  return 2 * resemblance / (1 + resemblance);
}

Status by_fingerprints(const MethodJoin& join, DedupReport& report) {
  storage::FileSystem& fs = join.resources.fs;
  ThreadPool& pool = join.resources.pool;
  const similar::HashSets& sets = join.documents.sets();
  const std::string path = join.resources.folder + "/" + std::string(fingerprints_file);
  KITH_TRY(similar::write_set_fingerprints(fs, path, sets, join.ids, join.scratch(),
                                           join.memory.share(Share::fingerprint_grouping), pool));
  KITH_ASSIGN(const auto groups, similar::FingerprintGroups::open(fs, path, join.documents.size()));
  const similar::SimhashSetJoinOptions options{.distance = join.options.distance,
                                               .rule = pair_rule(join.options),
                                               .scratch = join.scratch(),
                                               .memory = join.memory};
  KITH_ASSIGN(
      const similar::SimhashSetJoinStats stats,
      similar::simhash_set_join(fs, sets, groups, options, pool, join.sinks, join.progress));
  report.fingerprints.different = groups.size();
  report.fingerprints.expected_recall = sketch::near_fingerprint_probability(
      cosine_of_equal_sizes(join.options.similarity), join.options.distance);
  report.fingerprints.pairs_by_distance = stats.by_distance;
  report.pairs.candidates = stats.candidates;
  report.pairs.similar = stats.similar;
  return Status::ok();
}

Status by_samples(const MethodJoin& join, DedupReport& report) {
  const similar::ContainmentJoinOptions options{
      .similarity = join.options.similarity, .recall = join.options.recall, .memory = join.memory};
  KITH_ASSIGN(const similar::ContainmentJoinStats stats,
              similar::containment_join(join.documents.sets(), join.ids, options,
                                        join.resources.pool, join.sinks, join.progress));
  report.samples.clear();
  for (const similar::SampledClass& one : stats.classes) {
    report.samples.push_back({one.min_elements, one.sets, one.one_in, one.samples, one.looked_up});
  }
  report.pairs.collisions = stats.met;
  report.pairs.candidates = stats.candidates;
  report.pairs.similar = stats.similar;
  report.pairs.blocks = stats.blocks;
  return Status::ok();
}

}  // namespace

similar::PairRule pair_rule(const DedupOptions& options) {
  return {options.similarity, options.verify,
          options.method == DedupMethod::containment ? similar::SetMeasure::containment
                                                     : similar::SetMeasure::resemblance};
}

similar::PairRule pair_rule(const DedupOptions& options, const DocumentTable& documents) {
  similar::PairRule rule = pair_rule(options);
  if (tells_titles_apart(options) && !documents.titles().empty()) {
    rule.subjects = &documents.titles();
  }
  return rule;
}

bool tells_titles_apart(const DedupOptions& options) {
  return options.distinct_titles && finds_pairs(options);
}

uint64_t content_of(const DocumentTable& documents, uint32_t id, const DedupOptions& options) {
  if (options.method == DedupMethod::exact) return documents[id].text;
  uint64_t content = documents[id].fingerprint;
  if (!tells_titles_apart(options) || documents.titles().empty()) return content;
  for (const uint32_t word : documents.titles()[id])
    content = mix64(content ^ similar::sure_word(word));
  return content;
}

bool needs_signatures(const DuplicateOptions& options) {
  return options.method == DedupMethod::minhash || options.method == DedupMethod::supershingle;
}

bool finds_pairs(const DuplicateOptions& options) {
  if (options.method == DedupMethod::exact) return false;
  if (options.method == DedupMethod::containment) return true;
  return options.similarity < 1 || !options.verify;
}

Status check_plan(const DuplicateOptions& options) {
  if (!finds_pairs(options)) return Status::ok();
  if (options.method == DedupMethod::minhash) return check_tables(options);
  if (options.method == DedupMethod::supershingle) return plan_super_shingles(options).status();
  return Status::ok();
}

Status find_pairs(const DocumentTable& documents, std::span<const uint32_t> ids,
                  const DedupOptions& options, const DedupResources& resources,
                  const Budget& memory, const similar::SetJoinSinks& sinks, DedupReport& report,
                  const ProgressCallback& progress) {
  const MethodJoin join{documents, ids, options, resources, memory, sinks, [&](double share) {
                          if (progress) progress({matches_stage, share, 1, ""});
                        }};
  if (options.method == DedupMethod::minhash) return by_tables(join, report);
  if (options.method == DedupMethod::supershingle) return by_super_shingles(join, report);
  if (options.method == DedupMethod::containment) return by_samples(join, report);
  return by_fingerprints(join, report);
}

}  // namespace kith::jobs
