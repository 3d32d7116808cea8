#include "pipeline/dedup_match.h"

#include <optional>
#include <vector>

#include "cluster/components.h"
#include "pairs/equal_sets.h"
#include "pipeline/dedup_groups.h"
#include "pipeline/dedup_plan.h"
#include "pipeline/memory_budget.h"
#include "pipeline/stage_files.h"
#include "storage/external_sort.h"

namespace kith::pipeline {
namespace {

constexpr std::string_view representative_section = "representative";
constexpr std::string_view pairs_section = "pairs";

DedupPairs counts_of(const pairs::SetJoinStats& stats) {
  DedupPairs counts;
  counts.collisions = stats.collisions;
  counts.candidates = stats.candidates;
  counts.similar = stats.similar;
  counts.split_buckets = stats.splits.buckets;
  counts.largest_split = stats.splits.largest;
  counts.blocks = stats.blocks;
  return counts;
}

Status write_sorted(storage::SectionWriter& file, storage::SortedRecords& sorted) {
  std::vector<pairs::SetPair> block;
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) return Status::ok();
    block.clear();
    for (const KeyId& record : records) {
      block.push_back(
          {static_cast<uint32_t>(record.key >> 32), static_cast<uint32_t>(record.key), record.id});
    }
    KITH_TRY(file.append_array(std::span<const pairs::SetPair>(block)));
  }
}

}  // namespace

Result<Matches> Matches::open(storage::FileSystem& fs, const std::string& path,
                              uint32_t documents) {
  Matches matches;
  KITH_ASSIGN(matches.file_, storage::SectionFile::open(fs, path, matches_kind));
  KITH_ASSIGN(matches.representative_, matches.file_.array<uint32_t>(representative_section));
  KITH_ASSIGN(matches.pairs_, matches.file_.array<pairs::SetPair>(pairs_section));
  if (matches.representative_.size() != documents) {
    return matches.file_.corrupt("is not of the same run as the documents");
  }
  for (uint32_t id = 0; id < documents; ++id) {
    const uint32_t own = matches.representative_[id];
    if (own > id || matches.representative_[own] != own) {
      return matches.file_.corrupt("names a representative that is none");
    }
  }
  for (const pairs::SetPair& pair : matches.pairs_) {
    if (pair.a >= pair.b || pair.b >= documents) {
      return matches.file_.corrupt("holds a pair that is none");
    }
  }
  return matches;
}

Status write_matches(const std::string& path, const DocumentTable& documents,
                     const DedupOptions& options, const DedupResources& resources,
                     DedupReport& report, const ProgressCallback& progress) {
  ThreadPool& pool = resources.pool;
  const pairs::HashSets& sets = documents.sets();
  const uint64_t memory = working_memory(resources.memory, documents.size());
  const pairs::EqualSets equal = pairs::find_equal_sets(
      sets, [&](uint32_t id) { return documents[id].fingerprint; }, pool, memory / 2);
  const std::vector<uint32_t> ids = equal.distinct(sets);
  report.pairs = {};

  KITH_ASSIGN(auto file, storage::SectionWriter::create(resources.fs, path, matches_kind));
  KITH_TRY(file.begin(representative_section));
  KITH_TRY(file.append_array(std::span<const uint32_t>(equal.representative)));
  KITH_TRY(file.begin(pairs_section));
  cluster::Components unverified(documents.size());
  // A pair of documents with a resemblance of 1 has equal elements.
  if (options.method == DedupMethod::minhash && options.similarity < 1) {
    KITH_ASSIGN(const DedupPlan plan, plan_tables(documents.signatures(), ids, options, pool));
    report.tables = plan.considered;
    storage::ExternalSort sort(resources.fs, pool,
                               {.scratch = resources.scratch + "/pairs", .memory = memory / 4});
    pairs::SetJoinSinks sinks;
    sinks.candidates = [&](std::span<const ShortKeyId> candidates) {
      for (const ShortKeyId& pair : candidates) unverified.join(pair.key, pair.id);
    };
    sinks.pairs = [&](std::span<const pairs::SetPair> sorted) -> Status {
      for (const pairs::SetPair& pair : sorted) {
        KITH_TRY(sort.append({uint64_t{pair.a} << 32 | pair.b, pair.common}));
      }
      return Status::ok();
    };
    const pairs::SetJoinOptions join{.similarity = options.similarity, .memory = memory / 4 * 3};
    KITH_ASSIGN(const pairs::SetJoinStats stats,
                pairs::set_join(sets, ids, documents.signatures(), lsh::Tables(plan.tables), join,
                                pool, sinks, [&](double share) {
                                  if (progress) progress({matches_stage, share, 1, ""});
                                }));
    report.pairs = counts_of(stats);
    KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
    KITH_TRY(write_sorted(file, sorted));
  }
  report.pairs.duplicates = documents.size() - report.documents.empty - ids.size();
  report.groups.unverified = count_components(unverified, equal.representative);
  return file.finish();
}

}  // namespace kith::pipeline
