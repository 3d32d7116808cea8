#include "jobs/dedup/match.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "cluster/clustering.h"
#include "jobs/dedup/families/center_scan.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/methods.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "similar/sets/hash_sets.h"

namespace kith::jobs {
namespace {

constexpr std::string_view members_section = "part_members";
constexpr std::string_view ends_section = "part_ends";
// With two writers a full buffer is sorted by the thread that appends, which may be inside a job of
// the pool here.
constexpr unsigned from_jobs = 2;

}  // namespace

WholePartWriter::WholePartWriter(const DedupResources& resources, uint64_t memory)
    : sort_(resources.fs, resources.pool,
            {.scratch = resources.scratch + "/parts", .memory = memory, .writers = from_jobs}) {}

Status WholePartWriter::add(uint64_t name, std::span<const uint32_t> documents) {
  for (const uint32_t id : documents) KITH_TRY(sort_.append({name, id}));
  return Status::ok();
}

void WholePartWriter::end_part() {
  const uint64_t size = members_ - (ends_.empty() ? 0 : ends_.back());
  if (size == 0) return;
  ends_.push_back(members_);
  largest_ = std::max(largest_, size);
  pairs_ += size * (size - 1) / 2;
}

Status WholePartWriter::write_members(storage::SectionWriter& file) {
  KITH_ASSIGN(storage::SortedRecords sorted, sort_.finish());
  std::vector<uint32_t> block;
  KeyId last{0, UINT32_MAX};
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) break;
    block.clear();
    for (const KeyId& record : records) {
      if (record.key != last.key) end_part();
      if (record.key == last.key && record.id == last.id) continue;
      last = record;
      block.push_back(record.id);
      ++members_;
    }
    KITH_TRY(file.append_array(std::span<const uint32_t>(block)));
  }
  end_part();
  return Status::ok();
}

Status WholePartWriter::write(storage::SectionWriter& file) {
  KITH_TRY(file.begin(members_section));
  KITH_TRY(write_members(file));
  return file.write_array(ends_section, ends_);
}

Result<WholeParts> WholeParts::open(const storage::SectionFile& file,
                                    std::span<const uint32_t> representative) {
  WholeParts parts;
  KITH_ASSIGN(parts.members_, file.array<uint32_t>(members_section));
  KITH_ASSIGN(parts.ends_, file.array<uint64_t>(ends_section));
  constexpr uint64_t block = 1 << 18;  // members that are resident at a time
  uint64_t begin = 0;
  for (const uint64_t end : parts.ends_) {
    if (end > parts.members_.size() || end < begin + 2) {
      return file.corrupt("holds a part without members");
    }
    for (uint64_t i = begin; i < end; ++i) {
      if (i % block == 0) file.release();
      const uint32_t id = parts.members_[i];
      if (id >= representative.size() || representative[id] != id ||
          (i > begin && parts.members_[i - 1] >= id)) {
        return file.corrupt("holds a part that is not in order");
      }
    }
    begin = end;
  }
  if (begin != parts.members_.size()) return file.corrupt("holds members of no part");
  file.release();
  return parts;
}

bool WholeParts::contains(size_t part, uint32_t document) const {
  return std::ranges::binary_search(members(part), document);
}

namespace {

constexpr std::string_view representative_section = "representative";
constexpr std::string_view pairs_section = "pairs";
constexpr std::string_view unverified_section = "unverified";

Status write_unverified(storage::SectionWriter& file, cluster::Components& unverified) {
  constexpr uint32_t block_size = 1 << 16;
  KITH_TRY(file.begin(unverified_section));
  std::vector<uint32_t> block;
  for (uint32_t id = 0; id < unverified.size(); ++id) {
    block.push_back(unverified.find(id));
    if (block.size() < block_size) continue;
    KITH_TRY(file.append_array(std::span<const uint32_t>(block)));
    block.clear();
  }
  return file.append_array(std::span<const uint32_t>(block));
}

void count_parts(const WholePartWriter& parts, uint32_t documents, const DedupOptions& options,
                 DedupLargeParts& large) {
  large.parts = parts.parts();
  large.members = parts.members();
  large.largest = parts.largest();
  large.pairs = parts.pairs();
  large.max_comparisons = parts.members() * max_centers_of(parts.parts(), parts.members(),
                                                           documents, options.max_comparisons);
}

}  // namespace

Status append_pairs(storage::ExternalSort& sort, std::span<const similar::SetPair> found) {
  for (const similar::SetPair& pair : found) {
    KITH_TRY(sort.append({uint64_t{pair.a} << 32 | pair.b, pair.common}));
  }
  return Status::ok();
}

Status write_pairs(storage::SectionWriter& file, storage::ExternalSort& sort,
                   const std::function<void(const similar::SetPair&)>& visit) {
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  std::vector<similar::SetPair> block;
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) return Status::ok();
    block.clear();
    for (const KeyId& record : records) {
      block.push_back(
          {static_cast<uint32_t>(record.key >> 32), static_cast<uint32_t>(record.key), record.id});
      visit(block.back());
    }
    KITH_TRY(file.append_array(std::span<const similar::SetPair>(block)));
  }
}

Result<Matches> Matches::open(storage::FileSystem& fs, const std::string& path,
                              uint32_t documents) {
  Matches matches;
  KITH_ASSIGN(matches.file_, storage::SectionFile::open(fs, path, matches_kind));
  KITH_ASSIGN(matches.representative_, matches.file_.array<uint32_t>(representative_section));
  KITH_ASSIGN(matches.pairs_, matches.file_.array<similar::SetPair>(pairs_section));
  if (matches.representative_.size() != documents) {
    return matches.file_.corrupt("is not of the same run as the documents");
  }
  KITH_ASSIGN(matches.unverified_, matches.file_.array<uint32_t>(unverified_section));
  if (matches.unverified_.size() != documents) {
    return matches.file_.corrupt("is not of the same run as the documents");
  }
  KITH_ASSIGN(matches.parts_, WholeParts::open(matches.file_, matches.representative_));
  for (uint32_t id = 0; id < documents; ++id) {
    const uint32_t own = matches.representative_[id];
    if (matches.unverified_[id] > id) return matches.file_.corrupt("joins what comes later");
    if (own > id || matches.representative_[own] != own) {
      return matches.file_.corrupt("names a representative that is none");
    }
  }
  for (const similar::SetPair& pair : matches.pairs_) {
    if (pair.a >= pair.b || pair.b >= documents || matches.representative_[pair.a] != pair.a ||
        matches.representative_[pair.b] != pair.b) {
      return matches.file_.corrupt("holds a pair that is none");
    }
    matches.pass(pair);
  }
  return matches;
}

Status write_matches(const std::string& path, const DocumentTable& documents,
                     const Against& against, const DedupOptions& options,
                     const DedupResources& resources, DedupReport& report,
                     const ProgressCallback& progress) {
  ThreadPool& pool = resources.pool;
  const similar::HashSets& sets = documents.sets();
  const Budget memory = run::working_memory(resources.memory, documents.size());
  similar::EqualSets equal = similar::find_equal_sets(
      sets, [&](uint32_t id) { return content_of(documents, id, options); }, pool);
  std::vector<uint32_t> ids = equal.distinct(sets);
  against.leave_out(equal.representative, ids);
  report.pairs = {};
  report.large = {};

  KITH_ASSIGN(auto file, storage::SectionWriter::create(resources.fs, path, matches_kind));
  KITH_TRY(file.write_array(representative_section, equal.representative));
  KITH_TRY(file.begin(pairs_section));
  cluster::Components unverified(documents.size());
  WholePartWriter parts(resources, memory.bytes(Share::whole_parts));
  if (finds_pairs(options)) {
    storage::ExternalSort sort(
        resources.fs, pool,
        {.scratch = resources.scratch + "/pairs", .memory = memory.bytes(Share::set_pairs)});
    similar::SetJoinSinks sinks;
    sinks.candidates = [&](std::span<const ShortKeyId> candidates) {
      for (const ShortKeyId& pair : candidates) unverified.join(pair.key, pair.id);
    };
    const similar::PairRule rule = pair_rule(options, documents);
    sinks.pairs = [&](std::span<const similar::SetPair> found) -> Status {
      for (const similar::SetPair& pair : found) {
        if (!rule.same_subject(pair.a, pair.b)) {
          ++report.pairs.other_title;
          continue;
        }
        KITH_TRY(append_pairs(sort, std::span(&pair, 1)));
      }
      return Status::ok();
    };
    sinks.whole_part = [&](uint64_t name, std::span<const uint32_t> members) {
      return parts.add(name, members);
    };
    KITH_TRY(find_pairs(documents, ids, options, resources, memory.share(Share::set_join), sinks,
                        report, progress));
    KITH_TRY(write_pairs(file, sort, [](const similar::SetPair&) {}));
  }
  if (!options.verify) {
    report.pairs.below_similarity = report.pairs.candidates - report.pairs.similar;
  }
  report.pairs.duplicates = documents.size() - report.documents.empty - report.documents.cut -
                            against.rows().size() - ids.size();
  KITH_TRY(write_unverified(file, unverified));
  KITH_TRY(parts.write(file));
  count_parts(parts, documents.size(), options, report.large);
  return file.finish();
}

Status write_known_matches(const std::string& path, uint32_t documents,
                           std::span<const similar::SetPair> pairs, WholePartWriter& parts,
                           storage::FileSystem& fs) {
  std::vector<uint32_t> representative(documents);
  std::iota(representative.begin(), representative.end(), 0u);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, matches_kind));
  KITH_TRY(file.write_array(representative_section, representative));
  KITH_TRY(file.write_array(pairs_section, pairs));
  KITH_TRY(file.write_array(unverified_section, representative));
  KITH_TRY(parts.write(file));
  return file.finish();
}

}  // namespace kith::jobs
